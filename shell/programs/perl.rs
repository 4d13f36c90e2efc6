//! Perl and Ruby.

use super::interpreter::{Interpreter, code};
use super::program::{Call, Loads, Program};
use crate::effects::{FileEffect, Touch, all};
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OPTIONS,
        // `-F` takes code, and the debugger reads commands.
        code: |call| code(call, &Interpreter { code: "eEMmFd", valued: "I", glued: "CDVix", ..Interpreter::PLAIN }),
        takes_script: true,
        touches: edited,
        loads: Loads { arguments: true, names: &[".perldb"], ends: &[".pm", ".pl"], ..Loads::NOTHING },
        ..Program::of(&["perl"])
    },
    Program {
        options: OPTIONS,
        code: |call| code(call, &Interpreter { code: "e", valued: "IrCEX", glued: "Fix", ..Interpreter::PLAIN }),
        takes_script: true,
        touches: edited,
        first_is_script: true,
        loads: Loads { arguments: true, ends: &[".rb"], ..Loads::NOTHING },
        ..Program::of(&["ruby"])
    },
];

const OPTIONS: OptionSpec = OptionSpec::new("eEIMmr", &[], &[]).glued("i0lFDxCK");

/// The files that a script edits in place; the first operand is the script.
fn edited(call: &Call<'_>) -> Vec<FileEffect> {
    let given = call.given();
    let edits = given.has('i', "");
    all(Touch::Write, given.but_first().filter(|_| edits)).collect()
}
