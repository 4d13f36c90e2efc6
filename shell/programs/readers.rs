//! Programs that read the files that their operands name, and change none.

use super::program::{Call, Program};
use crate::effects::{FileEffect, Touch, all, read_somewhere};
use crate::options::{Given, OptionSpec, long, short};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        touches: read,
        ..Program::reader(&[
            "cat", "head", "tail", "more", "tac", "nl", "cut", "diff", "cmp", "od", "strings", "base64", "file",
        ])
    },
    Program { options: OptionSpec::new("", &["files0-from", "total"], &[]), touches: read, ..Program::reader(&["wc"]) },
    Program {
        options: OptionSpec::new("oOpPtTbhjkxyzD", &["log-file", "LOG-FILE", "pattern", "prompt"], &[]),
        code: |call| call.says(Ok(call.arguments.iter().find(|word| is_key(&word.value)))),
        touches: |call| {
            let logs = [('o', "log-file"), ('O', "LOG-FILE")];
            read(call).into_iter().chain(written(call.given(), &logs)).collect()
        },
        ..Program::reader(&["less"])
    },
    Program::reader(&[
        "comm",
        "join",
        "paste",
        "hexdump",
        "base32",
        "md5sum",
        "sha1sum",
        "sha224sum",
        "sha256sum",
        "sha384sum",
        "sha512sum",
        "b2sum",
        "cksum",
        "sum",
        "shasum",
        "md5",
        "column",
        "fold",
        "fmt",
        "expand",
        "unexpand",
        "rev",
        "look",
        "bat",
        "batcat",
        "cloc",
        "tokei",
        "wdiff",
        "colordiff",
        "zcat",
        "bzcat",
        "xzcat",
        "zstdcat",
        "zless",
        "date",
        "hostname",
        "shellcheck",
        "identify",
    ]),
    Program { names_files: |call| changed_by(call, "i", &["inplace", "in-place"]), ..Program::of(&["yamllint"]) },
];

/// All operands are read, and the files whose names are in a file.
pub(super) fn read(call: &Call<'_>) -> Vec<FileEffect> {
    let given = call.given();
    all(Touch::Read, given.files()).chain(listed(given)).collect()
}

/// Files whose names are listed in a file.
pub(super) fn listed(given: &Given<'_>) -> Option<FileEffect> {
    given.has(' ', "files0-from").then(read_somewhere)
}

/// The files that are the values of options, and written.
pub(super) fn written(given: &Given<'_>, options: &[(char, &str)]) -> Vec<FileEffect> {
    let files = options.iter().flat_map(|(letter, long)| given.values(*letter, long));
    all(Touch::Write, files.filter(|word| word.value != "-")).collect()
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
