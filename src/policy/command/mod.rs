//! Static analysis of shell commands: the programs that they run and the files that they touch.

mod analyzer;
mod argument_pattern;
mod assigned;
mod awk;
mod builtins;
mod by_name;
mod devices;
mod find;
mod git;
mod inline_code;
mod net;
mod operands;
mod option_table;
mod options;
mod output_files;
mod partial;
mod patch;
mod path_words;
mod pattern;
mod program_words;
mod programs;
mod sed;
mod self_commands;
mod shell;
#[cfg(test)]
mod tests;
mod touched_paths;
mod unpack;
mod unwrap;
mod variables;
mod words;
mod wrappers;
mod write_then_run;

pub(crate) use net::net_words;
pub(crate) use operands::{Extent, Touch};
pub(crate) use partial::{TextElement, intersects};
pub(crate) use pattern::CommandPattern;
pub(crate) use self_commands::{changes_protection, names_change};
pub(crate) use touched_paths::{Base, CommandPath, Touched};
pub(crate) use words::Word;

use std::cell::OnceCell;
use std::rc::Rc;

use snaphook_adapters::model::{Command, ShellKind};

use self::analyzer::Analyzer;
use self::inline_code::{is_command_flag, is_shell};
use self::words::Expands;
use super::budget::Budget;
use super::settings::PolicyLimits;

/// The result of the analysis of one command.
#[derive(Debug, Clone)]
pub(crate) struct Analysis {
    /// The simple commands that were recognised; complete if the command is understood.
    pub(crate) parts: Vec<Rc<Part>>,
    /// The files named by redirections and operands.
    pub(crate) touched: Vec<Touched>,
    /// The parts of each member of each pipeline with several members.
    pub(crate) pipelines: Vec<Vec<Vec<Rc<Part>>>>,
    /// The word that makes the command not understood. No rule then allows the command (B1), and deny and ask
    /// rules also search the raw text (B8).
    pub(crate) not_understood: Option<String>,
    /// True if some of the text could not be split into commands.
    pub(crate) torn: bool,
    /// True if a limit was reached, so that rules do not see the rest. False if the text is longer than
    /// `[limits] command`; such a text is not parsed at all.
    pub(crate) cut: bool,
    /// The reason why the command is refused: it may contain a patch that an agent would apply and that cannot
    /// be read for certain.
    pub(crate) refused: Option<String>,
    /// True if the command applies a patch.
    pub(crate) patches: bool,
    /// The text that was analysed.
    pub(crate) raw: String,
}

/// One simple command.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Program and arguments after quote removal; empty if it only assigns variables.
    pub(crate) words: Vec<Word>,
    /// The words in their printed form, separated by one space (B4).
    pub(crate) text: String,
    /// The same with the base name of the program; absent if the program has no `/` (B6).
    pub(crate) based: Option<String>,
    /// The variables assigned for it (B7).
    pub(crate) assigned: Vec<Assignment>,
    /// True for a transparent wrapper, which only deny and ask rules match (B3).
    pub(crate) watch_only: bool,
    /// The word with the code that it runs; only a rule without `*` can allow such a command.
    pub(crate) opaque: Option<String>,
    /// The words of the text for the fallback search (B8); computed when a rule needs them.
    net: OnceCell<Vec<String>>,
    /// The words that may name a program (B13); computed when a rule needs them.
    program_words: OnceCell<Vec<String>>,
    /// Each name of the program with the partly known text of the command.
    partial_texts: OnceCell<Vec<(String, Vec<TextElement>)>>,
}

/// The assignment of a variable for one command, or alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    /// The value in its printed form; empty if the variable is only exported.
    pub(crate) value: String,
    /// True if the value has no expansions.
    pub(crate) literal: bool,
}

/// Analyses a command within the limits (S4).
///
/// `exported` returns true if a variable is known to be in the environment.
pub(crate) fn analyse(
    command: &Command,
    shell: ShellKind,
    limits: &PolicyLimits,
    exported: &dyn Fn(&str) -> bool,
    steps: &Budget,
) -> Analysis {
    let (text, shell) = match command {
        Command::Text(text) => (text.as_str(), shell),
        Command::Argv(words) => match words.as_slice() {
            [program, flag, text] if is_shell(base_name(program)) && is_command_flag(flag) => {
                (text.as_str(), ShellKind::Posix)
            }
            words => {
                let length: usize = words.iter().map(|word| word.len() + 1).sum();
                if length > limits.command {
                    return not_read(words.join(" "), over(limits));
                }
                return Analyzer::new(limits, exported, steps).argv(words);
            }
        },
    };
    if text.len() > limits.command {
        return not_read(text.to_owned(), over(limits));
    }
    if shell != ShellKind::Posix {
        return not_read(text.to_owned(), "not a POSIX shell".to_owned());
    }
    Analyzer::new(limits, exported, steps).text(text)
}

fn over(limits: &PolicyLimits) -> String {
    format!("longer than {} bytes", limits.command)
}

