//! Programs that read the files that their operands name, and change none.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, Touch, read_somewhere};
use crate::options::{OptionSpec, long, short};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new("", &["files0-from", "total"], &[]),
        touches: listed,
        ..Program::reader(&["wc"])
    },
    Program {
        options: OptionSpec::new("oOpPtTbhjkxyzD", &["log-file", "LOG-FILE", "pattern", "prompt"], &[]),
        code: |call| call.says(Ok(call.arguments.iter().find(|word| is_key(&word.value)))),
        writes: &[('o', "log-file"), ('O', "LOG-FILE")],
        ..Program::reader(&["less"])
    },
    Program::reader(READERS),
    Program {
        walks: |call| call.given().has('r', "recursive").then_some(Extent::Walked),
        ..Program::reader(&["diff", "colordiff"])
    },
    // Their operands are not files, but the values of their options may be.
    Program { operands: |_| Touch::MayRead, ..Program::of(&["date", "hostname"]) },
    Program { operands: |call| changed_by(call, "i", &["inplace", "in-place"]), ..Program::of(&["yamllint"]) },
];

#[rustfmt::skip]
const READERS: &[&str] = &[
    "cat", "head", "tail", "more", "tac", "nl", "cut", "cmp", "od", "strings", "base64", "file", "comm",
    "join", "paste", "hexdump", "base32", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum",
    "b2sum", "cksum", "sum", "shasum", "md5", "column", "fold", "fmt", "expand", "unexpand", "rev", "look", "bat",
    "batcat", "cloc", "tokei", "wdiff", "zcat", "bzcat", "xzcat", "zstdcat", "zless", "shellcheck",
    "identify",
];

/// Files whose names are listed in a file.
pub(super) fn listed(call: &Call<'_>) -> Vec<FileEffect> {
    call.given().has(' ', "files0-from").then(read_somewhere).into_iter().collect()
}

/// A program that only reads, unless one of the options is given.
pub(super) fn changed_by(call: &Call<'_>, letters: &str, longs: &[&str]) -> Touch {
    let changes = call.arguments.iter().any(|word| short(&word.value, letters) || long(&word.value, longs));
    if changes { Touch::Name } else { Touch::MayRead }
}

/// Key presses for a pager, or a file that defines them.
fn is_key(word: &str) -> bool {
    let names = ["lesskey-src", "lesskey-content", "lesskey-file"];
    (word.starts_with('+') && word.contains(['!', '|', '#'])) || long(word, &names) || short(word, "k")
}
