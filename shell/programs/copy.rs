//! `cp`, `mv`, `ln` and `install`.

use super::code::option;
use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, Touch, all, concat, last, walked, within, written_below};
use crate::options::{Given, OptionSpec, long, short};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new(
            "St",
            &["suffix", "target-directory", "sparse", "no-preserve"],
            &["backup", "preserve", "reflink", "context", "update"],
        ),
        touches: |call| {
            let given = call.given();
            // A write through a hard link changes the original file.
            let links = given.has('l', "link");
            let linked = all(Touch::Name, given.files().filter(|_| links));
            CopyOperands::of(given).copied().into_iter().chain(linked).collect()
        },
        links: |call| {
            let links = |word: &Word| short(&word.value, "sl") || long(&word.value, &["symbolic-link", "link"]);
            call.arguments.iter().any(links)
        },
        only_handles_files: true,
        ..Program::of(&["cp"])
    },
    Program {
        options: MOVE,
        touches: |call| CopyOperands::of(call.given()).moved(),
        only_handles_files: true,
        ..Program::of(&["mv"])
    },
    Program { options: MOVE, touches: linked, links: |_| true, only_handles_files: true, ..Program::of(&["ln"]) },
    Program { touches: linked, links: |_| true, ..Program::of(&["link"]) },
    Program {
        options: OptionSpec::new(
            "gmoSt",
            &["group", "mode", "owner", "suffix", "target-directory", "strip-program"],
            &["backup", "context", "strip"],
        ),
        code: |call| call.says(option(call.given(), "", &["strip-program"])),
        touches: |call| {
            let given = call.given();
            if given.has('d', "directory") {
                return all(Touch::Make, given.files()).collect();
            }
            CopyOperands::of(given).installed()
        },
        only_handles_files: true,
        ..Program::of(&["install"])
    },
];

const MOVE: OptionSpec = OptionSpec::new("St", &["suffix", "target-directory"], &["backup", "update", "symbolic"]);

fn linked(call: &Call<'_>) -> Vec<FileEffect> {
    CopyOperands::of(call.given()).to(Touch::Write)
}

pub(super) fn is_recursive(given: &Given<'_>) -> bool {
    let asked = given.has('r', "recursive") || given.has('R', "") || given.has('a', "archive");
    asked || given.operands.iter().any(|word| word.unseen)
}

/// The operands of a program that copies, moves or links.
pub(super) struct CopyOperands {
    /// The value of `-t`.
    folder: Option<Word>,
    sources: Vec<Word>,
    /// The last operand, if there is no `-t`.
    target: Option<Word>,
    /// True if a source keeps its parent folders.
    parents: bool,
    recursive: bool,
    /// The possible suffixes of backup files; absent if there are too many.
    suffixes: Option<Vec<Word>>,
    /// True if the target operand is unknown.
    unsure: bool,
}

impl CopyOperands {
    pub(super) fn of(given: &Given<'_>) -> Self {
        let folder = given.values('t', "target-directory").last().cloned();
        let mut sources: Vec<Word> = given.files().cloned().collect();
        let target = if folder.is_none() && sources.len() > 1 { sources.pop() } else { None };
        let recursive = is_recursive(given);
        let suffixes = suffixes(given.values('S', "suffix"));
        let (parents, unsure) = (given.has(' ', "parents"), given.unsure.is_some());
        Self { folder, sources, target, parents, recursive, suffixes, unsure }
    }

    fn copied(&self) -> Vec<FileEffect> {
        let walked = walked(Extent::Walked, self.sources.iter().filter(|_| self.recursive));
        self.installed().into_iter().chain(self.below()).chain(walked).collect()
    }

    /// The target, if files below it are written.
    fn below(&self) -> Option<FileEffect> {
        self.folder.as_ref().or(self.target.as_ref()).filter(|_| self.recursive).cloned().map(written_below)
    }

    fn installed(&self) -> Vec<FileEffect> {
        all(Touch::Read, &self.sources).chain(self.to(Touch::Write)).collect()
    }

    /// The effects of a copy whose sources may start with a host name.
    pub(super) fn fetched(mut self, begins: impl Fn(&Word) -> usize) -> Vec<FileEffect> {
        for word in &mut self.sources {
            *word = word.tail(begins(word));
        }
        self.to(Touch::Write).into_iter().chain(self.below()).collect()
    }

    /// The effects of a move.
    pub(super) fn moved(&self) -> Vec<FileEffect> {
        let away = self.sources.iter().map(|word| (Touch::MoveFrom, word.clone(), Extent::Folder));
        all(Touch::MoveFrom, &self.sources).chain(self.to(Touch::MoveTo)).chain(away).collect()
    }

    /// The target, and the paths of the sources inside the target if it is a folder.
    fn to(&self, touch: Touch) -> Vec<FileEffect> {
        let named = self.folder.is_some() || self.target.is_none();
        let target = self.folder.as_ref().or(self.target.as_ref());
        let folder = target.cloned().unwrap_or_else(|| Word::literal("."));
        let ends = |end: &str| folder.value == end || folder.value.ends_with(&format!("/{end}"));
        let extent = if named || ends("") || ends(".") || ends("..") { Extent::Itself } else { Extent::Perhaps };
        let name = |source: &Word| if self.parents { source.clone() } else { last(source) };
        let mut done: Vec<_> = all(touch, target).collect();
        done.extend(self.sources.iter().map(|source| (touch, within(&folder, &name(source)), extent)));
        let kept: Vec<_> = match &self.suffixes {
            Some(suffixes) => {
                let kept = done.iter().flat_map(|(_, word, _)| suffixes.iter().map(|suffix| concat(word, suffix)));
                kept.map(|word| (Touch::Write, word, Extent::Perhaps)).collect()
            }
            None => vec![(Touch::Write, Word::somewhere(), Extent::Perhaps)],
        };
        done.extend(kept);
        if self.unsure {
            let operands = self.sources.iter().chain(&self.target);
            let perhaps = operands.flat_map(|word| [word.clone(), within(&Word::somewhere(), &last(word))]);
            done.extend(perhaps.map(|word| (touch, word, Extent::Perhaps)));
        }
        done
    }
}

/// The suffixes of backup files. Programs use the last one; others may be abbreviations of other options.
pub(super) fn suffixes<'w>(given: impl Iterator<Item = &'w Word>) -> Option<Vec<Word>> {
    const MOST: usize = 4;
    let all: Vec<_> = given.take(MOST + 1).cloned().collect();
    (all.len() <= MOST).then_some(all)
}
