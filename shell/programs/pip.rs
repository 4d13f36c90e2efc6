//! `pip` and its relatives.

use super::code::named;
use super::program::{Naming, Program};
use super::spellings::renamed;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        code: |call| call.says(Ok(named_program(call.arguments))),
        has_subcommands: true,
        namings: &[Naming {
            subcommands: &["install", "uninstall", "show", "download", "search"],
            flags: &["-U", "-q", "-y", "--upgrade", "--user", "--quiet", "--yes", "--pre"],
            valued: &[],
        }],
        spellings: |call| if call.name == "pip" { Vec::new() } else { renamed(call, &["pip"]) },
        ..Program::of(&["pip"])
    },
    Program {
        code: |call| call.says(Ok(named_program(call.arguments))),
        has_subcommands: true,
        namings: &[Naming { subcommands: &["install", "uninstall"], flags: &[], valued: &[] }],
        ..Program::of(&["pipx"])
    },
    Program {
        has_subcommands: true,
        namings: &[Naming { subcommands: &["add", "remove"], flags: &["--dev", "-D"], valued: &["--group", "-G"] }],
        ..Program::of(&["uv", "poetry"])
    },
];

/// Finds the option that names a program.
pub(super) fn named_program(words: &[Word]) -> Option<&Word> {
    named(words, &["python", "editor"], &[])
}
