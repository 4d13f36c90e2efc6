//! Node and its relatives.

use super::code::InlineCode;
use super::interpreter::{self, Interpreter};
use super::npm::NAMES;
use super::program::{Call, Loads, Program};

pub(super) const PROGRAMS: &[Program] = &[
    Program { code, takes_script: true, first_is_script: true, loads: LOADS, ..Program::of(&["node"]) },
    Program { code, takes_script: true, loads: LOADS, ..Program::of(&["nodejs"]) },
    Program { code, takes_script: true, first_is_script: true, namings: NAMES, loads: LOADS, ..Program::of(&["bun"]) },
    Program { first_is_script: true, ..Program::of(&["tsx", "ts-node"]) },
];

const LOADS: Loads =
    Loads { arguments: true, names: &["package.json"], ends: &[".js", ".mjs", ".cjs"], ..Loads::NOTHING };

const NODE: Interpreter = Interpreter {
    code: "ep",
    code_long: &["eval", "print"],
    valued: "rC",
    valued_long: &["require", "import", "loader", "conditions", "env-file"],
    asks: "i",
    asks_long: &["interactive"],
    ..Interpreter::PLAIN
};

fn code(call: &Call<'_>) -> InlineCode {
    interpreter::code(call, &NODE)
}
