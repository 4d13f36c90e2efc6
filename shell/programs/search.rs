//! `grep` and its relatives.

use super::code::option;
use super::program::{Program, TextWords};
use crate::options::OptionSpec;

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
        reads: &[('f', "file")],
        texts: |_| &TEXTS,
        ..Program::reader(&["grep", "egrep", "fgrep", "zgrep"])
    },
    Program {
        options: OptionSpec::new(
            "efgmtTABCEMdjr",
            &["regexp", "file", "glob", "max-count", "type", "type-not"],
            &["files"],
        ),
        code: |call| call.says(option(call.given(), "", &["pre", "hostname-bin"])),
        reads: &[('f', "file")],
        texts: |_| &TEXTS,
        ..Program::reader(&["rg"])
    },
    Program { texts: |_| &TEXTS, ..Program::reader(&["ag", "ack"]) },
];
