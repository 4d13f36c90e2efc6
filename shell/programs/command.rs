//! Builtins that run a command, or replace the shell by it.

use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        inside: |call| {
            inside(call, &Wrapper { flags: "p", describes: &["-v", "-V", "-pv", "-pV"], ..Wrapper::TRANSPARENT })
        },
        ..Program::of(&["command"])
    },
    Program { inside: |call| inside(call, &Wrapper::TRANSPARENT), ..Program::of(&["builtin", "noglob"]) },
    // The value of `-a` is a name in most shells, and the program in busybox.
    Program { inside: |call| inside(call, &Wrapper { flags: "cl", ..Wrapper::LAYERED }), ..Program::of(&["exec"]) },
];
