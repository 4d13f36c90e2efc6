//! Decides calls by rules over actions, read from `snaphook.toml`. Depends only on the model, never on
//! the field names of an agent.

mod command;
mod fault;
mod judge;
#[path = "../src/policy/load/mod.rs"]
mod load;
mod misspelt;
pub(crate) mod path;
#[path = "../src/policy/places.rs"]
mod places;
mod protected;
mod rule;
pub(crate) mod sandbox;
mod settings;
#[cfg(test)]
mod testing;
#[path = "../src/policy/trust.rs"]
pub mod trust;
#[path = "../src/policy/user.rs"]
mod user;
#[path = "../src/policy/warnings.rs"]
mod warnings;
mod wildcard;

pub use fault::PolicyFault;
pub(crate) use judge::CallFacts;
pub use load::UserPolicy;
pub use path::Folders;
pub use places::{Places, Stamp};
pub(crate) use places::{on_path, started_as};
pub use settings::{Audit, AuditInputs, Failures, OnFailure, PolicyLimits};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use snaphook_adapters::model::{Decision, HookEvent, VerdictKind};
use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;

use load::{CONTEXT_MAX, Lists, PolicyFile, ProjectScope};
pub(crate) use rule::List;
use sandbox::SandboxPolicy;
use settings::ProtectMode;

/// Returns the error of a rule in a list (`deny`, `ask`, `allow`); `None` if the rule is valid there.
pub(crate) fn rule_fault(text: &str, list: List, registry: &Registry) -> Option<String> {
    rule::parse(text, 0, list, rule::ToolArguments(registry)).err()
}

/// What a deny or ask rule about commands covers besides its own spelling, in words; `None` for other rules.
pub(crate) fn covers_more(text: &str) -> Option<String> {
    let arguments = Registry::empty();
    match rule::parse(text, 0, List::Deny, rule::ToolArguments(&arguments)).ok()?.limit() {
        rule::Matcher::Command(pattern) => pattern.covers_more(),
        _ => None,
    }
}

/// The policy for users without a policy file; `snaphook init` writes it to a file.
pub const STARTER: &str = include_str!("starter.toml");

/// The policy that applies to one event: the user's file or the starter policy, and the project files.
#[derive(Debug)]
pub struct Policy {
    user: Arc<PolicyFile>,
    /// The project files, nearest first.
    projects: Vec<Project>,
    places: Arc<Places>,
    agents: Vec<&'static Agent>,
}

#[derive(Debug)]
struct Project {
    file: PolicyFile,
    /// True if the user trusts this content.
    trusted: bool,
    scope: ProjectScope,
}

impl Policy {
    /// The `[failure]` table.
    pub fn failures(&self) -> Failures {
        self.user.failures
    }

    /// The `[limits]` table.
    pub fn limits(&self) -> PolicyLimits {
        self.user.limits
    }

    /// The `[audit]` table.
    pub fn audit(&self) -> &Audit {
        &self.user.audit
    }

    /// The origin of the user's policy: its path, or `starter`.
    pub fn origin(&self) -> &str {
        &self.user.source.shown
    }

    /// SHA-256 over the contents of all files that apply, in hexadecimal.
    pub fn digest(&self) -> String {
        trust::digest(self.files().map(|file| file.source.text.as_str()))
    }

