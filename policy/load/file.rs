//! The contents of a policy file.

use std::borrow::Cow;
use std::path::PathBuf;

use super::extends::is_loaded;
use super::source::PolicySource;
use crate::described_tool::DescribedTool;
use crate::handler::Handler;
use crate::list::List;
use crate::path::Dir;
use crate::rule::Rule;
use crate::sandbox::SandboxTable;
use crate::settings::{Audit, Failures, OnFailure, Overrides, PolicyLimits, PolicyMode, ProtectMode};

/// One parsed and valid policy file.
#[derive(Debug)]
#[non_exhaustive]
pub struct PolicyFile {
    /// The text, and where it is.
    pub source: PolicySource,
    /// The presets of `extends`, each once, with those that they extend.
    pub presets: Vec<PolicyFile>,
    /// `[permissions]`
    pub lists: Lists,
    /// `[agent.ID.permissions]`
    pub agents: Vec<(String, Lists)>,
    /// `[[respond]]`, in order.
    pub responds: Vec<Respond>,
    /// `[[handler]]`, in order.
    pub handlers: Vec<HandlerRule>,
    /// `[[tool]]`, in order.
    pub tools: Vec<DescribedTool>,
    /// `[context]`
    pub context: ContextTable,
    pub(crate) not_understood: Option<OnFailure>,
    /// Additional environment variables that only affect output (B7); `None` if not set.
    pub(crate) harmless_env: Option<Vec<String>>,
    /// `[failure]`
    pub failures: Failures,
    pub(crate) protect_own: ProtectMode,
    pub(crate) protect_agents: ProtectMode,
    /// `[audit]`
    pub audit: Audit,
    /// `[limits]`
    pub limits: PolicyLimits,
    /// `[sandbox]`
    pub sandbox: Option<SandboxTable>,
    /// The tables in the file, for notices about ignored ones.
    pub tables: Vec<&'static str>,
    /// The directory that `/a` is relative to; `None` in the user's file.
    pub own: Option<Dir>,
    /// True if no other file applies beside this one, which is the managed policy.
    pub only_managed: bool,
    /// `[overrides]`
    pub overrides: Overrides,
    /// The value of `mode`; `None` if not set.
    pub mode: Option<PolicyMode>,
    /// The keys of the tables `protect`, `failure`, `audit`, `limits` and `overrides` that the file sets, such as `audit.file`, without
    /// those that the managed policy replaces.
    pub set: Vec<String>,
    /// The errors about unknown keys that were ignored, one line each.
    pub ignored: Vec<String>,
}

impl PolicyFile {
    /// The file and its presets.
    pub(crate) fn with_presets(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.presets)
    }

    /// Returns true if the file sets this key of `protect`, `failure`, `audit`, `limits` or `overrides`.
    pub fn sets(&self, key: &str) -> bool {
        self.set.iter().any(|set| set == key)
    }

    /// The value of a key of `[failure]` beside this managed policy: its own if it sets the key. Otherwise the user's, unless
    /// that is weaker than the default, because a failure that passes could escape a deny rule.
    pub fn failure_beside(&self, key: &str, of: impl Fn(&Failures) -> OnFailure, users: OnFailure) -> OnFailure {
        let own = of(&self.failures);
        if self.sets(&format!("failure.{key}")) { own } else { own.min(users) }
    }

    /// Removes the presets that are among others, so that they are not judged again.
    pub(crate) fn leave_presets_to(&mut self, others: &[Self]) {
        self.presets.retain(|preset| !is_loaded(others, &preset.source.shown));
    }

    /// Replaces the settings that the managed policy sets, and those that are weaker than the default: a call that passes
    /// after a failure, or that is too long to be read, could escape a deny rule. They are then no longer set here. Removes
    /// the presets that the managed policy has.
    pub fn fix(&mut self, managed: &Self) {
        const ROTATION: [&str; 3] = ["audit.rotate_size", "audit.rotate_days", "audit.keep_days"];
        self.leave_presets_to(&managed.presets);
        let (users, own) = (self.failures, &managed.limits);
        let set = &mut self.set;
        set.retain(|key| !managed.sets(key));
        let mut failure = |key, of: fn(&Failures) -> OnFailure| {
            let on = managed.failure_beside(key, of, of(&users));
            if on != of(&users) {
                set.retain(|set| set.strip_prefix("failure.") != Some(key));
            }
            on
        };
        self.failures = Failures {
            input: failure("input", |all| all.input),
            policy: failure("policy", |all| all.policy),
            handler: failure("handler", |all| all.handler),
            deadline: failure("deadline", |all| all.deadline),
            unknown: failure("unknown", |all| all.unknown),
            audit: failure("audit", |all| all.audit),
        };
        let limits = &mut self.limits;
        for (key, users, own) in [
            ("limits.command", &mut limits.command, own.command),
            ("limits.depth", &mut limits.depth, own.depth),
            ("limits.nodes", &mut limits.nodes, own.nodes),
        ] {
            if managed.sets(key) || *users < own {
                *users = own;
                set.retain(|set| set != key);
            }
        }
        if managed.sets("limits.input") || limits.input < own.input {
            limits.input = own.input;
            set.retain(|set| set != "limits.input");
        }
        if managed.sets("limits.reason") {
            limits.reason = own.reason;
        }
        if managed.sets("limits.text") {
            limits.text = own.text;
        }
        if managed.sets("audit.enabled") {
            self.audit.enabled = managed.audit.enabled;
        }
        if managed.sets("audit.file") {
            self.audit.file.clone_from(&managed.audit.file);
        }
        // Who fixes the log also decides how long it is kept.
        if ["audit.enabled", "audit.file"].iter().chain(&ROTATION).any(|key| managed.sets(key)) {
            self.audit.rotation = managed.audit.rotation;
            self.set.retain(|key| !ROTATION.contains(&key.as_str()));
        }
        if managed.sets("audit.inputs") {
            self.audit.inputs = managed.audit.inputs;
        }
        if managed.sets("overrides.pause") {
            self.overrides.pause = managed.overrides.pause;
        }
        if managed.sets("overrides.allow_once") {
            self.overrides.allow_once = managed.overrides.allow_once;
        }
        self.mode = managed.mode.or(self.mode);
        if managed.sets("audit.shapes") {
            self.audit.shapes = managed.audit.shapes;
        }
        if managed.sets("audit.otlp") {
            self.audit.otlp.clone_from(&managed.audit.otlp);
        }
        if managed.sets("protect.snaphook") {
            self.protect_own = managed.protect_own;
        }
        if managed.sets("protect.agents") {
            self.protect_agents = managed.protect_agents;
        }
    }

    /// The lists that apply to an agent.
    pub(crate) fn lists_of(&self, agent: &str) -> impl Iterator<Item = &Lists> {
        let own = self.agents.iter().filter(move |(id, _)| id == agent);
        std::iter::once(&self.lists).chain(own.map(|(_, lists)| lists))
    }
}

