//! `watch`.

use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[Program {
    inside: |call| {
        inside(
            call,
            &Wrapper {
                flags: "bcdegtx",
                valued: "n",
                long: &["beep", "color", "differences", "errexit", "chgexit", "no-title", "exec"],
                long_valued: &["interval"],
                passes_text: true,
                words_options: &["x", "exec"],
                ..Wrapper::LAYERED
            },
        )
    },
    ..Program::of(&["watch"])
}];
