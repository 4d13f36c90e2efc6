//! What to decide: rules over actions, read from `snaphook.toml`. Sees the model only, never an
//! agent's field names.

mod command;
mod fault;
mod index;
mod judge;
mod load;
pub(crate) mod path;
mod places;
mod protected;
mod rule;
pub(crate) mod sandbox;
mod settings;
mod steps;
#[cfg(test)]
mod testing;
pub mod trust;
mod user;
mod warnings;
mod wild;

pub use fault::PolicyFault;
pub use load::UserPolicy;
pub use path::Folders;
pub use places::{Places, Stamp};
pub(crate) use places::{on_path, started_as};
pub use settings::{Audit, AuditInputs, Failures, Limits, OnFailure};

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use snaphook_adapters::model::{Decision, HookEvent, VerdictKind};
use snaphook_adapters::protocol::Agent;
use snaphook_adapters::registry::Registry;

use load::{CONTEXT_MAX, Counts, Lists, PolicyFile};
pub(crate) use rule::List;
use rule::{Asked, Rule};
use sandbox::Sandbox;
use settings::Guarding;

/// Why a rule cannot stand in a list (`deny`, `ask`, `allow`); `None`: it can.
pub(crate) fn rule_fault(text: &str, list: List, registry: &Registry) -> Option<String> {
    rule::parse(text, 0, list, rule::Vocabulary(registry)).err()
}

/// The policy that applies where the user has none; `snaphook init` writes it out.
pub const STARTER: &str = include_str!("starter.toml");

/// Holds everything that applies to one event: the user's file, or the starter, and the project's.
#[derive(Debug)]
pub struct Policy {
    user: Arc<PolicyFile>,
    /// Nearest first.
    projects: Vec<Project>,
    places: Arc<Places>,
    agents: Vec<&'static Agent>,
}

#[derive(Debug)]
struct Project {
    file: PolicyFile,
    /// Whether the user trusts this content.
    trusted: bool,
    counts: Counts,
}

impl Policy {
    /// What a failure does, by its class.
    pub fn failures(&self) -> Failures {
        self.user.failures
    }

    /// How long things may be.
    pub fn limits(&self) -> Limits {
        self.user.limits
    }

    /// Whether and where records are written.
    pub fn audit(&self) -> &Audit {
        &self.user.audit
    }

    /// Where the user's policy came from: its path, or `starter`.
    pub fn origin(&self) -> &str {
        &self.user.source.shown
    }

    /// SHA-256 over the bytes of all files that apply, in hexadecimal.
    pub fn digest(&self) -> String {
        trust::digest(self.files().map(|file| file.source.text.as_str()))
    }

