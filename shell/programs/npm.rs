//! `npm` and its relatives.

use super::code::{is_option, named};
use super::program::{Naming, Program};
use super::spellings::renamed;
use crate::words::{Expands, Word};

pub(super) const PROGRAMS: &[Program] = &[
    Program { has_subcommands: true, ..of(&["npm"]) },
    // They run a program of the project if it has the name of a subcommand that they do not know.
    of(&["pnpm", "yarn"]),
    Program { spellings: |call| renamed(call, &["npm", "exec"]), ..Program::of(&["npx"]) },
    Program { spellings: |call| renamed(call, &["pnpm", "dlx"]), ..Program::of(&["pnpx"]) },
    Program { spellings: |call| renamed(call, &["bun", "x"]), ..Program::of(&["bunx"]) },
];

const fn of(names: &'static [&'static str]) -> Program {
    Program { code: |call| call.says(Ok(named_program(call.arguments))), namings: NAMES, ..Program::of(names) }
}

pub(super) const NAMES: &[Naming] = &[Naming {
    subcommands: &[
        "install",
        "i",
        "add",
        "uninstall",
        "remove",
        "rm",
        "update",
        "outdated",
        "ls",
        "list",
        "why",
        "view",
        "info",
        "search",
    ],
    flags: &[
        "-D",
        "-d",
        "-g",
        "-E",
        "--dev",
        "--global",
        "--save",
        "--save-dev",
        "--save-exact",
        "--no-audit",
        "--no-fund",
    ],
    valued: &[],
}];

/// Options that name a program.
const OPTIONS: &[&str] = &["script-shell", "editor", "shell", "viewer", "node-gyp"];

/// A subcommand that runs a program.
struct RunningSubcommand {
    names: &'static [&'static str],
    options: &'static [&'static str],
    /// Words that follow; any word, if neither is listed.
    keys: &'static [&'static str],
}

const RUNNING: &[RunningSubcommand] = &[
    RunningSubcommand { names: &["exec", "x"], options: &["c", "call"], keys: &[] },
    RunningSubcommand { names: &["explore"], options: &[], keys: &[] },
    RunningSubcommand {
        names: &["config", "c", "set"],
        options: &[],
        keys: &["script-shell", "editor", "shell", "viewer", "git", "node-gyp", "node-options", "browser"],
    },
];

/// Finds the word that names a program.
fn named_program(words: &[Word]) -> Option<&Word> {
    named(words, OPTIONS, &[]).or_else(|| run_by_subcommand(words))
}

/// Finds the word behind a subcommand that names a program.
fn run_by_subcommand(words: &[Word]) -> Option<&Word> {
    let operand = |word: &&Word| !word.value.starts_with('-');
    let own = || words.iter().take_while(|word| word.value != "--");
    // After an option, the first word may be the value of that option.
    let commands = if words.first().is_some_and(|word| operand(&word)) { 1 } else { words.len() };
    let mut searched = [false; RUNNING.len()];
    words.iter().enumerate().filter(|(_, word)| operand(word)).take(commands).find_map(|(at, command)| {
        let name = command.value.as_str();
        let is = |known: &&str| *known == name || (name.len() > 1 && known.starts_with(name));
        let row = RUNNING.iter().position(|row| row.names.iter().any(is))?;
        let RunningSubcommand { options, keys, .. } = RUNNING.get(row)?;
        // A condition that failed for an earlier word also fails for this one.
        if std::mem::replace(searched.get_mut(row)?, true) {
            return None;
        }
        let names_program = |word: &&Word| {
            keys.is_empty() && options.is_empty() || keys.contains(&word.value.split('=').next().unwrap_or_default())
        };
        let open = |word: &&Word| {
            let expands = word.spans.first().is_some_and(|span| span.start == 0 && span.what == Expands::Other);
            expands && !word.given
        };
        let behind = words.iter().skip(at + 1).filter(operand).find(names_program);
        behind.or_else(|| own().find(|word| is_option(word, options))).or_else(|| own().skip(at + 1).find(open))
    })
}
