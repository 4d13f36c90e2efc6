//! `env`.

use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[Program {
    inside: |call| {
        inside(
            call,
            &Wrapper {
                flags: "i0v",
                valued: "u",
                long: &["ignore-environment", "null", "debug"],
                long_valued: &["unset"],
                takes_dash: true,
                assigns: true,
                ..Wrapper::LAYERED
            },
        )
    },
    ..Program::text(&["env"])
}];
