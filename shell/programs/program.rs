//! What is known of a program, and one call of it.

use std::cell::OnceCell;
use std::ptr::from_ref;

use super::code::{Found, InlineCode};
use super::inside::Inside;
use crate::devices::is_input;
use crate::effects::{Extent, FileEffect, Touch, all, found, named, walked};
use crate::options::{Given, OptionSpec, given};
use crate::words::Word;

/// What is known of a program, or of programs that take the same arguments. Each function is about one call.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one program")]
pub(crate) struct Program {
    /// Its names; other versions and builds have names of the same family.
    pub(crate) names: &'static [&'static str],
    /// The options that take a value.
    pub(crate) options: OptionSpec,
    /// The commands and texts that it runs.
    pub(crate) inside: fn(&Call<'_>) -> Inside,
    /// Other ways to write the same command, or a part of it, which deny and ask rules may name.
    pub(crate) spellings: fn(&Call<'_>) -> Vec<Vec<Word>>,
    /// The code in its arguments.
    pub(crate) code: fn(&Call<'_>) -> InlineCode,
    /// True if input from a file or another command may be code.
    pub(crate) runs_input: bool,
    /// True for an interpreter whose script may be its input: `-`, or no argument at all.
    pub(crate) takes_script: bool,
    /// True for a shell that reads the text behind `-c` as a POSIX shell does.
    pub(crate) is_shell: bool,
    /// The effect on its operands; [`Touch::Name`], [`Touch::MayRead`] or [`Touch::Restrict`] if an operand need not be a file.
    pub(crate) operands: fn(&Call<'_>) -> Touch,
    /// Options whose value is a file that it reads.
    pub(crate) reads: &'static [OptionNames],
    /// Options whose value is a file that it writes; `-` means standard output. More are in [`OptionSpec::outputs`].
    pub(crate) writes: &'static [OptionNames],
    /// The part of the working directory that may change although no word names it, unless the first argument is one of
    /// these words.
    pub(crate) unnamed: Option<(Extent, &'static [&'static str])>,
    /// The files that it reads in each folder among its operands, or in the working directory if it has no operands. `None` if it
    /// reads no folder.
    pub(crate) walks: fn(&Call<'_>) -> Option<Extent>,
    /// The names of the files that it reads there, as globs; empty if it may read every file.
    pub(crate) walks_only: fn(&Call<'_>) -> Vec<Word>,
    /// Its other known effects on files.
    pub(crate) touches: fn(&Call<'_>) -> Vec<FileEffect>,
    /// The words that are text.
    pub(crate) texts: fn(&Call<'_>) -> &'static TextWords,
    /// True if its first operand is a script that it runs, and so reads.
    pub(crate) first_is_script: bool,
    /// True if its output is compiled from source code.
    pub(crate) builds: bool,
    /// Returns true if it creates a link, so that a later write to its path may change another file.
    pub(crate) links: fn(&Call<'_>) -> bool,
    /// True if its first operand is a subcommand.
    pub(crate) has_subcommands: bool,
    /// True if it only transfers, copies, moves, removes or describes what its operands name.
    pub(crate) only_handles_files: bool,
    /// Subcommands whose operands are names of packages, tests, branches or services, which are not run.
    pub(crate) namings: &'static [Naming],
    /// The files that it runs.
    pub(crate) loads: Loads,
    /// Returns true if an argument of a shell builtin exports a variable.
    pub(crate) exports: fn(&Word) -> bool,
    /// True if it applies patches in the form that coding agents use.
    pub(crate) applies_patches: bool,
}

/// The words of a call that are text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextWords {
    /// True if all of them are, or name files that are only listed or tested.
    pub(crate) all: bool,
    /// The options that give a text which is the first operand otherwise; absent if the first operand is no text.
    pub(crate) first: Option<&'static [OptionNames]>,
    /// Options whose value is text.
    pub(crate) options: &'static [OptionNames],
}

/// The letter and the long name of an option; ` ` and the empty name match nothing.
pub(crate) type OptionNames = (char, &'static str);

/// Subcommands whose operands are names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Naming {
    pub(crate) subcommands: &'static [&'static str],
    /// Options without a value.
    pub(crate) flags: &'static [&'static str],
    /// Options whose value is text.
    pub(crate) valued: &'static [&'static str],
}

/// The files whose content a program runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loads {
    /// True if it runs files named by its arguments.
    pub(crate) arguments: bool,
    /// The names of files that it runs without being told to.
    pub(crate) names: &'static [&'static str],
    /// The same, by the start, the end or a part of the name; a part in small letters.
    pub(crate) starts: &'static [&'static str],
    pub(crate) ends: &'static [&'static str],
    pub(crate) parts: &'static [&'static str],
    /// A folder of such files.
    pub(crate) folder: Option<&'static str>,
}