/// The three lists of one `permissions` table.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Lists {
    /// Calls that are denied.
    pub deny: Cow<'static, [Rule]>,
    /// Calls that the user is asked about.
    pub ask: Cow<'static, [Rule]>,
    /// Calls that are allowed.
    pub allow: Vec<Rule>,
}

impl Lists {
    /// The rules of one list.
    pub fn of(&self, list: List) -> &[Rule] {
        match list {
            List::Deny => &self.deny,
            List::Ask => &self.ask,
            List::Allow => &self.allow,
        }
    }

    /// The deny and ask rules.
    pub(crate) fn guards(&self) -> impl Iterator<Item = &Rule> {
        self.deny.iter().chain(self.ask.iter())
    }
}

/// One `[[respond]]` table.
#[derive(Debug)]
#[non_exhaustive]
pub struct Respond {
    /// The calls that are answered.
    pub rule: Rule,
    /// The text of the answer.
    pub answer: ResponseSource,
    /// True if the tool is said to have failed.
    pub is_error: bool,
    /// True if the user is not shown the answer.
    pub silent: bool,
    /// A text for the user.
    pub for_user: Option<String>,
    /// References to media in the agent's own store.
    pub media: Vec<String>,
    /// Tags for the model that name local files which belong to the response.
    pub artifact_tags: Vec<String>,
    /// True if the user has already received the answer by the response.
    pub handled: bool,
    /// The time limit of a command, in milliseconds.
    pub deadline_ms: u64,
}

/// The source of the text of a response.
#[derive(Debug)]
pub enum ResponseSource {
    /// The text itself.
    Text(String),
    /// A file.
    File(PathBuf),
    /// A command that prints it.
    Command(Vec<String>),
}

/// One `[[handler]]` table and the events for which it is called.
#[derive(Debug)]
#[non_exhaustive]
pub struct HandlerRule {
    /// What is started.
    pub handler: Handler,
    /// The names of event kinds; never empty.
    pub kinds: Vec<&'static str>,
    /// The rules that the event must match; empty for every event of these kinds.
    pub rules: Vec<Rule>,
    /// The agents to which it applies; empty for all.
    pub agents: Vec<String>,
    /// The agents to which it does not apply.
    pub except: Vec<String>,
    /// The offset of the table.
    pub at: usize,
}

impl HandlerRule {
    /// Returns true if the handler applies to an agent.
    pub fn is_for(&self, agent: &str) -> bool {
        let lists = |ids: &[String]| ids.iter().any(|id| id == agent);
        (self.agents.is_empty() || lists(&self.agents)) && !lists(&self.except)
    }
}

/// The `[context]` table.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ContextTable {
    /// A text.
    pub session: Option<String>,
    /// Files with texts.
    pub files: Vec<PathBuf>,
    /// The offset of the first key.
    pub at: usize,
}
