//! `hyperfine`.

use super::inside::Inside;
use super::program::{Call, Program};

pub(super) const PROGRAMS: &[Program] = &[Program { inside: measured, ..Program::of(&["hyperfine"]) }];

/// The commands that it passes to a shell, and option values with commands.
fn measured(call: &Call<'_>) -> Inside {
    let given = call.given();
    match given.files().find(|word| word.is_dynamic()) {
        Some(word) => call.hides_commands(word),
        None => Inside { values: given.files().map(|word| word.value.clone()).collect(), ..Inside::default() },
    }
}
