//! `timeout`, `time`, `nohup` and `stdbuf`.

use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        inside: |call| {
            inside(
                call,
                &Wrapper {
                    flags: "v",
                    valued: "ks",
                    long: &["preserve-status", "foreground", "verbose"],
                    long_valued: &["kill-after", "signal"],
                    operands: 1,
                    ..Wrapper::TRANSPARENT
                },
            )
        },
        ..Program::of(&["timeout", "gtimeout"])
    },
    // A reserved word in some shells, before a command with its assignments.
    Program {
        inside: |call| inside(call, &Wrapper { flags: "p", assigns: true, ..Wrapper::TRANSPARENT }),
        ..Program::of(&["time"])
    },
    Program { inside: |call| inside(call, &Wrapper::TRANSPARENT), ..Program::of(&["nohup"]) },
    Program {
        inside: |call| {
            inside(call, &Wrapper { valued: "ioe", long_valued: &["input", "output", "error"], ..Wrapper::TRANSPARENT })
        },
        ..Program::of(&["stdbuf"])
    },
];