    /// The files that apply, as messages show them, the user's first.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.files().map(|file| file.source.shown.as_str())
    }

    /// The messages that are shown once per session about ignored parts of project files (F4, F5).
    pub fn notices(&self) -> Vec<String> {
        self.projects.iter().filter_map(Project::notice).collect()
    }

    fn files(&self) -> impl Iterator<Item = &PolicyFile> {
        std::iter::once(&*self.user).chain(self.projects.iter().map(|project| &project.file))
    }

    /// The files that are applied in full, the user's first.
    fn full_files(&self) -> impl Iterator<Item = &PolicyFile> {
        let trusted = self.projects.iter().filter(|project| project.is_full()).map(|project| &project.file);
        std::iter::once(&*self.user).chain(trusted)
    }

    /// The sandbox for commands of an agent, or of any caller if `agent` is `None`. Returns `None` without a sandbox.
    pub(crate) fn sandbox(&self, agent: Option<&str>) -> Option<SandboxPolicy<'_>> {
        let tables = self.full_files().filter_map(|file| Some((file.sandbox.as_ref()?, file.own.as_ref())));
        sandbox::merge(&tables.collect::<Vec<_>>(), agent)
    }

    /// The path of the user's file; `None` for the starter policy.
    pub(crate) fn user_file(&self) -> Option<&Path> {
        self.user.source.path.as_deref()
    }

    /// The directory with snaphook's own files, if it is protected.
    pub(crate) fn own_folder(&self) -> Option<PathBuf> {
        self.places.state_folder().filter(|_| self.user.protect_own != ProtectMode::Off)
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    fn is_applied_in_full(&self, file: &PolicyFile) -> bool {
        self.full_files().any(|whole| std::ptr::eq(whole, file))
    }

    /// The lists that apply to an agent, in order: the first match gives the reason (F3).
    fn lists<'p>(&'p self, agent: &str) -> impl Iterator<Item = (&'p PolicyFile, &'p Lists)> {
        self.files().flat_map(move |file| file.lists_of(agent).map(move |lists| (file, lists)))
    }

    fn not_understood(&self) -> OnFailure {
        self.full_files().find_map(|file| file.not_understood).unwrap_or(OnFailure::Pass)
    }

    fn harmless_env(&self) -> &[String] {
        self.full_files().find_map(|file| file.harmless_env.as_deref()).unwrap_or_default()
    }

    /// The texts for the model at the start of a session, and messages about texts that are missing.
    fn session_context(&self) -> (Vec<String>, Vec<String>) {
        let session = self.full_files().find_map(|file| file.context.session.clone());
        let files = self.full_files().map(|file| &file.context.files).find(|files| !files.is_empty());
        let (mut texts, mut missing) = (Vec::from_iter(session), Vec::new());
        for path in files.into_iter().flatten() {
            match load::read_named(path) {
                Ok(text) => texts.push(text),
                Err(error) => missing.push(format!("context.files: {}: {error}", self.places.shown(path))),
            }
        }
        if texts.iter().map(|text| text.len() as u64).sum::<u64>() > CONTEXT_MAX {
            texts.clear();
            missing.push("context: longer than 16 KiB in total, so none of it is sent; shorten it".to_owned());
        }
        (texts, missing)
    }
}

impl Project {
    /// Returns true if the file is applied in full (F5), false if only its deny and ask rules are (F4).
    fn is_full(&self) -> bool {
        self.trusted && self.scope == ProjectScope::Full
    }

    /// A sentence about the ignored parts of the file; `None` if no part is ignored.
    fn notice(&self) -> Option<String> {
        const USERS: &[&str] = &["protect", "failure", "audit", "limits"];
        let file = &self.file;
        let mut ignored = Vec::new();
        let mut count = |many: usize, one: &str, more: &str| match many {
            0 => {}
            1 => ignored.push(format!("1 {one}")),
            many => ignored.push(format!("{many} {more}")),
        };
        if !self.is_full() {
            let allow = file.lists.allow.len() + file.agents.iter().map(|(_, lists)| lists.allow.len()).sum::<usize>();
            count(allow, "allow rule", "allow rules");
            count(file.responds.len(), "response", "responses");
            count(file.handlers.len(), "handler", "handlers");
        }
        let tables = file.tables.iter().filter(|table| {
            USERS.contains(*table) || (!self.is_full() && matches!(**table, "context" | "shell" | "sandbox"))
        });
        ignored.extend(tables.map(|table| format!("[{table}]")));
        let last = ignored.pop()?;
        let all = if ignored.is_empty() { last } else { format!("{} and {last}", ignored.join(", ")) };
        let shown = &file.source.shown;
        Some(match self.scope {
            ProjectScope::Full if self.trusted => {
                format!("{shown}: {all} ignored: only the user's own policy sets that")
            }
            ProjectScope::Full => format!("{shown} is not trusted: {all} ignored; `snaphook trust` shows it"),
            ProjectScope::GuardsOnly => format!("{shown} adds only its deny and ask rules here: {all} ignored"),
        })
    }
}

