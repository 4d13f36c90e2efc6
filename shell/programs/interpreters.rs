//! Other interpreters.

use super::code::InlineCode;
use super::interpreter::{self, Interpreter};
use super::program::{Call, Loads, Program};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        code: |call| interpreter::code(call, &PHP),
        takes_script: true,
        first_is_script: true,
        loads: SCRIPTS,
        ..Program::of(&["php"])
    },
    Program { code: lua, takes_script: true, first_is_script: true, loads: LUA, ..Program::of(&["lua"]) },
    Program { code: lua, takes_script: true, loads: LUA, ..Program::of(&["luajit"]) },
    Program { code: julia, takes_script: true, first_is_script: true, loads: SCRIPTS, ..Program::of(&["Rscript"]) },
    Program { code: julia, takes_script: true, loads: SCRIPTS, ..Program::of(&["julia"]) },
];

const SCRIPTS: Loads = Loads { arguments: true, ..Loads::NOTHING };
const LUA: Loads = Loads { ends: &[".lua"], ..SCRIPTS };

const PHP: Interpreter = Interpreter {
    code: "rBRE",
    code_long: &["run", "process-begin", "process-code", "process-end"],
    valued: "dczt",
    valued_long: &["define", "php-ini", "docroot"],
    program: "fFS",
    asks: "a",
    asks_long: &["interactive"],
    ..Interpreter::PLAIN
};

fn lua(call: &Call<'_>) -> InlineCode {
    interpreter::code(call, &Interpreter { code: "e", valued: "l", asks: "i", ..Interpreter::PLAIN })
}

fn julia(call: &Call<'_>) -> InlineCode {
    let options = Interpreter {
        code: "eE",
        code_long: &["eval", "print"],
        valued: "LJ",
        valued_long: &["load", "project"],
        asks: "i",
        ..Interpreter::PLAIN
    };
    interpreter::code(call, &options)
}
