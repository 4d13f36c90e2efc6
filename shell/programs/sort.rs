//! `sort`, `uniq` and `shuf`.

use super::code::option;
use super::program::Program;
use super::readers::listed;
use crate::effects::{Extent, FileEffect, Touch, all};
use crate::options::{Given, OptionSpec};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new(
            "kStTo",
            &[
                "key",
                "buffer-size",
                "field-separator",
                "temporary-directory",
                "output",
                "compress-program",
                "batch-size",
                "parallel",
                "random-source",
                "files0-from",
                "sort",
            ],
            &["check"],
        ),
        code: |call| call.says(option(call.given(), "", &["compress-program"])),
        // `-` is a file here.
        touches: |call| all(Touch::Write, call.given().values('o', "output")).chain(listed(call)).collect(),
        ..Program::reader(&["sort"])
    },
    Program {
        options: OptionSpec::new("fsw", &["skip-fields", "skip-chars", "check-chars"], &["all-repeated", "group"]),
        touches: |call| second(call.given()),
        ..Program::reader(&["uniq"])
    },
    Program {
        options: OptionSpec::new("oni", &["output", "head-count", "input-range", "random-source"], &[]),
        writes: &[('o', "output")],
        ..Program::of(&["shuf"])
    },
];

/// The second operand is written.
pub(super) fn second(given: &Given<'_>) -> Vec<FileEffect> {
    let perhaps = |word: &&Word| (Touch::Write, (*word).clone(), Extent::Perhaps);
    // `+N` is an obsolete option.
    let operands: Vec<_> = given.operands.iter().copied().filter(|word| !word.value.starts_with('+')).collect();
    match given.unsure {
        Some(_) => operands.iter().map(perhaps).collect(),
        None => all(Touch::Write, operands.get(1).copied()).collect(),
    }
}