impl TextWords {
    pub(super) const NONE: Self = Self { all: false, first: None, options: &[] };
    /// Every word is text.
    pub(super) const ALL: Self = Self { all: true, ..Self::NONE };
}

impl Loads {
    pub(super) const NOTHING: Self =
        Self { arguments: false, names: &[], starts: &[], ends: &[], parts: &[], folder: None };
}

impl Program {
    /// A program of which nothing but its names is known.
    pub(super) const fn of(names: &'static [&'static str]) -> Self {
        Self {
            names,
            options: OptionSpec::NOTHING,
            inside: |_| Inside::default(),
            spellings: |_| Vec::new(),
            code: |_| InlineCode::Plain,
            runs_input: false,
            takes_script: false,
            is_shell: false,
            operands: |_| Touch::Name,
            reads: &[],
            writes: &[],
            unnamed: None,
            walks: |_| None,
            walks_only: |_| Vec::new(),
            touches: |_| Vec::new(),
            texts: |_| &TextWords::NONE,
            first_is_script: false,
            builds: false,
            links: |_| false,
            has_subcommands: false,
            only_handles_files: false,
            namings: &[],
            loads: Loads::NOTHING,
            exports: |_| false,
            applies_patches: false,
        }
    }

    /// A program that reads its operands, and changes no file beyond its known effects.
    pub(super) const fn reader(names: &'static [&'static str]) -> Self {
        Self { operands: |_| Touch::Read, ..Self::of(names) }
    }

    /// A program whose words are text.
    pub(super) const fn text(names: &'static [&'static str]) -> Self {
        Self { operands: |_| Touch::MayRead, texts: |_| &TextWords::ALL, ..Self::of(names) }
    }

    /// A program that runs a command or a text in a way that is not known.
    pub(super) const fn opaque(names: &'static [&'static str]) -> Self {
        Self { code: |call| InlineCode::Not(format!("`{}`", call.word.value)), ..Self::of(names) }
    }
}

/// One call of a program. Its arguments are parsed once.
pub(crate) struct Call<'w> {
    pub(crate) program: &'static Program,
    /// The name of the program as written, without its folder.
    pub(crate) name: &'w str,
    /// The word with that name.
    pub(crate) word: &'w Word,
    /// The program and its arguments.
    pub(crate) words: &'w [Word],
    pub(crate) arguments: &'w [Word],
    /// True if its input comes from a file, a text or another command.
    pub(crate) is_fed: bool,
    given: OnceCell<Given<'w>>,
}

impl<'w> Call<'w> {
    pub(super) fn new(program: &'static Program, name: &'w str, word: &'w Word, words: &'w [Word]) -> Self {
        let arguments = words.get(1..).unwrap_or_default();
        Self { program, name, word, words, arguments, is_fed: false, given: OnceCell::new() }
    }

    /// Classifies the code that the command runs.
    pub(crate) fn code(&self) -> InlineCode {
        let program = self.word;
        let odd = (program.glob && !matches!(self.name, "[" | "[["))
            || !program.spans.is_empty()
            || program.brace
            || self.name.is_empty()
            // In zsh a number is the name of a parameter, and so are letters that other shells reject.
            || program.value.contains('=');
        if odd || (program.value.contains('/') && (is_input(&program.value) || self.name == "exe")) {
            return InlineCode::Not(format!("`{}`", if program.unseen { "…" } else { program.value.as_str() }));
        }
        if self.is_fed && self.program.runs_input {
            return InlineCode::Not(format!("`{}`", program.value));
        }
        (self.program.code)(self)
    }

