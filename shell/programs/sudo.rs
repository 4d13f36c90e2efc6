//! `sudo` and `doas`.

use super::program::Program;
use super::spellings::renamed;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        inside: |call| {
            inside(
                call,
                &Wrapper {
                    flags: "AbEHknPS",
                    valued: "ugpCU",
                    long: &[
                        "askpass",
                        "background",
                        "set-home",
                        "non-interactive",
                        "preserve-groups",
                        "stdin",
                        "reset-timestamp",
                    ],
                    long_valued: &["user", "group", "prompt", "close-from", "other-user"],
                    assigns: true,
                    ..Wrapper::LAYERED
                },
            )
        },
        ..Program::of(&["sudo"])
    },
    Program {
        inside: |call| inside(call, &Wrapper { flags: "nL", valued: "u", assigns: true, ..Wrapper::LAYERED }),
        spellings: |call| renamed(call, &["sudo"]),
        ..Program::of(&["doas"])
    },
];
