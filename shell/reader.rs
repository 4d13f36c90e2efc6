//! Reads commands within limits.

use super::analyzer::Analyzer;
use super::budget::Budget;
use super::limits::ScriptLimits;
use super::programs::{self, is_command_flag, program};
use super::script::Script;
use super::words::{Word, base_name};

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
            return self.too_long(text);
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
            return self.too_long(&words.join(" "));
        }
        Analyzer::new(self.limits, self.exported, self.steps).argv(words)
    }

    fn too_long(&self, text: &str) -> Script {
        Script::unread(text, format!("longer than {} bytes", self.limits.bytes))
    }
}

impl std::fmt::Debug for ScriptReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptReader").field("limits", self.limits).finish_non_exhaustive()
    }
}

/// Returns true if a command changes no file that a word names, beyond its known effects.
pub fn only_reads(words: &[Word]) -> bool {
    programs::call(words).is_some_and(|call| call.only_reads())
}