    /// The arguments by the options of the program.
    pub(crate) fn given(&self) -> &Given<'w> {
        self.given.get_or_init(|| given(&self.program.options, self.arguments))
    }

    /// The known effects of the call on files.
    pub(crate) fn effects(&self) -> Vec<FileEffect> {
        let program = self.program;
        let touch = (program.operands)(self);
        // The arguments are parsed only if it matters.
        let operands = (touch != touch.possible()).then(|| {
            let text = self.text_words();
            self.given().files().filter(move |word| !text.contains(&from_ref(*word)))
        });
        let value = |(letter, long): &OptionNames| self.given().values(*letter, long);
        let outputs = program.options.outputs.iter().flat_map(|long| self.given().values(' ', long));
        let first = self.arguments.first().map(|word| word.value.as_str());
        let unnamed = program.unnamed.filter(|(_, words)| first.is_some_and(|first| !words.contains(&first)));
        all(touch, operands.into_iter().flatten())
            .chain(all(Touch::Read, program.reads.iter().flat_map(value)))
            .chain(all(Touch::Write, named(program.writes.iter().flat_map(value).chain(outputs))))
            .chain((program.touches)(self))
            .chain(unnamed.map(|(extent, _)| (Touch::Name, Word::literal("."), extent)))
            .chain((program.walks)(self).into_iter().flat_map(|extent| self.walked(extent)))
            .collect()
    }

    fn walked(&self, extent: Extent) -> Vec<FileEffect> {
        let (text, here) = (self.text_words(), Word::literal("."));
        let mut folders: Vec<_> = self.given().files().filter(|word| !text.contains(&from_ref(*word))).collect();
        // If an operand is the value of an option, the search may have no folder, so that it searches the working directory.
        let may_have_none = self.texts().first.is_some() && self.given().may_have_values(&self.program.options);
        if folders.is_empty() || may_have_none {
            folders.push(&here);
        }
        // An unknown option may add names.
        let names =
            if self.arguments.iter().any(Word::may_be_option) { Vec::new() } else { (self.program.walks_only)(self) };
        if names.is_empty() {
            return walked(extent, folders).collect();
        }
        let below = |folder: &&Word| names.iter().map(|name| found(folder, Some(name))).collect::<Vec<_>>();
        walked(extent, &folders.iter().flat_map(below).collect::<Vec<_>>()).collect()
    }

    /// Returns true if the program changes no file that a word names, beyond its known effects.
    pub(crate) fn only_reads(&self) -> bool {
        (self.program.operands)(self).possible() == Touch::MayRead
    }

    /// Returns true if it certainly runs its input as a script, as `python3 -` does.
    pub(crate) fn runs_script_in_input(&self) -> bool {
        let reads = self.arguments.first().is_none_or(|word| word.value == "-");
        self.program.takes_script && reads && !self.words.iter().any(Word::is_dynamic)
    }

    /// The words of the call that are text.
    pub(crate) fn texts(&self) -> &'static TextWords {
        (self.program.texts)(self)
    }

    /// The word with the code of a call, if any; `Err` if the word may expand to anything.
    pub(super) fn says(&self, found: Found<'_>) -> InlineCode {
        match found {
            Ok(None) => InlineCode::Plain,
            Ok(Some(word)) => InlineCode::Opaque(format!("`{} {}`", self.name, word.value)),
            Err(word) => self.cannot_read(word),
        }
    }

    /// The call cannot be analysed because of a word.
    pub(super) fn cannot_read(&self, word: &Word) -> InlineCode {
        InlineCode::Not(self.with(word))
    }

    /// The commands inside the call cannot be found because of a word.
    pub(super) fn hides_commands(&self, word: &Word) -> Inside {
        Inside { blame: Some(self.with(word)), ..Inside::default() }
    }

    fn with(&self, word: &Word) -> String {
        format!("`{} {}`", self.name, if word.unseen { "…" } else { word.value.as_str() })
    }
}
