//! `sort`, `uniq` and `shuf`.

use super::code::option;
use super::program::Program;
use super::readers::{listed, written};
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
        touches: |call| {
            let given = call.given();
            let written = all(Touch::Write, given.values('o', "output"));
            all(Touch::Read, given.files()).chain(written).chain(listed(given)).collect()
        },
        ..Program::reader(&["sort"])
    },
    Program {
        options: OptionSpec::new("fsw", &["skip-fields", "skip-chars", "check-chars"], &["all-repeated", "group"]),
        touches: |call| second(call.given()),
        ..Program::reader(&["uniq"])
    },
    Program {
        options: OptionSpec::new("oni", &["output", "head-count", "input-range", "random-source"], &[]),
        touches: |call| written(call.given(), &[('o', "output")]),
        ..Program::of(&["shuf"])
    },
];

/// All operands are read and the second is written.
pub(super) fn second(given: &Given<'_>) -> Vec<FileEffect> {
    let perhaps = |word: &&Word| (Touch::Write, (*word).clone(), Extent::Perhaps);
    // `+N` is an obsolete option.
    let operands: Vec<_> = given.operands.iter().copied().filter(|word| !word.value.starts_with('+')).collect();
    let writes: Vec<_> = match given.unsure {
        Some(_) => operands.iter().map(perhaps).collect(),
        None => all(Touch::Write, operands.get(1).copied()).collect(),
    };
    all(Touch::Read, given.files()).chain(writes).collect()
}
