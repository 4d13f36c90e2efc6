//! Editors.

use super::code::{Found, named, option};
use super::program::{Call, Loads, Program};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        code: |call| call.says(code(call)),
        runs_input: true,
        loads: LOADS,
        ..Program::of(&["ex", "vi", "vim", "nvim", "view"])
    },
    Program { code: |call| call.says(code(call)), loads: LOADS, ..Program::of(&["vimdiff"]) },
    Program {
        code: |call| {
            let options = ["eval", "execute", "funcall", "batch", "f", "l", "load", "script", "x"];
            call.says(Ok(named(call.arguments, &options, &[])))
        },
        ..Program::of(&["emacs"])
    },
];

const LOADS: Loads = Loads { names: &[".vimrc", "vimrc", ".exrc", "init.vim", "init.lua"], ..Loads::NOTHING };

/// Finds an option or a `+COMMAND` with code.
fn code<'c>(call: &'c Call<'_>) -> Found<'c> {
    let pressed = || call.given().operands.iter().copied().find(|word| word.value.starts_with('+'));
    Ok(option(call.given(), "cSsuwW", &["cmd"])?.or_else(pressed))
}
