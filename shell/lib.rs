//! Reads a shell command without running it: the programs that it runs, and the files that it reads, writes and
//! removes.
//!
//! A command is *understood* if bash, dash and zsh certainly read it alike; otherwise [`Script::not_understood`] names the
//! word that is to blame, and the facts may be incomplete. Nothing here touches files, the clock or the environment.
//!
//! ```no_run
//! use snaphook_shell::{ScriptLimits, read};
//!
//! let script = read("cd src && timeout 5 cargo test > ../log", &ScriptLimits::default());
//! let programs: Vec<_> = script.parts.iter().map(|part| part.text.as_str()).collect();
//! assert_eq!(programs, ["cd src", "timeout 5 cargo test", "cargo test"]);
//! assert_eq!(script.not_understood, None);
//! assert!(script.touched.iter().any(|file| file.shown == "../log"));
//! ```

#![expect(clippy::exhaustive_enums, reason = "whoever judges a command has to handle every effect")]

mod analyzer;
mod assignments;
mod budget;
mod cd;
mod devices;
mod effects;
mod limits;
mod options;
mod part;
mod partial;
mod patch;
mod path_words;
pub mod paths;
mod program_words;
mod programs;
mod syntax;
#[cfg(test)]
mod tests;
mod text_words;
mod touched_paths;
mod variables;
mod words;
mod write_then_run;

pub use assignments::is_forbidden;
pub use budget::{Budget, BudgetSpent};
pub use effects::{Extent, Touch};
pub use limits::ScriptLimits;
pub use part::{Assignment, Part};
pub use partial::{TextElement, intersects, is_quote};
pub use program_words::{KnownWord, known_words};
pub use text_words::text_words;
pub use touched_paths::{Base, CommandPath, Touched};
pub use words::{Word, is_name, is_special, printed};

use std::rc::Rc;

use self::analyzer::Analyzer;
use self::programs::{is_command_flag, program};

/// The result of the analysis of one command.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one text")]
pub struct Script {
    /// The simple commands that were recognised; complete if the command is understood.
    pub parts: Vec<Rc<Part>>,
    /// The files named by redirections and operands.
    pub touched: Vec<Touched>,
    /// The parts of each member of each pipeline with several members.
    pub pipelines: Vec<Vec<Vec<Rc<Part>>>>,
    /// The word that makes the command not understood. No rule then allows the command (B1), and deny and ask
    /// rules also search the raw text (B8).
    pub not_understood: Option<String>,
    /// True if some of the text could not be split into commands.
    pub torn: bool,
    /// True if a here-document has the code of a program, which only the raw text has.
    pub code_in_document: bool,
    /// True if a limit was reached, so that rules do not see the rest. False if the text is longer than
    /// `[limits] command`; such a text is not parsed at all.
    pub cut: bool,
    /// The reason why the command is refused: it may contain a patch that an agent would apply and that cannot
    /// be read for certain.
    pub refused: Option<String>,
    /// True if the command applies a patch.
    pub patches: bool,
    /// The text that was analysed.
    pub raw: String,
}

/// Reads a shell text within limits, as a shell does that has no variables in its environment.
pub fn read(text: &str, limits: &ScriptLimits) -> Script {
    ScriptReader::new(limits, &|_| false, &Budget::default()).text(text)
}

/// Reads commands within limits.
pub struct ScriptReader<'a> {
    limits: &'a ScriptLimits,
    exported: &'a dyn Fn(&str) -> bool,
    steps: &'a Budget,
}

impl<'a> ScriptReader<'a> {
    /// Creates a reader. `exported` returns true if a variable is known to be in the environment of the shell; `steps` bounds
    /// the work for all commands that it reads.
    pub fn new(limits: &'a ScriptLimits, exported: &'a dyn Fn(&str) -> bool, steps: &'a Budget) -> Self {
        Self { limits, exported, steps }
    }

    /// Reads a text for a POSIX shell.
    pub fn text(&self, text: &str) -> Script {
        if text.len() > self.limits.bytes {
            return self.too_long(text.to_owned());
        }
        Analyzer::new(self.limits, self.exported, self.steps).text(text)
    }

    /// Reads a list of words that no shell parses; the text of `sh -c TEXT` is read as such.
    pub fn words(&self, words: &[String]) -> Script {
        if let [name, flag, text] = words
            && program(base_name(name)).is_shell
            && is_command_flag(flag)
        {
            return self.text(text);
        }
        let length: usize = words.iter().map(|word| word.len() + 1).sum();
        if length > self.limits.bytes {
            return self.too_long(words.join(" "));
        }
        Analyzer::new(self.limits, self.exported, self.steps).argv(words)
    }

    fn too_long(&self, text: String) -> Script {
        Script::unread(text, format!("longer than {} bytes", self.limits.bytes))
    }
}

impl std::fmt::Debug for ScriptReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptReader").field("limits", self.limits).finish_non_exhaustive()
    }
}

impl Script {
    /// A text that is not analysed; `why` says the reason.
    pub fn unread(raw: String, why: String) -> Self {
        let (touched, refused) = match patch::torn(&raw) {
            Ok(touched) => (touched, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Self {
            parts: Vec::new(),
            patches: refused.is_some() || !touched.is_empty(),
            touched,
            pipelines: Vec::new(),
            not_understood: Some(why),
            torn: true,
            code_in_document: false,
            cut: false,
            refused,
            raw,
        }
    }
}

/// Returns true if a command changes no file that a word names, beyond its known effects.
pub fn only_reads(words: &[Word]) -> bool {
    programs::call(words).is_some_and(|call| call.only_reads())
}

/// The part of a path after the last `/`, without the usual Windows extensions (B6).
pub fn base_name(program: &str) -> &str {
    // A plain loop is faster than a substring search for short names.
    let start = program.bytes().rposition(|byte| byte == b'/').map_or(0, |slash| slash + 1);
    let name = program.get(start..).unwrap_or(program);
    if !cfg!(windows) {
        return name;
    }
    let name = name.rsplit('\\').next().unwrap_or(name);
    [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}
