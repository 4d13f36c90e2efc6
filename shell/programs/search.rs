//! `grep` and its relatives.

use super::code::option;
use super::program::{Program, TextWords};
use crate::effects::{FileEffect, Touch, all};
use crate::options::{Given, OptionSpec};

const TEXTS: TextWords = TextWords {
    first: Some(&[('e', "regexp"), ('f', "file")]),
    options: &[('e', "regexp"), (' ', "exclude"), (' ', "include"), ('g', "glob")],
    ..TextWords::NONE
};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new(
            "efmABCdD",
            &["regexp", "file", "max-count", "after-context", "before-context", "context", "label", "exclude-from"],
            &["color", "colour", "binary-files", "include", "exclude", "exclude-dir", "files-with-matches"],
        ),
        touches: |call| searched(call.given()),
        texts: |_| &TEXTS,
        ..Program::reader(&["grep", "egrep", "fgrep"])
    },
    Program {
        options: OptionSpec::new(
            "efgmtTABCEMdjr",
            &["regexp", "file", "glob", "max-count", "type", "type-not"],
            &["files"],
        ),
        code: |call| call.says(option(call.given(), "", &["pre", "hostname-bin"])),
        touches: |call| searched(call.given()),
        texts: |_| &TEXTS,
        ..Program::reader(&["rg"])
    },
    Program { texts: |_| &TEXTS, ..Program::reader(&["ag", "ack", "zgrep"]) },
];

/// The search pattern is the first operand, unless an option gives it.
pub(super) fn searched(given: &Given<'_>) -> Vec<FileEffect> {
    let lists = given.values('f', "file");
    let named = given.has('e', "regexp") || given.has('f', "file");
    if named || given.unsure.is_some() {
        return all(Touch::Read, lists.chain(given.files())).collect();
    }
    all(Touch::Read, lists).chain(all(Touch::Read, given.but_first())).collect()
}
