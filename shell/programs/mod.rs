//! The programs that are known, and the search for one by its name.

mod apt;
mod archives;
mod awk;
mod busybox;
mod cargo;
mod code;
mod command;
mod compilers;
mod compress;
mod containers;
mod copy;
mod create;
mod curl;
mod databases;
mod dd;
mod documents;
mod editors;
mod env;
mod export;
mod family;
mod find;
mod flock;
mod git;
mod go;
mod gpg;
mod hyperfine;
mod index;
mod inside;
mod interpreter;
mod interpreters;
mod jobs;
mod jq;
mod listers;
mod make;
mod namespaces;
mod nice;
mod node;
mod npm;
mod patch;
mod perl;
mod pip;
mod printf;
mod program;
mod python;
mod read;
mod readers;
mod remove;
mod revisions;
mod rights;
mod rsync;
mod runners;
mod rustup;
mod search;
mod sed;
mod set;
mod shell_words;
mod shells;
mod snaphook;
mod sort;
mod spellings;
mod split;
mod strace;
mod sudo;
mod tar;
mod test;
mod timeout;
mod tools;
mod uploads;
mod watch;
mod wget;
mod wrapper;
mod xargs;
mod xxd;

pub(crate) use code::InlineCode;
pub(crate) use inside::{At, Inner};
pub(crate) use program::{Call, Loads, Naming, Program};
pub(crate) use read::{set_by_read, sets_variables};
pub(crate) use shells::is_command_flag;
pub use spellings::other_spellings;
pub(crate) use spellings::without_others_between;

use index::ProgramIndex;

use crate::base_name;
use crate::words::Word;

/// The programs of each file.
const ALL: &[&[Program]] = &[
    apt::PROGRAMS,
    archives::PROGRAMS,
    awk::PROGRAMS,
    busybox::PROGRAMS,
    cargo::PROGRAMS,
    command::PROGRAMS,
    compilers::PROGRAMS,
    compress::PROGRAMS,
    containers::PROGRAMS,
    copy::PROGRAMS,
    create::PROGRAMS,
    curl::PROGRAMS,
    databases::PROGRAMS,
    dd::PROGRAMS,
    documents::PROGRAMS,
    editors::PROGRAMS,
    env::PROGRAMS,
    export::PROGRAMS,
    find::PROGRAMS,
    flock::PROGRAMS,
    git::PROGRAMS,
    go::PROGRAMS,
    gpg::PROGRAMS,
    hyperfine::PROGRAMS,
    interpreters::PROGRAMS,
    jobs::PROGRAMS,
    jq::PROGRAMS,
    listers::PROGRAMS,
    make::PROGRAMS,
    namespaces::PROGRAMS,
    nice::PROGRAMS,
    node::PROGRAMS,
    npm::PROGRAMS,
    patch::PROGRAMS,
    perl::PROGRAMS,
    pip::PROGRAMS,
    printf::PROGRAMS,
    python::PROGRAMS,
    read::PROGRAMS,
    readers::PROGRAMS,
    remove::PROGRAMS,
    revisions::PROGRAMS,
    rights::PROGRAMS,
    rsync::PROGRAMS,
    runners::PROGRAMS,
    rustup::PROGRAMS,
    search::PROGRAMS,
    sed::PROGRAMS,
    set::PROGRAMS,
    shell_words::PROGRAMS,
    shells::PROGRAMS,
    snaphook::PROGRAMS,
    sort::PROGRAMS,
    split::PROGRAMS,
    strace::PROGRAMS,
    sudo::PROGRAMS,
    tar::PROGRAMS,
    test::PROGRAMS,
    timeout::PROGRAMS,
    tools::PROGRAMS,
    uploads::PROGRAMS,
    watch::PROGRAMS,
    wget::PROGRAMS,
    xargs::PROGRAMS,
    xxd::PROGRAMS,
];

const INDEX: &ProgramIndex<{ ProgramIndex::<0>::count(ALL) }> = &ProgramIndex::new(ALL);

/// Returns what is known of a program, by its name without a folder, or by the name that it is a version of.
pub(crate) fn program(name: &str) -> &'static Program {
    const UNKNOWN: &Program = &Program::of(&[]);
    let find = |name: &str| INDEX.find(name).or_else(|| INDEX.find(family::family(name)));
    // On Windows, and in WSL, programs have an extension and names are case-insensitive.
    let windows = name.len().checked_sub(4).and_then(|at| name.split_at_checked(at));
    match windows.filter(|(_, end)| end.eq_ignore_ascii_case(".exe")) {
        Some((name, _)) => find(&name.to_ascii_lowercase()),
        None => find(name),
    }
    .unwrap_or(UNKNOWN)
}

/// Reads a command as a call of its program; absent if it has no words.
pub(crate) fn call(words: &[Word]) -> Option<Call<'_>> {
    let word = words.first()?;
    let name = base_name(&word.value);
    Some(Call::new(program(name), name, word, words))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_belongs_to_one_program() {
        let mut names = HashSet::new();
        for program in ALL.iter().copied().flatten() {
            for name in program.names {
                assert!(names.insert(*name), "{name}");
                assert_eq!(super::program(name).names, program.names, "{name}");
            }
        }
    }

    #[test]
    fn versions_and_builds_are_found_by_their_program() {
        for (name, known) in [
            ("python3.12", "python"),
            ("vim.basic", "vim"),
            ("gfind", "find"),
            ("x86_64-linux-gnu-gcc-13", "gcc"),
            ("sha256sum", "sha256sum"),
            ("ld-linux-x86-64.so.2", "ld.so"),
            ("Bash.EXE", "bash"),
        ] {
            assert_eq!(program(name).names, program(known).names, "{name}");
            assert!(!program(name).names.is_empty(), "{name}");
        }
        assert!(program("frob").names.is_empty() && program("").names.is_empty());
    }
}
