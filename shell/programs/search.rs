//! `grep` and its relatives.

use super::code::option;
use super::program::{Call, Program, TextWords};
use crate::effects::Extent;
use crate::options::OptionSpec;
use crate::words::Word;

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
        walks: |call| {
            let given = call.given();
            let recurses = |value: &Word| value.is_dynamic() || "recurse".starts_with(&value.value);
            let directories = given.values('d', "directories").any(recurses);
            let recursive = given.has('r', "recursive") || given.has('R', "dereference-recursive") || directories;
            recursive.then_some(Extent::Walked)
        },
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
        walks: |call| {
            let given = call.given();
            let lists = given.has(' ', "files") || given.has(' ', "type-list");
            let no_ignore = call.arguments.iter().any(|word| word.value.starts_with("--no-ignore"));
            // A file that matches a glob is searched even if it is hidden or ignored.
            let names = given.values('g', "glob").any(|glob| !glob.value.starts_with('!')) || given.has(' ', "iglob");
            let whole = no_ignore || names || given.has('u', "unrestricted") || given.has('.', "hidden");
            searched(call, if whole { Extent::Walked } else { Extent::Visible }).filter(|_| !lists)
        },
        texts: |_| &TEXTS,
        ..Program::reader(&["rg"])
    },
    Program { walks: |call| searched(call, Extent::Walked), texts: |_| &TEXTS, ..Program::reader(&["ag", "ack"]) },
];

/// Returns `None` for a search of standard input: a call that has an input and no file or folder.
fn searched(call: &Call<'_>, extent: Extent) -> Option<Extent> {
    let reads_input = call.is_fed && call.given().operands.len() < 2;
    (!reads_input).then_some(extent)
}
