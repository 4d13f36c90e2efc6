//! Decides calls by rules, read from the text of a `snaphook.toml`: rules in, verdict out.
//!
//! A call is a list of actions, such as to run a command or to read a file. Commands are analysed by `snaphook-shell`. The
//! facts about a call are computed once, as [`CallFacts`], and lent to the rules, to the program's handlers and to its
//! sandbox. Nothing here touches files, the clock, the environment or processes: what a policy asks about the machine, such
//! as where a symbolic link leads, the program answers as a [`Machine`]. No agent's message, row or reply writer can be
//! reached from here.
//!
//! `policy/examples/verdict.rs` judges a command by a policy.

#![expect(clippy::exhaustive_enums, reason = "whoever reads a policy has to handle every word of it")]
// Tests read and write files, and judge the calls of real agents.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types))]

mod call;
mod command;
mod fault;
mod judge;
mod load;
mod machine;
mod misspelt;
mod path;
mod protected;
mod rule;
mod sandbox;
mod settings;
#[cfg(test)]
mod testing;
mod wildcard;

pub use call::PolicyCall;
pub use fault::PolicyFault;
pub use judge::{
    AskedHandler, CallFacts, CombinedVerdict, CommandDetails, Judging, KINDS, Opinion, RuledCall, RunsCommand, words_of,
};
pub use load::{ContextTable, HandlerRule, Lists, PolicyFile, PolicySource, Respond, ResponseSource, shown};
pub use machine::{AgentFile, AgentFileRole, EmptyMachine, Files, FolderEntry, Lookup, Machine, MovedFile, OwnFiles};
pub use misspelt::misspelt;
pub use path::{Dir, Folders, PathContext, fold, is_marked, key_files, resolve, text_of, within};
pub use protected::{OWN_FOLDER, POLICY_FILE, PROJECT_FILE, TRUST_FILE};
pub use rule::{AgentEvent, ArgumentSlot, List, Rule, Vocabulary};
pub use sandbox::{HideEntry, Launcher, Network, SandboxPath, SandboxPolicy, SandboxTable};
pub use settings::{Audit, AuditInputs, Failures, OnFailure, PolicyLimits};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use snaphook_adapters::model::VerdictKind;

use self::load::CONTEXT_MAX;
use self::settings::ProtectMode;

/// Returns the error of a rule in a list (`deny`, `ask`, `allow`); `None` if the rule is valid there.
pub fn rule_fault(text: &str, list: List, vocabulary: &dyn Vocabulary) -> Option<String> {
    rule::parse(text, 0, list, vocabulary).err()
}

/// What a deny or ask rule about commands covers besides its own spelling, in words; `None` for other rules.
pub fn covers_more(text: &str) -> Option<String> {
    match rule::parse(text, 0, List::Deny, &()).ok()?.limit() {
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
    projects: Vec<ProjectPolicy>,
    machine: Arc<dyn Machine>,
}

/// A project file, and the part of it that applies.
#[derive(Debug)]
pub struct ProjectPolicy {
    file: PolicyFile,
    trusted: bool,
    scope: ProjectScope,
}

/// The part of a project file that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectScope {
    /// The whole file if it is trusted, else its deny and ask rules.
    Full,
    /// Only its deny and ask rules, trusted or not.
    GuardsOnly,
}

impl Policy {
    /// Combines the user's file with project files, nearest first.
    pub fn new(user: Arc<PolicyFile>, projects: Vec<ProjectPolicy>, machine: Arc<dyn Machine>) -> Self {
        Self { user, projects, machine }
    }

    /// The machine on which the calls run.
    pub fn machine(&self) -> &dyn Machine {
        &*self.machine
    }

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

    /// The files that apply, as messages show them, the user's first.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.files().map(|file| file.source.shown.as_str())
    }

    /// The messages that are shown once per session about ignored parts of project files (F4, F5).
    pub fn notices(&self) -> Vec<String> {
        self.projects.iter().filter_map(ProjectPolicy::notice).collect()
    }

    /// The files that apply, the user's first.
    pub fn files(&self) -> impl Iterator<Item = &PolicyFile> {
        std::iter::once(&*self.user).chain(self.projects.iter().map(|project| &project.file))
    }

    /// The files that are applied in full, the user's first.
    fn full_files(&self) -> impl Iterator<Item = &PolicyFile> {
        let trusted = self.projects.iter().filter(|project| project.is_full()).map(|project| &project.file);
        std::iter::once(&*self.user).chain(trusted)
    }

    /// The sandbox for commands of an agent, or of any caller if `agent` is `None`. Returns `None` without a sandbox.
    pub fn sandbox(&self, agent: Option<&str>) -> Option<SandboxPolicy<'_>> {
        let tables = self.full_files().filter_map(|file| Some((file.sandbox.as_ref()?, file.own.as_ref())));
        sandbox::merge(&tables.collect::<Vec<_>>(), agent)
    }

    /// The path of the user's file; `None` for the starter policy.
    pub fn user_file(&self) -> Option<&Path> {
        self.user.source.path.as_deref()
    }

    /// The directory with snaphook's own files, if it is protected.
    pub fn own_folder(&self) -> Option<PathBuf> {
        self.machine().own_files().state.filter(|_| self.user.protect_own != ProtectMode::Off)
    }

    /// Formats a path for messages, with the home folder as `~`.
    fn shown(&self, path: &Path) -> String {
        shown(path, self.machine().home())
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
    pub fn session_context(&self) -> (Vec<String>, Vec<String>) {
        let session = self.full_files().find_map(|file| file.context.session.clone());
        let files = self.full_files().map(|file| &file.context.files).find(|files| !files.is_empty());
        let (mut texts, mut missing) = (Vec::from_iter(session), Vec::new());
        for path in files.into_iter().flatten() {
            match self.machine().read(path) {
                Ok(text) => texts.push(text),
                Err(error) => missing.push(format!("context.files: {}: {error}", self.shown(path))),
            }
        }
        if texts.iter().map(|text| text.len() as u64).sum::<u64>() > CONTEXT_MAX {
            texts.clear();
            missing.push("context: longer than 16 KiB in total, so none of it is sent; shorten it".to_owned());
        }
        (texts, missing)
    }
}

impl ProjectPolicy {
    /// Adds the folder of a project file to it. `trusted` is true if the user trusts this content.
    pub fn new(mut file: PolicyFile, trusted: bool, scope: ProjectScope, files: &dyn Files) -> Self {
        file.own = file.source.folder.as_ref().map(|folder| Dir::new(&text_of(folder), files));
        Self { file, trusted, scope }
    }

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
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Speaks {
    /// The id of the agent.
    pub agent: String,
    /// The agent's names of the events; empty: those of `match`.
    pub events: Vec<String>,
    /// The matcher, in the agent's syntax; `None`: every tool.
    pub matcher: Option<String>,
}

impl Speaks {
    /// Creates the registration of a handler for every event of an agent.
    pub fn new(agent: impl Into<String>) -> Self {
        Self { agent: agent.into(), events: Vec::new(), matcher: None }
    }
}

impl Handler {
    /// The time limit of a handler that may use the rest of the call's time.
    pub const REST_OF_CALL: u64 = u64::MAX;

    /// Creates a handler with a name, an argv and a time limit in milliseconds.
    pub fn new(name: impl Into<String>, command: Vec<String>, deadline_ms: u64) -> Self {
        Self { name: name.into(), command, deadline_ms, speaks: None }
    }
}
