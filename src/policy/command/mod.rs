//! Shell commands: what they run, as far as it can be told for certain.

mod awk;
mod builtins;
mod by_name;
mod devices;
mod find;
mod forms;
mod git;
mod loose;
mod named;
mod net;
mod operands;
mod options;
mod outputs;
mod own;
mod patch;
mod pattern;
mod programs;
mod read;
mod sed;
mod shell;
mod takes;
#[cfg(test)]
mod tests;
mod touch;
mod unpack;
mod unwrap;
mod variables;
mod words;
mod wrappers;
mod written;

pub(crate) use loose::{Piece, meet};
pub(crate) use net::net_words;
pub(crate) use operands::{Extent, Touch};
pub(crate) use own::{changes_protection, names_change};
pub(crate) use pattern::CommandPattern;
pub(crate) use touch::{Base, Place, Touched};
pub(crate) use words::Word;

use std::cell::OnceCell;
use std::rc::Rc;

use snaphook_adapters::model::{Command, ShellKind};

use self::forms::{is_command_flag, is_shell};
use self::read::Read;
use self::words::Expands;
use super::rule::Next;
use super::settings::Limits;
use super::steps::Steps;

/// Holds what is known about one command.
#[derive(Debug, Clone)]
pub(crate) struct Analysis {
    /// The simple commands in it that could be told apart; all of them where it is understood.
    pub(crate) parts: Vec<Rc<Part>>,
    /// The files that its redirections and operands name.
    pub(crate) touched: Vec<Touched>,
    /// The parts of each member of each pipeline with several.
    pub(crate) pipelines: Vec<Vec<Vec<Rc<Part>>>>,
    /// The word that is to blame where it is not understood: then no rule allows it (B1), and deny
    /// and ask also look at the raw text (B8).
    pub(crate) not_understood: Option<String>,
    /// Whether some of it could not even be taken apart.
    pub(crate) torn: bool,
    /// Whether a limit was reached before all of it was read, so that rules do not know the rest. Not so where
    /// it is longer than `[limits] command`: of such a text nothing is read.
    pub(crate) cut: bool,
    /// Why it is refused: an agent may apply a patch in it that cannot be read for certain.
    pub(crate) refused: Option<String>,
    /// Whether a patch is applied in it.
    pub(crate) patches: bool,
    /// The text that was analysed.
    pub(crate) raw: String,
}

/// Holds one simple command.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Program and arguments after quote removal; empty: it only assigns.
    pub(crate) words: Vec<Word>,
    /// The words in their printed form, one space between (B4).
    pub(crate) text: String,
    /// The same with the program's base name; absent: the program has no `/` (B6).
    pub(crate) based: Option<String>,
    /// The names that are assigned for it, and whether the value is literal (B7).
    pub(crate) assigned: Vec<(String, bool)>,
    /// Judged by deny and ask alone: a transparent wrapper (B3).
    pub(crate) watch_only: bool,
    /// The word with the code that it runs; such a command is allowed only by a rule without `*`.
    pub(crate) opaque: Option<String>,
    /// The words of the text, for what is not understood; made when a rule asks for them.
    net: OnceCell<Vec<String>>,
    /// The names of the program, each with the text in which any text stands for what is not known.
    loose: OnceCell<Vec<(String, Vec<Piece>)>>,
}

/// Analyses a command within the limits (S4).
///
/// `exported` says whether a variable is in the environment, as far as we see it.
pub(crate) fn analyse(
    command: &Command,
    shell: ShellKind,
    limits: &Limits,
    exported: &dyn Fn(&str) -> bool,
    steps: &Steps,
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
                return Read::new(limits, exported, steps).argv(words);
            }
        },
    };
    if text.len() > limits.command {
        return not_read(text.to_owned(), over(limits));
    }
    if shell != ShellKind::Posix {
        return not_read(text.to_owned(), "not a POSIX shell".to_owned());
    }
    Read::new(limits, exported, steps).text(text)
}

