//! Programs that set the priority, the processors or the session of a command.

use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        inside: |call| {
            inside(
                call,
                &Wrapper { valued: "n", long_valued: &["adjustment"], takes_number: true, ..Wrapper::TRANSPARENT },
            )
        },
        ..Program::of(&["nice"])
    },
    Program {
        inside: |call| {
            inside(
                call,
                &Wrapper {
                    flags: "t",
                    valued: "cn",
                    long: &["ignore"],
                    long_valued: &["class", "classdata"],
                    ..Wrapper::LAYERED
                },
            )
        },
        ..Program::of(&["ionice"])
    },
    Program {
        inside: |call| inside(call, &Wrapper { flags: "abdfiomRv", valued: "TPD", operands: 1, ..Wrapper::LAYERED }),
        ..Program::of(&["chrt"])
    },
    Program {
        inside: |call| {
            inside(call, &Wrapper { flags: "ac", long: &["all-tasks", "cpu-list"], operands: 1, ..Wrapper::LAYERED })
        },
        ..Program::of(&["taskset"])
    },
    Program {
        inside: |call| inside(call, &Wrapper { flags: "cfw", long: &["ctty", "fork", "wait"], ..Wrapper::LAYERED }),
        ..Program::of(&["setsid"])
    },
];
