//! `rustup`.

use super::inside::Inside;
use super::program::{Call, Program};
use super::wrapper::{Wrapper, unwrap};

pub(super) const PROGRAMS: &[Program] =
    &[Program { inside: toolchain, has_subcommands: true, ..Program::of(&["rustup"]) }];

/// `rustup run TOOLCHAIN COMMAND`
fn toolchain(call: &Call<'_>) -> Inside {
    let Some(at) = call.arguments.iter().position(|word| !word.value.starts_with(['-', '+'])) else {
        return Inside::default();
    };
    let rest = call.arguments.get(at..).unwrap_or_default();
    match rest.first() {
        Some(word) if word.is_dynamic() => call.hides_commands(word),
        Some(word) if word.value == "run" => {
            let run = Wrapper { long: &["install"], operands: 1, ..Wrapper::LAYERED };
            unwrap(call, &run, rest)
        }
        _ => Inside::default(),
    }
}