fn over(limits: &Limits) -> String {
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
            Some((name, _)) => (name.to_owned(), literal(word)),
            // It is exported with the value that it has.
            None => (word.value.clone(), false),
        };
        let assigned = assigned.iter().chain(exported).map(named).collect();
        let (net, loose) = (OnceCell::new(), OnceCell::new());
        Self { words, text, based, assigned, watch_only, opaque, net, loose }
    }

    /// The words of its text as the net reads them (B8).
    pub(crate) fn net_words(&self) -> &[String] {
        self.net.get_or_init(|| net_words(&self.text))
    }

    /// The texts that it could be, by each name of its program; none where all of it is known.
    fn loose_texts(&self) -> &[(String, Vec<Piece>)] {
        self.loose.get_or_init(|| {
            let Some(program) = self.words.first() else { return Vec::new() };
            let mut names = vec![program.value.as_str(), base_name(&program.value)];
            names.dedup();
            let text = |name: &str| Some((name.to_owned(), loose::text(&self.words, name)?));
            names.into_iter().filter_map(text).collect()
        })
    }

    /// Whether every assignment is literal and of a name that changes nothing but how things look (B7).
    pub(crate) fn is_harmless(&self, more: &[String]) -> bool {
        let harmless = |name: &str| is_harmless(name) || more.iter().any(|known| known == name);
        !self.words.is_empty() && self.assigned.iter().all(|(name, literal)| *literal && harmless(name))
    }

    /// What it is known to begin with, as written and by base name, and what of the word behind that.
    pub(crate) fn starts(&self) -> Vec<(String, Next)> {
        let Some((program, words)) = self.words.split_first() else { return Vec::new() };
        let known = words.iter().take_while(|word| !word.is_dynamic());
        let known: String = known.flat_map(|word| [" ".to_owned(), word.printed()]).collect();
        let open = words.iter().find(|word| word.is_dynamic()).filter(|word| !word.may_be_none());
        let pieces = open.map(loose::pieces).unwrap_or_default().into_iter();
        // Rules are told apart by what stands between blanks. It may be several words, so that nothing is known
        // of the end of the first.
        let head = pieces.map_while(Piece::known).take_while(|c| *c != ' ').collect();
        let next = Next { head, tail: String::new() };
        [program.value.as_str(), base_name(&program.value)].map(|name| (format!("{name}{known}"), next.clone())).into()
    }

    /// Whether it has expansions that are known, so that there are other ways to write it.
    pub(crate) fn has_spellings(&self) -> bool {
        let known =
            |word: &Word| word.tilde || word.spans.iter().any(|span| matches!(span.what, Expands::Home | Expands::Cwd));
        self.words.iter().any(known)
    }

    /// The texts in which the known expansions are replaced, for deny and ask (B4).
    pub(crate) fn spelled(&self, home: Option<&str>, cwd: Option<&str>) -> Vec<String> {
        if !self.has_spellings() {
            return Vec::new();
        }
        let short = |word: &Word| word.respelled("~", ".");
        let mut texts = vec![self.with(short)];
        if home.is_some() || cwd.is_some() {
            texts.push(self.with(|word| word.respelled(home.unwrap_or("~"), cwd.unwrap_or("."))));
        }
        texts
    }

    fn with(&self, spell: impl Fn(&Word) -> String) -> String {
        let words: Vec<_> = self.words.iter().filter(|word| !word.unseen).map(spell).collect();
        words.join(" ")
    }
}

/// Names of variables that change how things look, not what is done (B7).
fn is_harmless(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CI", "NODE_ENV",
        "RUST_BACKTRACE", "PYTHONUNBUFFERED",
    ];
    NAMES.contains(&name) || name.starts_with("LC_") || name.starts_with("CLICOLOR")
}

/// Variables that decide what a command runs or where its paths lead (B1).
pub(crate) fn is_forbidden(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "PATH", "IFS", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "GLOBIGNORE", "CDPATH",
        "HOME", "PWD", "OLDPWD", "FPATH", "ZDOTDIR", "NULLCMD", "READNULLCMD", "POSIXLY_CORRECT", "path", "cdpath",
        "fpath", "module_path", "histchars", "HISTCHARS", "SHELL",
    ];
    NAMES.contains(&name) || ["LD_", "DYLD_", "BASH_"].iter().any(|start| name.starts_with(start))
}

/// Variables whose values some shell takes for arithmetic.
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

/// The part after the last `/`; on Windows without the usual endings (B6).
pub(crate) fn base_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    if !cfg!(windows) {
        return name;
    }
    let name = name.rsplit('\\').next().unwrap_or(name);
    [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}
