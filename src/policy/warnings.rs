//! What a policy says that the registered agents cannot do, or that cannot be meant (V4). Asked
//! for by commands that show a policy, never on the way of a call.

use snaphook_adapters::model::EventKind;
use snaphook_adapters::protocol::{Agent, EventRow, HookProtocol, Host, HostShell, McpNames, Power};
use snaphook_adapters::registry::Registry;

use super::judge::words_of;
use super::load::{Context, HandlerRule, Lists, PolicyFile, Respond};
use super::rule::{Kind, Limit, List, Rule, Vocabulary};
use super::sandbox::SandboxTable;
use super::{Limits, Policy};

impl Policy {
    /// Everything worth a warning, one line each, in the order of the files.
    pub fn warnings(&self, registry: &Registry) -> Vec<String> {
        let mut warnings = Vec::new();
        for file in self.files() {
            let mut of = Warnings { file, registry, limits: &self.user.limits, found: Vec::new() };
            of.lists("permissions", &file.lists, None);
            for (id, lists) in &file.agents {
                of.lists(&format!("agent.{id}.permissions"), lists, Some(id));
            }
            of.context();
            of.responds();
            for (index, handler) in file.handlers.iter().enumerate() {
                of.handler(index, handler);
            }
            if let Some(table) = &file.sandbox {
                of.sandbox(table);
            }
            of.found.sort_by_key(|(at, _)| *at);
            warnings.extend(of.found.into_iter().map(|(at, says)| {
                let (line, column) = file.source.place(at);
                format!("{}:{line}:{column}: warning: {says}", file.source.shown)
            }));
        }
        warnings
    }
}

struct Warnings<'a> {
    file: &'a PolicyFile,
    registry: &'a Registry,
    limits: &'a Limits,
    found: Vec<(usize, String)>,
}

