//! `snaphook`.

use super::inside::{At, Inner, Inside};
use super::program::{Call, Program};
use super::readers::changed_by;

pub(super) const PROGRAMS: &[Program] =
    &[Program { inside: isolated, operands: |call| changed_by(call, "", &["audit"]), ..Program::text(&["snaphook"]) }];

/// `snaphook run -- COMMAND`, which may have been written by the model and not by our hook.
fn isolated(call: &Call<'_>) -> Inside {
    let words = call.words;
    let mut rest = words.iter().enumerate().skip(1);
    match rest.next() {
        Some((_, word)) if word.is_dynamic() => return call.hides_commands(word),
        Some((_, word)) if word.value == "run" => {}
        _ => return Inside::default(),
    }
    while let Some((at, word)) = rest.next() {
        match word.value.as_str() {
            "--policy" | "--trust" | "--project" => match rest.next() {
                Some((_, given)) if given.is_dynamic() => return call.hides_commands(given),
                _ => {}
            },
            "--" => {
                let inner = Inner {
                    words: words.get(at + 1..).unwrap_or_default().to_vec(),
                    assigned: Vec::new(),
                    at: At::Here,
                };
                return Inside { commands: vec![inner], ..Inside::default() };
            }
            _ => return call.hides_commands(word),
        }
    }
    Inside::default()
}
