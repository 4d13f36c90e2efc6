//! Warnings about settings of a policy that agents cannot obey or that are probably mistakes (V4).
//! Computed by commands that show a policy, never during a call.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use snaphook_adapters::model::{EventKind, VerdictKind};
use snaphook_adapters::protocol::{Agent, EventRow, HookProtocol, Host, HostShell, McpNames, Power};
use snaphook_adapters::registry::Registry;

use snaphook_policy::{
    Cause, ContextTable, DescribedTool, Folders, Handler, HandlerRule, List, Lists, Policy, PolicyFile, PolicyLimits,
    Respond, Rule, SandboxTable, misspelt, words_of,
};

use super::{AgentNames, LoadedPolicy};

/// A warning about a policy, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyWarning {
    /// The file, as messages show it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The key, the problem and the remedy.
    pub text: String,
    /// True for a probable mistake in the file, false for a setting that some agents cannot obey.
    pub is_mistake: bool,
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: warning: {}", self.file, self.line, self.column, self.text)
    }
}

impl LoadedPolicy {
    /// The warnings about the policy, in the order of the files. Rules are compared in a session in `folder`. What agents
    /// cannot obey is said of those that `concerns` selects.
    pub fn warnings(
        &self,
        folder: Option<&str>,
        registry: &Registry,
        concerns: &dyn Fn(&Agent) -> bool,
    ) -> Vec<PolicyWarning> {
        let mut warnings = Vec::new();
        let mut limits_said = HashSet::new();
        for file in self.files() {
            let limits = self.limits();
            let mut of = Warnings { policy: self, folder, file, registry, concerns, limits, found: Vec::new() };
            of.lists("permissions", &file.lists, None);
            for (id, lists) in &file.agents {
                of.lists(&format!("agent.{id}.permissions"), lists, Some(id));
            }
            of.context();
            of.responds();
            for (index, handler) in file.handlers.iter().enumerate() {
                of.handler(index, handler);
            }
            for (index, tool) in file.tools.iter().enumerate() {
                of.tool(index, tool);
            }
            if let Some(table) = &file.sandbox {
                of.sandbox(table);
            }
            of.found.sort_by_key(|(at, ..)| *at);
            // What agents cannot do is said once.
            of.found.retain(|(_, is_mistake, text)| *is_mistake || limits_said.insert(text.clone()));
            warnings.extend(of.found.into_iter().map(|(at, is_mistake, text)| {
                let (line, column) = file.source.place(at);
                PolicyWarning { file: file.source.shown.clone(), line, column, text, is_mistake }
            }));
        }
        warnings
    }
}

struct Warnings<'a> {
    policy: &'a Policy,
    folder: Option<&'a str>,
    file: &'a PolicyFile,
    registry: &'a Registry,
    concerns: &'a dyn Fn(&Agent) -> bool,
    limits: PolicyLimits,
    /// The offset of each warning, whether it is a mistake, and its text.
    found: Vec<(usize, bool, String)>,
}