impl Warnings<'_> {
    fn lists(&mut self, path: &str, lists: &Lists, only: Option<&str>) {
        for list in [List::Deny, List::Ask, List::Allow] {
            let rules = lists.of(list);
            for (index, rule) in rules.iter().enumerate() {
                let key = format!("{path}.{}[{index}]", list.word());
                if rules.iter().take(index).any(|before| before.text == rule.text) {
                    self.found.push((rule.at, format!("{key}: `{}` is there twice", rule.text)));
                } else if list != List::Deny && self.denied(rule) {
                    self.found.push((rule.at, format!("{key}: `{}` never counts: deny covers it", rule.text)));
                }
                self.rule(&key, rule, only, list == List::Allow);
            }
        }
        if let Some(rule) = lists.ask.first() {
            let cannot = Self::lacking(self.agents(only), asks);
            if !cannot.is_empty() {
                let says = format!("{path}.ask: {} cannot ask: it is a deny there", cannot.join(", "));
                self.found.push((rule.at, says));
            }
        }
    }

    fn rule(&mut self, key: &str, rule: &Rule, only: Option<&str>, grants: bool) {
        match rule.limit() {
            Limit::Command(pattern) if pattern.odd_colon => {
                let says = format!("{key}: `{}`: `:*` means itself unless it is the end; write ` *`", rule.text);
                self.found.push((rule.at, says));
            }
            Limit::Param { name, .. } if !Vocabulary(self.registry).knows(name) => {
                let says = format!("{key}: `{}`: no known tool has an argument `{name}`", rule.text);
                self.found.push((rule.at, says));
            }
            Limit::Mcp(_) if grants => {
                let joined = self.named(only, |mcp| matches!(mcp, McpNames::Bare | McpNames::Joined { .. }));
                if !joined.is_empty() {
                    let says = format!(
                        "{key}: `{}` never allows on {}: whose tool it is cannot be told from the name there",
                        rule.text,
                        joined.join(", ")
                    );
                    self.found.push((rule.at, says));
                }
            }
            Limit::Mcp(pattern) if pattern.needs_server() => {
                let bare = self.named(only, |mcp| mcp == McpNames::Bare);
                if !bare.is_empty() {
                    let says = format!(
                        "{key}: `{}` cannot be enforced on {}: it does not send the server's name",
                        rule.text,
                        bare.join(", ")
                    );
                    self.found.push((rule.at, says));
                }
            }
            _ => {}
        }
    }

    /// Whether a rule of deny covers this one whole, as far as that can be said easily.
    fn denied(&self, rule: &Rule) -> bool {
        self.file.lists.deny.iter().any(|deny| {
            let all = deny.kind.is_none() || (deny.kind == rule.kind && matches!(deny.limit(), Limit::None));
            let commands = match (deny.limit(), rule.kind, rule.text.strip_prefix("Bash(")) {
                (Limit::Command(pattern), Some(Kind::Bash), Some(text)) if !text.contains('*') => {
                    pattern.covers(text.trim_end_matches(')'), self.limits)
                }
                _ => false,
            };
            all || deny.text == rule.text || commands
        })
    }

    fn context(&mut self) {
        let Context { session, files, at } = &self.file.context;
        if session.is_none() && files.is_empty() {
            return;
        }
        let cannot =
            Self::lacking(self.agents(None), |row| row.kind == EventKind::SessionStart && row.can(Power::Context));
        if !cannot.is_empty() {
            let says = format!("context: {} takes no text where a session starts: it is not given", cannot.join(", "));
            self.found.push((*at, says));
        }
    }

    /// The first response speaks for all of them.
    fn responds(&mut self) {
        let can = |power: Power| move |row: &EventRow| row.kind == EventKind::PreTool && row.can(power);
        let Some(one) = self.file.responds.first() else { return };
        let cannot = Self::lacking(self.agents(None), can(Power::Respond));
        if !cannot.is_empty() {
            let says = format!(
                "respond: {} cannot answer in the tool's place: it is a deny with the text as its reason",
                cannot.join(", ")
            );
            self.found.push((one.rule.at, says));
        }
        let details = |one: &&Respond| one.is_error || one.silent || one.for_user.is_some();
        if let Some(one) = self.file.responds.iter().find(details) {
            let plain: Vec<_> = Self::lacking(self.agents(None), can(Power::RespondDetails));
            let plain: Vec<_> = plain.into_iter().filter(|agent| !cannot.contains(agent)).collect();
            if !plain.is_empty() {
                let says = format!("respond: {} takes the text alone", plain.join(", "));
                self.found.push((one.rule.at, says));
            }
        }
    }

    fn handler(&mut self, index: usize, one: &HandlerRule) {
        let mut cut = Vec::new();
        for agent in self.agents(None) {
            if !one.agents.is_empty() && !one.agents.iter().any(|id| id == agent.id) {
                continue;
            }
            let asked = |kind: EventKind| one.kinds.iter().any(|word| words_of(kind).contains(word));
            for row in agent.events.iter().filter(|row| asked(row.kind) && row.timeout_ms > 0) {
                let left = (u64::from(row.timeout_ms) / 2).min(5000).saturating_sub(200);
                let says = format!("{} {}", agent.id, row.native);
                if one.handler.deadline_ms > left && !cut.contains(&says) {
                    cut.push(says);
                }
            }
        }
        for word in &one.kinds {
            let asked = |agent: &&Agent| one.agents.is_empty() || one.agents.iter().any(|id| id == agent.id);
            let never = Self::lacking(self.agents(None).filter(asked), |row| words_of(row.kind).contains(word));
            if !never.is_empty() {
                let says = format!("handler[{index}].match: {} has no {word}: it is not asked there", never.join(", "));
                self.found.push((one.at, says));
            }
        }
        for &word in &one.kinds {
            let asked = |agent: &&Agent| one.agents.is_empty() || one.agents.iter().any(|id| id == agent.id);
            let unpasted: Vec<_> = self.agents(None).filter(asked).filter_map(|agent| unpasted(agent, word)).collect();
            if !unpasted.is_empty() {
                let says = format!(
                    "handler[{index}].match: {word} is not in what `snaphook install` registers with {}: add the event \
                     to be asked there",
                    unpasted.join(", ")
                );
                self.found.push((one.at, says));
            }
        }
        if !cut.is_empty() {
            let says = format!("handler[{index}].deadline: cut on {}", cut.join(", "));
            self.found.push((one.at, says));
        }
    }

    /// Whose own rules no longer see the command (V8), who cannot be served, and what is easily mistaken.
    fn sandbox(&mut self, table: &SandboxTable) {
        let of = |agent: &&Agent| table.agents.as_ref().is_none_or(|ids| ids.iter().any(|id| id == agent.id));
        let named = |agents: Vec<&'static str>| (!agents.is_empty()).then(|| agents.join(", "));
        let hidden: Vec<_> = self.agents(None).filter(of).filter(|a| a.wrapping.hides).map(|a| a.id).collect();
        if let Some(hidden) = named(hidden) {
            let says = format!(
                "sandbox: {hidden} match their own allow, ask and deny rules against the wrapped command, so rules \
                 written there about commands no longer match; write them in [permissions]"
            );
            self.found.push((table.at, says));
        }
        let unknown = |agent: &&Agent| agent.wrapping.shell == HostShell::Unknown;
        let unknown: Vec<_> = self.agents(None).filter(of).filter(unknown).map(|agent| agent.id).collect();
        if let Some(unknown) = named(unknown) {
            let what = if table.required == Some(false) { "not isolated" } else { "denied" };
            let says = format!("sandbox: the shell of {unknown} is not known, so commands there are {what}");
            self.found.push((table.at, says));
        }
        for place in table.write.iter().flatten().filter(|place| place.looks_absolute()) {
            let text = &place.text;
            let says = format!("sandbox.write: `{text}` is `{text}` below the project; write `/{text}` for the other");
            self.found.push((table.at, says));
        }
    }

    /// The agents that lack something on all their events, and the versions of others that do.
    fn lacking(agents: impl Iterator<Item = &'static Agent>, can: impl Fn(&EventRow) -> bool) -> Vec<String> {
        let mut lacking = Vec::new();
        for agent in agents {
            let rows: Vec<_> = agent.events.iter().filter(|row| can(row)).collect();
            let has = |host: &Host| rows.iter().any(|row| row.hosts.iter().any(|id| host.is(id)));
            let without = agent.hosts.iter().filter(|host| !host.gates.is_empty() && !has(host));
            let without: Vec<_> = without.map(|host| host.versions).collect();
            match without.as_slice() {
                _ if rows.is_empty() => lacking.push(agent.id.to_owned()),
                [] => {}
                versions => lacking.push(format!("{} ({})", agent.id, versions.join("; "))),
            }
        }
        lacking
    }

    /// The agents that write the names of MCP tools in some way.
    fn named(&self, only: Option<&str>, how: impl Fn(McpNames) -> bool) -> Vec<&'static str> {
        self.agents(only).filter(|agent| how(agent.mcp)).map(|agent| agent.id).collect()
    }

    fn agents(&self, only: Option<&str>) -> impl Iterator<Item = &'static Agent> {
        let only = only.map(str::to_owned);
        let agents = self.registry.iter().map(HookProtocol::agent);
        agents.filter(move |agent| only.as_ref().is_none_or(|id| id == agent.id))
    }
}

/// An agent that has events of a kind, with one of them, where no registration of ours brings any.
fn unpasted(agent: &Agent, word: &'static str) -> Option<String> {
    let mut rows = agent.events.iter().filter(|row| words_of(row.kind).contains(&word));
    let first = rows.clone().next()?;
    let known = agent.registration.blocks.is_empty() || rows.any(|row| agent.is_registered_for(row));
    (!known).then(|| format!("{} ({})", agent.id, first.native))
}

/// Whether an event has a way to ask before a tool runs.
fn asks(row: &EventRow) -> bool {
    row.kind == EventKind::PreTool
        && row.gates()
        && [Power::Ask, Power::SilenceAsks].iter().any(|power| row.can(*power))
}
