//! `flock`.

use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[Program {
    inside: |call| {
        inside(
            call,
            &Wrapper {
                flags: "sxeunoFv",
                valued: "wE",
                long: &["shared", "exclusive", "unlock", "nonblock", "nb", "close", "no-fork", "verbose"],
                long_valued: &["timeout", "wait", "conflict-exit-code"],
                operands: 1,
                text_options: &["-c", "--command"],
                ..Wrapper::LAYERED
            },
        )
    },
    ..Program::of(&["flock"])
}];