impl Warnings<'_> {
    /// Warns about a probable mistake.
    fn mistake(&mut self, at: usize, says: String) {
        self.found.push((at, true, says));
    }

    /// Warns about a setting that some agents cannot obey.
    fn limit(&mut self, at: usize, says: String) {
        self.found.push((at, false, says));
    }

    fn lists(&mut self, path: &str, lists: &Lists, only: Option<&str>) {
        // No user can correct a preset, and some of its rules may be void beside stricter ones of the user.
        let checked = if self.file.source.is_preset() { &[][..] } else { &List::ALL };
        for &list in checked {
            let rules = lists.of(list);
            for (index, rule) in rules.iter().enumerate() {
                let key = format!("{path}.{}[{index}]", list.word());
                if rules.iter().take(index).any(|before| before.text == rule.text) {
                    self.mistake(rule.at, format!("{key}: duplicate rule `{}`", rule.text));
                } else if list != List::Deny
                    && let folders = Folders::at(self.folder)
                    && let Some(cause) = self.policy.outweighing(rule, list, only.unwrap_or_default(), folders)
                {
                    self.mistake(rule.at, format!("{key}: `{}` has no effect: {}", rule.text, covering(&cause)));
                }
                self.rule(&key, rule, only, list == List::Allow);
                if let Some(says) = misspelt(rule, list, &self.limits) {
                    self.mistake(rule.at, format!("{key}: `{}` {says}", rule.text));
                }
            }
        }
        if let Some(rule) = lists.ask.first() {
            for agent in Self::agents_without(self.agents(only), can_ask) {
                self.limit(rule.at, format!("ask: {agent} cannot ask the user: calls are denied instead"));
            }
        }
    }

    fn rule(&mut self, key: &str, rule: &Rule, only: Option<&str>, grants: bool) {
        let (is_mistake, says) = if rule.has_odd_colon() {
            (true, ": `:*` is literal text unless it is at the end; write ` *` for a wildcard".to_owned())
        } else if let Some(name) = rule.param().filter(|name| !AgentNames::new(self.registry).knows(name)) {
            (true, format!(": no known tool has an argument `{name}`"))
        } else if rule.names_mcp() && grants {
            let joined = self.named(only, |mcp| matches!(mcp, McpNames::Bare | McpNames::Joined { .. }));
            if joined.is_empty() {
                return;
            }
            (false, format!(" never allows on {}: their tool names do not identify the server", joined.join(", ")))
        } else if rule.needs_mcp_server() {
            let bare = self.named(only, |mcp| mcp == McpNames::Bare);
            if bare.is_empty() {
                return;
            }
            (false, format!(" cannot be enforced on {}: calls of MCP tools do not name the server", bare.join(", ")))
        } else {
            return;
        };
        self.found.push((rule.at, is_mistake, format!("{key}: `{}`{says}", rule.text)));
    }

    fn context(&mut self) {
        let ContextTable { session, files, at, .. } = &self.file.context;
        if session.is_none() && files.is_empty() {
            return;
        }
        let cannot = Self::agents_without(self.agents(None), EventRow::takes_session_context);
        if !cannot.is_empty() {
            let says =
                format!("context: a session cannot start with a text on {}: the text is not sent", cannot.join(", "));
            self.limit(*at, says);
        }
    }

    /// Warns about responses, at the location of the first one.
    fn responds(&mut self) {
        let can = |power: Power| move |row: &EventRow| row.kind == EventKind::PreTool && row.can(power);
        let Some(one) = self.file.responds.first() else { return };
        let cannot = Self::agents_without(self.agents(None), can(Power::Respond));
        if !cannot.is_empty() {
            let says = format!(
                "respond: {} cannot respond in place of a tool: the call is denied with the text as the reason",
                cannot.join(", ")
            );
            self.limit(one.rule.at, says);
        }
        let details = |one: &&Respond| {
            let lists = [&one.media, &one.artifact_tags];
            one.is_error
                || one.silent
                || one.handled
                || one.for_user.is_some()
                || lists.iter().any(|list| !list.is_empty())
        };
        if let Some(one) = self.file.responds.iter().find(details) {
            let plain: Vec<_> = Self::agents_without(self.agents(None), can(Power::RespondDetails));
            let plain: Vec<_> = plain.into_iter().filter(|agent| !cannot.contains(agent)).collect();
            if !plain.is_empty() {
                let says = format!("respond: {} supports only the text of a response", plain.join(", "));
                self.limit(one.rule.at, says);
            }
        }
    }

    fn handler(&mut self, index: usize, one: &HandlerRule) {
        let mut cut = Vec::new();
        for agent in self.agents(None) {
            if !one.is_for(agent.id) || one.handler.deadline_ms == Handler::REST_OF_CALL {
                continue;
            }
            let asked = |kind: EventKind| one.kinds.iter().any(|word| words_of(kind).contains(word));
            for row in agent.events.iter().filter(|row| asked(row.kind)) {
                let Some(timeout) = row.failure.timeout else { continue };
                let left = (timeout / 2).as_millis().min(5000).saturating_sub(200);
                let says = format!("{} {}", agent.id, row.native);
                if u128::from(one.handler.deadline_ms) > left && !cut.contains(&says) {
                    cut.push(says);
                }
            }
        }
        for word in &one.kinds {
            let asked = |agent: &&Agent| one.is_for(agent.id);
            let never = Self::agents_without(self.agents(None).filter(asked), |row| words_of(row.kind).contains(word));
            if !never.is_empty() {
                let says = format!(
                    "handler[{index}].match: there is no {word} event on {}: the handler is not called there",
                    never.join(", ")
                );
                self.limit(one.at, says);
            }
        }
        for &word in &one.kinds {
            let asked = |agent: &&Agent| one.is_for(agent.id);
            let unregistered_event: Vec<_> =
                self.agents(None).filter(asked).filter_map(|agent| unregistered_event(agent, word)).collect();
            if !unregistered_event.is_empty() {
                let says = format!(
                    "handler[{index}].match: {word} is not registered by `snaphook install` for {}: register the event to have \
                     the handler called",
                    unregistered_event.join(", ")
                );
                self.limit(one.at, says);
            }
        }
        if !cut.is_empty() {
            let says = format!(
                "handler[{index}].deadline: exceeds the time available on {} and is reduced there",
                cut.join(", ")
            );
            self.limit(one.at, says);
        }
    }

    /// Warns about a tool that agents have themselves, and about guesses that stay.
    fn tool(&mut self, index: usize, one: &DescribedTool) {
        let has = |agent: &&Agent| agent.tools.iter().any(|row| one.is_named(agent.id, row.native));
        let known: Vec<_> = self.registry.iter().map(HookProtocol::agent).filter(has).map(|agent| agent.id).collect();
        if !known.is_empty() {
            let says = format!(
                "tool[{index}]: snaphook knows the tool `{}` of {}: its own arguments are judged as well",
                one.written,
                known.join(", ")
            );
            self.limit(one.at, says);
        }
        if !one.guesses && !self.policy.may_switch_off_guesses(self.file) {
            let says = format!("tool[{index}].guess: has no effect: only the managed policy may switch it off");
            self.mistake(one.at, says);
        }
    }

    /// Warns about agents whose own rules no longer match commands (V8), agents that cannot be isolated, and paths that
    /// are probably mistakes.
    fn sandbox(&mut self, table: &SandboxTable) {
        let of = |agent: &&Agent| table.agents.as_ref().is_none_or(|ids| ids.iter().any(|id| id == agent.id));
        let named = |agents: Vec<&'static str>| (!agents.is_empty()).then(|| agents.join(", "));
        let hidden: Vec<_> = self.agents(None).filter(of).filter(|a| a.wrapping.hides).map(|a| a.id).collect();
        if let Some(hidden) = named(hidden) {
            let says = format!(
                "sandbox: {hidden} match their own allow, ask and deny rules against the wrapped command, so rules \
                 written there about commands no longer match; write them in [permissions]"
            );
            self.limit(table.at, says);
        }
        if let Some(notice) = table.launcher.notice() {
            self.limit(table.at, format!("sandbox: {notice}"));
        }
        let unknown = |agent: &&Agent| agent.wrapping.shell == HostShell::Unknown;
        let unknown: Vec<_> = self.agents(None).filter(of).filter(unknown).map(|agent| agent.id).collect();
        if let Some(unknown) = named(unknown) {
            let what = if table.required == Some(false) { "not isolated" } else { "denied" };
            let says = format!("sandbox: the shell of {unknown} is unknown, so its commands are {what}");
            self.limit(table.at, says);
        }
        for place in
            table.write.iter().flatten().filter(|place| place.is_written_absolute() && Path::new(&place.text).exists())
        {
            let text = &place.text;
            let says =
                format!("sandbox.write: `{text}` is relative to the project; write `/{text}` for the absolute path");
            self.mistake(table.at, says);
        }
    }

    /// The agents without a matching event, and the versions of other agents without one.
    fn agents_without(agents: impl Iterator<Item = &'static Agent>, can: impl Fn(&EventRow) -> bool) -> Vec<String> {
        let mut agents_without = Vec::new();
        for agent in agents {
            let rows: Vec<_> = agent.events.iter().filter(|row| can(row)).collect();
            let has = |host: &Host| rows.iter().any(|row| row.hosts.iter().any(|id| host.is(id)));
            let without = agent.hosts.iter().filter(|host| !host.gates.is_empty() && !has(host));
            let without: Vec<_> = without.map(|host| host.versions).collect();
            match without.as_slice() {
                _ if rows.is_empty() => agents_without.push(agent.id.to_owned()),
                [] => {}
                versions => agents_without.push(format!("{} ({})", agent.id, versions.join("; "))),
            }
        }
        agents_without
    }

    /// The agents whose form of MCP tool names matches.
    fn named(&self, only: Option<&str>, how: impl Fn(McpNames) -> bool) -> Vec<&'static str> {
        self.agents(only).filter(|agent| how(agent.mcp)).map(|agent| agent.id).collect()
    }

    fn agents(&self, only: Option<&str>) -> impl Iterator<Item = &'static Agent> {
        let only = only.map(str::to_owned);
        let agents = self.registry.iter().map(HookProtocol::agent).filter(|agent| (self.concerns)(agent));
        agents.filter(move |agent| only.as_ref().is_none_or(|id| id == agent.id))
    }
}

/// Says which rule covers another one.
fn covering(cause: &Cause) -> String {
    let place = match (&cause.file, cause.line) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        _ => String::new(),
    };
    let says = if cause.verdict == VerdictKind::Deny { "denies" } else { "asks about" };
    format!("`{}`{place} {says} every such call", cause.rule)
}

/// The agent with one of its events of a kind, if `snaphook install` registers none of these events.
fn unregistered_event(agent: &Agent, word: &'static str) -> Option<String> {
    let mut rows = agent.events.iter().filter(|row| words_of(row.kind).contains(&word));
    let first = rows.clone().next()?;
    let known = agent.registration.blocks.is_empty() || rows.any(|row| agent.is_registered_for(row));
    (!known).then(|| format!("{} ({})", agent.id, first.native))
}

/// Returns true if the agent can ask the user at this event before a tool runs.
fn can_ask(row: &EventRow) -> bool {
    row.kind == EventKind::PreTool
        && row.gates()
        && [Power::Ask, Power::SilenceAsks].iter().any(|power| row.can(*power))
}