    /// The files that apply, as messages show them, the user's first.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.files().map(|file| file.source.shown.as_str())
    }

    /// What the user is told once a session: what of the project files does not count (F4, F5).
    pub fn notices(&self) -> Vec<String> {
        self.projects.iter().filter_map(Project::notice).collect()
    }

    fn files(&self) -> impl Iterator<Item = &PolicyFile> {
        std::iter::once(&*self.user).chain(self.projects.iter().map(|project| &project.file))
    }

    /// The files that count whole, the user's first.
    fn whole_files(&self) -> impl Iterator<Item = &PolicyFile> {
        let trusted = self.projects.iter().filter(|project| project.is_whole()).map(|project| &project.file);
        std::iter::once(&*self.user).chain(trusted)
    }

    /// How commands of an agent, or of whoever calls, are isolated; `None`: they are not.
    pub(crate) fn sandbox(&self, agent: Option<&str>) -> Option<Sandbox<'_>> {
        let tables = self.whole_files().filter_map(|file| Some((file.sandbox.as_ref()?, file.own.as_ref())));
        sandbox::joined(&tables.collect::<Vec<_>>(), agent)
    }

    /// The user's own file; `None`: the starter.
    pub(crate) fn user_file(&self) -> Option<&Path> {
        self.user.source.path.as_deref()
    }

    /// The folders of what we keep ourselves, where they are protected.
    pub(crate) fn own_folders(&self) -> impl Iterator<Item = PathBuf> {
        self.places.own_folders().filter(|_| self.user.protect_own != Guarding::Off)
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    fn counts_whole(&self, file: &PolicyFile) -> bool {
        self.whole_files().any(|whole| std::ptr::eq(whole, file))
    }

    /// The lists that apply to an agent, in the order in which the first match gives the reason (F3), with
    /// at least the rules that may speak about what is `asked`.
    fn lists<'p>(
        &'p self,
        agent: &str,
        asked: &dyn Fn() -> Asked,
    ) -> Result<Vec<(&'p PolicyFile, Cow<'p, Lists>)>, PolicyFault> {
        let mut all = Vec::with_capacity(2);
        for file in self.files() {
            let found = match (&file.index, &file.catalogue) {
                (Some(index), _) => index.lists(agent, &asked())?,
                (None, Some(catalogue)) => catalogue.lists(file, agent, &asked()),
                (None, None) => {
                    all.extend(file.lists_of(agent).map(|lists| (file, Cow::Borrowed(lists))));
                    continue;
                }
            };
            all.extend(found.into_iter().map(|lists| (file, Cow::Owned(lists))));
        }
        Ok(all)
    }

    /// Whether a rule of deny or ask that applies to an agent is one that is looked for, among at least those
    /// that may speak about what is `asked`.
    fn any_guard(
        &self,
        agent: &str,
        asked: &Asked,
        is: &mut dyn FnMut(&PolicyFile, &Rule) -> bool,
    ) -> Result<bool, PolicyFault> {
        for file in self.files() {
            let mut is = |rule: &Rule| is(file, rule);
            let found = match (&file.index, &file.catalogue) {
                (Some(index), _) => index.any_guard(agent, asked, &mut is)?,
                (None, Some(catalogue)) => catalogue.any_guard(file, agent, asked, &mut is),
                (None, None) => file.lists_of(agent).flat_map(Lists::guards).any(is),
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn not_understood(&self) -> OnFailure {
        self.whole_files().find_map(|file| file.not_understood).unwrap_or(OnFailure::Pass)
    }

    fn harmless_env(&self) -> &[String] {
        self.whole_files().find_map(|file| file.harmless_env.as_deref()).unwrap_or_default()
    }

    /// Text for the model when a session starts, and what is missing of it.
    fn session_context(&self) -> (Vec<String>, Vec<String>) {
        let session = self.whole_files().find_map(|file| file.context.session.clone());
        let files = self.whole_files().map(|file| &file.context.files).find(|files| !files.is_empty());
        let (mut texts, mut missing) = (Vec::from_iter(session), Vec::new());
        for path in files.into_iter().flatten() {
            match load::read_named(path) {
                Ok(text) => texts.push(text),
                Err(error) => missing.push(format!("context.files: {}: {error}", self.places.shown(path))),
            }
        }
        if texts.iter().map(|text| text.len() as u64).sum::<u64>() > CONTEXT_MAX {
            texts.clear();
            missing.push("context: over 16 KiB together, so none of it is sent; shorten it".to_owned());
        }
        (texts, missing)
    }
}

impl Project {
    /// Returns true if it counts whole (F5), and not with its deny and ask only (F4).
    fn is_whole(&self) -> bool {
        self.trusted && self.counts == Counts::Whole
    }

    /// What of the file does not count, in one sentence; `None`: all of it does.
    fn notice(&self) -> Option<String> {
        const USERS: &[&str] = &["protect", "failure", "audit", "limits"];
        let file = &self.file;
        let mut ignored = Vec::new();
        let mut count = |many: usize, one: &str, more: &str| match many {
            0 => {}
            1 => ignored.push(format!("1 {one}")),
            many => ignored.push(format!("{many} {more}")),
        };
        if !self.is_whole() {
            let allow = file.lists.allow.len() + file.agents.iter().map(|(_, lists)| lists.allow.len()).sum::<usize>();
            count(allow, "allow rule", "allow rules");
            count(file.responds.len(), "response", "responses");
            count(file.handlers.len(), "handler", "handlers");
        }
        let tables = file.tables.iter().filter(|table| {
            USERS.contains(*table) || (!self.is_whole() && matches!(**table, "context" | "shell" | "sandbox"))
        });
        ignored.extend(tables.map(|table| format!("[{table}]")));
        let last = ignored.pop()?;
        let all = if ignored.is_empty() { last } else { format!("{} and {last}", ignored.join(", ")) };
        let shown = &file.source.shown;
        Some(match self.counts {
            Counts::Whole if self.trusted => format!("{shown}: {all} ignored: only the user's own policy sets that"),
            Counts::Whole => format!("{shown} is not trusted: {all} ignored; `snaphook trust` shows it"),
            Counts::Guards => format!("{shown} adds only its deny and ask rules here: {all} ignored"),
        })
    }
}

/// Holds what policy says about one event, and why.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Judgement {
    /// What was decided.
    pub decision: Decision,
    /// The rules and handlers that spoke, the deciding one first.
    pub causes: Vec<Cause>,
    /// What went wrong on the way without changing the verdict: a context file that is missing, an
    /// untrusted project file.
    pub remarks: Vec<String>,
    /// What made a command of the call one that is not understood; absent: all of it was.
    pub not_understood: Option<String>,
    /// What the rules say about each piece of a command; empty: it is one piece, or no command.
    pub parts: Vec<PartSaid>,
}

/// Holds what the rules say about one piece of a command.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct PartSaid {
    /// The piece in words, such as `Bash: git push -f` or `Write: out/a`.
    pub action: String,
    /// What the rules say about it.
    pub verdict: VerdictKind,
    /// The rule that says so; absent: none speaks about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// Names one rule or handler that spoke about an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Cause {
    /// What it said.
    pub verdict: VerdictKind,
    /// The rule as written, the handler's name, or a built-in such as `protect.snaphook`.
    pub rule: String,
    /// The file it stands in; absent: built in.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<usize>,
    /// The action it spoke about, in words, such as `Bash: git push -f`; absent: the whole event.
    pub action: Option<String>,
}

impl Cause {
    /// Names something built in that spoke about the whole event.
    pub fn new(verdict: VerdictKind, rule: impl Into<String>) -> Self {
        Self { verdict, rule: rule.into(), file: None, line: None, action: None }
    }
}

/// Runs what a policy decides with outside of itself.
pub trait Deciders {
    /// Asks a `[[handler]]`.
    ///
    /// # Errors
    /// What went wrong, in one line: the policy's `[failure] handler` applies.
    fn handler(&mut self, handler: &Handler, event: &HookEvent) -> Result<Decision, String>;

    /// Runs the command of a `[[respond]]` and returns its output as the text.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn respond(&mut self, command: &[String], deadline_ms: u64, event: &HookEvent) -> Result<String, String>;
}

/// Describes one `[[handler]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handler {
    /// Its name; argv\[0\] where the policy gives none.
    pub name: String,
    /// What is started, without a shell.
    pub command: Vec<String>,
    /// Its own time limit in milliseconds; the process's may be shorter.
    pub deadline_ms: u64,
}

impl Handler {
    /// Describes a handler by its name, its argv and its own time limit in milliseconds.
    pub fn new(name: impl Into<String>, command: Vec<String>, deadline_ms: u64) -> Self {
        Self { name: name.into(), command, deadline_ms }
    }
}