fn not_read(raw: String, why: String) -> Analysis {
    let (touched, refused) = match patch::torn(&raw) {
        Ok(touched) => (touched, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    Analysis {
        parts: Vec::new(),
        patches: refused.is_some() || !touched.is_empty(),
        touched,
        pipelines: Vec::new(),
        not_understood: Some(why),
        torn: true,
        cut: false,
        refused,
        raw,
    }
}

impl Part {
    fn new(words: Vec<Word>, assigned: &[Word], watch_only: bool, opaque: Option<String>) -> Self {
        let printed: Vec<_> = words.iter().filter(|word| !word.unseen).map(Word::printed).collect();
        let text = printed.join(" ");
        let based = words.first().filter(|program| program.value.contains('/')).map(|program| {
            let mut printed = printed;
            if let Some(first) = printed.first_mut() {
                base_name(&program.value).clone_into(first);
            }
            printed.join(" ")
        });
        let program = words.first().map_or("", |word| word.value.as_str());
        let exported = words.iter().skip(1).filter(|word| match program {
            "export" => !word.value.starts_with('-'),
            "readonly" => word.value.contains('='),
            _ => false,
        });
        let literal = |word: &Word| !word.is_dynamic() && !word.tilde && (word.quoted || !word.value.contains('~'));
        let named = |word: &Word| match word.value.split_once('=') {
            Some((name, value)) => {
                let value = word.tail(word.value.len() - value.len()).printed();
                Assignment { name: name.to_owned(), value, literal: literal(word) }
            }
            // The variable is exported with its current value.
            None => Assignment { name: word.value.clone(), value: String::new(), literal: false },
        };
        let assigned = assigned.iter().chain(exported).map(named).collect();
        let (net, program_words, partial_texts) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { words, text, based, assigned, watch_only, opaque, net, program_words, partial_texts }
    }

    /// The words of the text for the fallback search (B8).
    pub(crate) fn net_words(&self) -> &[String] {
        self.net.get_or_init(|| net_words(&self.text))
    }

    /// The words that may name a program that it runs (B13).
    pub(crate) fn program_words(&self) -> &[String] {
        self.program_words.get_or_init(|| program_words::program_words(&self.words))
    }

    /// The partly known texts, one per name of the program; empty if everything is known.
    fn partial_texts(&self) -> &[(String, Vec<TextElement>)] {
        self.partial_texts.get_or_init(|| {
            let Some(program) = self.words.first() else { return Vec::new() };
            let mut names = vec![program.value.as_str(), base_name(&program.value)];
            names.dedup();
            let text = |name: &str| Some((name.to_owned(), partial::text(&self.words, name)?));
            names.into_iter().filter_map(text).collect()
        })
    }

    /// The variables assigned for it that an allow rule has to name (B7): those of a line without a program, and those that
    /// do more than affect display.
    pub(crate) fn assignments_to_name(&self, more: &[String]) -> Vec<String> {
        let harmless = |name: &str| is_harmless(name) || more.iter().any(|known| known == name);
        let unnamed = |made: &&Assignment| self.words.is_empty() || !made.literal || !harmless(&made.name);
        self.assigned.iter().filter(unnamed).map(|made| made.name.clone()).collect()
    }

    /// Returns true if the command contains known expansions and so has other spellings.
    pub(crate) fn has_spellings(&self) -> bool {
        let known = |word: &Word| {
            word.home_at().is_some() || word.spans.iter().any(|span| matches!(span.what, Expands::Home | Expands::Cwd))
        };
        self.words.iter().any(known)
    }

    /// The texts with known expansions replaced, for deny and ask rules (B4).
    pub(crate) fn spelled(&self, home: Option<&str>, cwd: Option<&str>) -> Vec<String> {
        if !self.has_spellings() {
            return Vec::new();
        }
        let short = |word: &Word| word.respelled("~", ".");
        let mut texts = vec![self.with(short)];
        if home.is_some() || cwd.is_some() {
            let whole = |word: &Word| word.respelled(home.unwrap_or("~"), cwd.unwrap_or("."));
            texts.push(self.with(whole));
            // Only bash replaces the tilde of `NAME=~` in arguments.
            let assigns = |word: &Word| !word.tilde && word.home_at().is_some();
            if self.words.iter().any(assigns) {
                texts.push(self.with(|word| if assigns(word) { word.printed() } else { whole(word) }));
            }
        }
        texts
    }

    fn with(&self, spell: impl Fn(&Word) -> String) -> String {
        let words: Vec<_> = self.words.iter().filter(|word| !word.unseen).map(spell).collect();
        words.join(" ")
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
pub(crate) fn is_forbidden(name: &str) -> bool {
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
pub(crate) fn base_name(program: &str) -> &str {
    // A plain loop is faster than a substring search for short names.
    let start = program.bytes().rposition(|byte| byte == b'/').map_or(0, |slash| slash + 1);
    let name = program.get(start..).unwrap_or(program);
    if !cfg!(windows) {
        return name;
    }
    let name = name.rsplit('\\').next().unwrap_or(name);
    [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}
