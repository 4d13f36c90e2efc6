//! `git`.

mod call;
mod code;
mod files;

use call::{GLOBAL, GitCall, call};
use code::code;
use files::operands;

use super::program::{Call, Loads, Naming, OptionNames, Program, TextWords};
use crate::effects::Touch;
use crate::options::given;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program {
    options: GLOBAL,
    code: |call| call.says(code(call.arguments)),
    touches: |call| operands(call.arguments),
    operands: |call| if only_reads(call.arguments) { Touch::MayRead } else { Touch::Name },
    texts,
    has_subcommands: true,
    namings: &[
        Naming {
            subcommands: &["checkout", "switch", "merge", "cherry-pick", "restore", "pull"],
            flags: &[
                "-b",
                "-B",
                "-c",
                "-C",
                "-d",
                "-D",
                "-m",
                "-M",
                "-u",
                "-a",
                "-l",
                "--set-upstream",
                "--delete",
                "--list",
                "--no-ff",
            ],
            valued: &[],
        },
        Naming {
            subcommands: &["commit"],
            flags: &["-a", "-s", "-q", "-v", "--all", "--amend", "--signoff", "--allow-empty", "--no-edit", "--quiet"],
            valued: &["-m", "-am", "-sm", "-asm", "--message"],
        },
    ],
    loads: Loads { names: STARTED, folder: Some(".git"), ..Loads::NOTHING },
    ..Program::of(&["git"])
}];

/// Options whose value is text.
const TEXT: &[OptionNames] = &[('S', ""), ('G', ""), (' ', "grep"), (' ', "author"), (' ', "format"), (' ', "pretty")];
const MESSAGE: &[OptionNames] = &[('m', "message"), (' ', "author"), (' ', "date")];

/// Subcommands with a message.
const WITH_MESSAGE: &[&str] = &["commit", "merge", "notes", "stash", "tag"];

/// Subcommands whose words name no file that is read.
#[rustfmt::skip]
const WITHOUT_FILES: &[&str] = &[
    "branch", "check-attr", "check-ignore", "describe", "fetch", "for-each-ref", "gc", "help", "ls-files", "ls-remote",
    "ls-tree", "merge-base", "name-rev", "push", "reflog", "remote", "rev-list", "rev-parse", "rm", "show-ref", "status",
    "symbolic-ref", "tag", "update-ref", "var", "version",
];

fn texts(call: &Call<'_>) -> &'static TextWords {
    match (is_any_of(call.arguments, WITHOUT_FILES), is_any_of(call.arguments, WITH_MESSAGE)) {
        (true, true) => &TextWords { options: MESSAGE, ..TextWords::ALL },
        (true, false) => &TextWords { options: TEXT, ..TextWords::ALL },
        (false, true) => &TextWords { options: MESSAGE, ..TextWords::NONE },
        (false, false) => &TextWords { options: TEXT, ..TextWords::NONE },
    }
}

/// Settings, and the hooks that git runs from the folder `hooks` of its repository.
#[rustfmt::skip]
const STARTED: &[&str] = &[
    "config", ".gitconfig", "config.worktree", "hooks",
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
    "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
    "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
    "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist",
    "p4-post-changelist", "p4-pre-submit", "post-index-change",
];

/// Subcommands that change no file of the working tree named by a word, beyond those in [`operands`].
#[rustfmt::skip]
const READERS: &[&str] = &[
    "", "add", "annotate", "blame", "branch", "bugreport", "cat-file", "check-attr", "check-ignore", "cherry",
    "commit", "config", "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree", "fetch",
    "for-each-ref", "fsck", "gc", "grep", "hash-object", "help", "log", "ls-files", "ls-remote", "ls-tree",
    "merge-base", "name-rev", "notes", "push", "range-diff", "reflog", "remote", "rev-list", "rev-parse", "shortlog",
    "show", "show-ref", "status", "symbolic-ref", "tag", "update-index", "update-ref", "var", "version",
    "whatchanged", "write-tree",
];

/// Returns true if a call changes no file that a word names, beyond those in [`operands`].
fn only_reads(words: &[Word]) -> bool {
    let Ok(GitCall { command, rest, .. }) = call(words) else { return false };
    let index = || given(&GLOBAL, rest).only(' ', "cached");
    let shows = || rest.first().is_some_and(|word| matches!(word.value.as_str(), "list" | "show"));
    READERS.contains(&command) || (command == "rm" && index()) || (matches!(command, "stash" | "worktree") && shows())
}

/// Returns true if a call is known to be one of these subcommands.
fn is_any_of(words: &[Word], names: &[&str]) -> bool {
    call(words).is_ok_and(|call| names.contains(&call.command))
}
