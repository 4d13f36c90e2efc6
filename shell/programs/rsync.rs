//! `rsync`, `scp`, `sftp` and `ssh`.

use super::code::option;
use super::copy::{CopyOperands, is_recursive};
use super::program::{OptionNames, Program, TextWords};
use crate::effects::{Extent, FileEffect, Touch, all, read_somewhere, removed, walked};
use crate::options::{Given, OptionSpec};
use crate::words::Word;

/// Keys that are only used.
const KEYS: TextWords = TextWords { options: KEY, ..TextWords::NONE };
const KEY: &[OptionNames] = &[('i', "")];

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new(
            "efBTM",
            &[
                "rsh",
                "rsync-path",
                "filter",
                "exclude",
                "exclude-from",
                "include",
                "include-from",
                "files-from",
                "log-file",
                "log-file-format",
                "write-batch",
                "only-write-batch",
                "read-batch",
                "backup-dir",
                "partial-dir",
                "temp-dir",
                "compare-dest",
                "copy-dest",
                "link-dest",
                "port",
                "timeout",
                "contimeout",
                "bwlimit",
                "chmod",
                "chown",
                "suffix",
                "max-size",
                "min-size",
                "out-format",
                "password-file",
            ],
            &["backup"],
        ),
        code: |call| call.says(option(call.given(), "e", &["rsh", "rsync-path"])),
        writes: &[(' ', "log-file"), (' ', "write-batch"), (' ', "only-write-batch")],
        touches: |call| copied(call.given()),
        texts: |_| &TextWords { options: &[(' ', "exclude"), (' ', "include")], ..TextWords::NONE },
        ..Program::of(&["rsync"])
    },
    Program {
        options: OptionSpec::new("cDFiJloPSX", &[], &[]),
        code: |call| call.says(option(call.given(), "oFSD", &[])),
        touches: |call| copied(call.given()),
        texts: |_| &KEYS,
        ..Program::of(&["scp"])
    },
    Program {
        code: |call| call.says(option(call.given(), "oFSD", &[])),
        runs_input: true,
        texts: |_| &KEYS,
        ..Program::of(&["sftp"])
    },
    Program {
        options: OptionSpec::new("BbcDEeFIiJLlmOopQRSWw", &[], &[]),
        code: |call| call.says(option(call.given(), "oF", &[])),
        writes: &[('E', "")],
        texts: |_| &KEYS,
        ..Program::of(&["ssh"])
    },
];

/// The sources and targets of a copy between machines.
fn copied(given: &Given<'_>) -> Vec<FileEffect> {
    let Some((target, sources)) = given.operands.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        return Vec::new();
    };
    if given.only('n', "dry-run") || given.only(' ', "list-only") {
        return Vec::new();
    }
    let local: Vec<_> = sources.iter().copied().filter(|word| host(word).is_none()).collect();
    let removes = given.has(' ', "remove-source-files");
    let gone = removed(local.iter().copied().filter(|_| removes));
    let made = if host(target).is_some() {
        Vec::new()
    } else {
        CopyOperands::of(given).fetched(|word| host(word).unwrap_or(0))
    };
    let recursive = is_recursive(given);
    let walked = walked(Extent::Walked, local.iter().copied().filter(|_| recursive));
    let listed = given.has(' ', "files-from").then(read_somewhere);
    all(Touch::Read, local.iter().copied()).chain(walked).chain(listed).chain(made).chain(gone).collect()
}

/// The position of the path after a host name; absent if there is no host name.
fn host(word: &Word) -> Option<usize> {
    let at = word.value.find(':')?;
    word.value.get(..at).is_some_and(|host| !host.contains('/')).then_some(at + 1)
}