/// The decision about one event, and its causes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Judgement {
    /// The decision.
    pub decision: Decision,
    /// The rules and handlers that contributed to the verdict, the deciding one first.
    pub causes: Vec<Cause>,
    /// Problems that did not change the verdict, such as a missing context file or an untrusted project
    /// file.
    pub remarks: Vec<String>,
    /// The part of a command that could not be analysed; `None` if all of it was.
    pub not_understood: Option<String>,
    /// The verdict of the rules on each part of a compound command; empty for other calls.
    pub parts: Vec<PartVerdict>,
}

/// The verdict of the rules on one part of a command.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct PartVerdict {
    /// The action as text, such as `Bash: git push -f` or `Write: out/a`.
    pub action: String,
    /// The verdict.
    pub verdict: VerdictKind,
    /// The rule that decided; `None` if no rule matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// A rule or handler that contributed to the verdict on an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Cause {
    /// Its verdict.
    pub verdict: VerdictKind,
    /// The rule as written, the handler's name, or a built-in such as `protect.snaphook`.
    pub rule: String,
    /// The file of the rule; `None` for a built-in.
    pub file: Option<String>,
    /// The line of the rule, from 1.
    pub line: Option<usize>,
    /// The action it matched, as text, such as `Bash: git push -f`; `None` for the whole event.
    pub action: Option<String>,
}

impl Cause {
    /// Creates the cause of a built-in rule for the whole event.
    pub fn new(verdict: VerdictKind, rule: impl Into<String>) -> Self {
        Self { verdict, rule: rule.into(), file: None, line: None, action: None }
    }
}

/// Runs what a policy decides outside of the process.
pub trait Deciders {
    /// Runs a `[[handler]]`.
    ///
    /// # Errors
    /// The failure, on one line. The policy's `[failure] handler` then applies.
    fn handler(&mut self, handler: &Handler, event: &HookEvent) -> Result<Decision, String>;

    /// Returns what the log has to say about the last handler besides its decision.
    fn remarks(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Runs the command of a `[[respond]]` and returns its output.
    ///
    /// # Errors
    /// The failure, on one line.
    fn respond(&mut self, command: &[String], deadline_ms: u64, event: &HookEvent) -> Result<String, String>;
}

/// The command of a `[[handler]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handler {
    /// The name; argv\[0\] if the policy does not set one.
    pub name: String,
    /// The argv, which is started without a shell.
    pub command: Vec<String>,
    /// The time limit in milliseconds. The remaining time of the call may be shorter.
    pub deadline_ms: u64,
    /// The agent for which the program was written; `None` if it reads the event of snaphook.
    pub speaks: Option<Speaks>,
}

/// The agent for which a handler was written, and the registration of the handler there.
#[derive(Clone)]
#[non_exhaustive]
pub struct Speaks {
    /// The agent.
    pub protocol: &'static dyn HookProtocol,
    /// The agent's names of the events; empty: those of `match`.
    pub events: Vec<String>,
    /// The matcher, in the agent's syntax; `None`: every tool.
    pub matcher: Option<String>,
}

impl Speaks {
    /// Creates the registration of a handler for every event.
    pub fn new(protocol: &'static dyn HookProtocol) -> Self {
        Self { protocol, events: Vec::new(), matcher: None }
    }

    fn facts(&self) -> (&'static str, &[String], Option<&str>) {
        (self.protocol.agent().id, &self.events, self.matcher.as_deref())
    }
}

impl std::fmt::Debug for Speaks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.facts().fmt(f)
    }
}

impl PartialEq for Speaks {
    fn eq(&self, other: &Self) -> bool {
        self.facts() == other.facts()
    }
}

impl Eq for Speaks {}

impl Handler {
    /// The time limit of a handler that may use the rest of the call's time.
    pub const REST_OF_CALL: u64 = u64::MAX;

    /// Creates a handler with a name, an argv and a time limit in milliseconds.
    pub fn new(name: impl Into<String>, command: Vec<String>, deadline_ms: u64) -> Self {
        Self { name: name.into(), command, deadline_ms, speaks: None }
    }
}
