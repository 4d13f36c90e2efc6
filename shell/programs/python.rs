//! Python.

use super::code::InlineCode;
use super::interpreter::{Interpreter, code};
use super::pip;
use super::program::{Call, Loads, Program};
use crate::effects::{Extent, FileEffect, Touch};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program {
    code: |call| code(call, &PYTHON),
    spellings,
    takes_script: true,
    touches: unpacked,
    first_is_script: true,
    loads: Loads { arguments: true, ends: &[".py", ".pth"], ..Loads::NOTHING },
    ..Program::of(&["python", "pypy"])
}];

const PYTHON: Interpreter = Interpreter {
    code: "c",
    valued: "WXQ",
    valued_long: &["check-hash-based-pycs"],
    program: "m",
    asks: "i",
    v_is_verbose: true,
    module,
    ..Interpreter::PLAIN
};

/// A module is mostly a program of the same name.
fn spellings(call: &Call<'_>) -> Vec<Vec<Word>> {
    let mut rest = call.arguments.iter();
    while let Some(word) = rest.next().filter(|word| !word.is_dynamic()) {
        let module = match word.value.as_str() {
            "-m" => rest.next().cloned(),
            "-W" | "-X" => {
                rest.next();
                continue;
            }
            value if value.starts_with("-m") => Some(word.tail(2)),
            value if value.len() > 1 && value.starts_with('-') && !value.contains('c') => continue,
            _ => None,
        };
        return module.map(|module| std::iter::once(module).chain(rest.cloned()).collect()).into_iter().collect();
    }
    Vec::new()
}

/// Modules that take code from an argument or their input, or that run another module.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "code", "timeit", "pdb", "bdb", "asyncio", "trace", "IPython", "ptpython", "bpython", "cProfile", "profile",
    "runpy", "idlelib", "imaplib", "pickle", "smtpd",
];

/// Modules that unpack archives.
const UNPACKERS: &[&str] = &["zipfile", "tarfile", "shutil"];

fn module(call: &Call<'_>, module: &str, rest: &[Word]) -> InlineCode {
    if module == "pip" {
        return call.says(Ok(pip::named_program(rest)));
    }
    if RUNNERS.contains(&module.split('.').next().unwrap_or(module)) {
        return InlineCode::Not(format!("`{} -m {module}`", call.name));
    }
    InlineCode::Plain
}

/// Any file below the arguments and the working directory may change, if a module unpacks an archive.
fn unpacked(call: &Call<'_>) -> Vec<FileEffect> {
    if !call.arguments.iter().any(|word| UNPACKERS.contains(&word.value.trim_start_matches("-m"))) {
        return Vec::new();
    }
    let here = Word::literal(".");
    call.arguments.iter().chain([&here]).map(|word| (Touch::Name, word.clone(), Extent::Below)).collect()
}
