//! `split` and `csplit`.

use super::code::option;
use super::program::{Call, Program};
use crate::effects::{FileEffect, Touch, all, begun, named};
use crate::options::{Given, OptionSpec};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new(
            "abClnt",
            &["suffix-length", "additional-suffix", "bytes", "line-bytes", "lines", "number", "separator", "filter"],
            &["numeric-suffixes", "hex-suffixes"],
        ),
        code: |call| call.says(option(call.given(), "", &["filter"])),
        touches: split,
        ..Program::of(&["split"])
    },
    Program {
        options: OptionSpec::new("bfn", &["prefix", "suffix-format", "digits"], &[]),
        touches: csplit,
        ..Program::of(&["csplit"])
    },
];

fn split(call: &Call<'_>) -> Vec<FileEffect> {
    let given = call.given();
    let prefix = given.operands.get(1).map_or_else(|| Word::literal("x"), |word| (*word).clone());
    reads(given).chain([begun(&prefix)]).collect()
}

fn csplit(call: &Call<'_>) -> Vec<FileEffect> {
    let given = call.given();
    let prefix = given.values('f', "prefix").last().cloned().unwrap_or_else(|| Word::literal("xx"));
    reads(given).chain([begun(&prefix)]).collect()
}

fn reads(given: &Given<'_>) -> impl Iterator<Item = FileEffect> {
    all(Touch::Read, named(given.operands.first().copied().into_iter()))
}
