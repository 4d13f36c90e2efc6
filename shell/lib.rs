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
mod awk;
mod budget;
mod builtins;
mod by_name;
mod devices;
mod find;
mod git;
mod inline_code;
mod limits;
mod operands;
mod option_table;
mod options;
mod output_files;
mod part;
mod partial;
mod patch;
mod path_words;
pub mod paths;
mod program_words;
mod programs;
mod sed;
mod syntax;
#[cfg(test)]
mod tests;
mod text_words;
mod touched_paths;
mod unpack;
mod unwrap;
mod variables;
mod words;
mod wrappers;
mod write_then_run;

pub use budget::{Budget, BudgetSpent};
pub use limits::ScriptLimits;
pub use operands::{Extent, Touch};
pub use part::{Assignment, Part};
pub use partial::{TextElement, intersects, is_quote};
pub use path_words::only_reads;
pub use program_words::{KnownWord, known_words};
pub use text_words::text_words;
pub use touched_paths::{Base, CommandPath, Touched};
pub use words::{Word, is_name, is_special, printed};

use std::rc::Rc;

use self::analyzer::Analyzer;
use self::inline_code::{is_command_flag, is_shell};

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
        if let [program, flag, text] = words
            && is_shell(base_name(program))
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

/// Returns true for variables that affect display only (B7).
fn is_harmless(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CI", "NODE_ENV",
        "RUST_BACKTRACE", "PYTHONUNBUFFERED",
    ];
    NAMES.contains(&name) || name.starts_with("LC_") || name.starts_with("CLICOLOR")
}

/// Returns true for variables that decide which program a command runs or where its paths lead (B1).
pub fn is_forbidden(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "PATH", "IFS", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "GLOBIGNORE", "CDPATH",
        "HOME", "PWD", "OLDPWD", "FPATH", "ZDOTDIR", "NULLCMD", "READNULLCMD", "POSIXLY_CORRECT", "path", "cdpath",
        "fpath", "module_path", "histchars", "HISTCHARS", "SHELL",
    ];
    NAMES.contains(&name) || ["LD_", "DYLD_", "BASH_"].iter().any(|start| name.starts_with(start))
}

/// Returns true for variables that decide how a shell reads the bytes of a text.
fn is_encoding(name: &str) -> bool {
    matches!(name, "LANG" | "LC_ALL" | "LC_CTYPE")
}

/// Returns true if the encoding of a locale never takes an ASCII character for a part of another one, as GBK and
/// Big5 do.
fn keeps_ascii(locale: &str) -> bool {
    let encoding = locale.split_once('.').map(|(_, encoding)| encoding.to_ascii_lowercase());
    matches!(locale, "" | "C" | "POSIX") || matches!(encoding.as_deref(), Some("utf-8" | "utf8"))
}

/// Returns true for variables whose values some shells evaluate as arithmetic.
fn is_counted(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "SECONDS", "RANDOM", "SRANDOM", "OPTIND", "HISTCMD", "LINENO", "FUNCNEST", "HISTSIZE", "HISTFILESIZE",
        "SAVEHIST", "COLUMNS", "LINES", "SHLVL", "TTYIDLE", "BAUD", "KEYTIMEOUT", "LISTMAX", "MAILCHECK", "TMOUT",
        "UID", "EUID", "GID", "EGID", "PPID", "ERRNO", "EPOCHSECONDS", "BASHPID", "LOGCHECK", "DIRSTACKSIZE",
        "REPORTTIME", "REPORTMEMORY", "TRY_BLOCK_ERROR", "TRY_BLOCK_INTERRUPT",
    ];
    NAMES.contains(&name)
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
