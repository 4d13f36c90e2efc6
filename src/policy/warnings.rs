//! What a policy says that the registered agents cannot do, or that cannot be meant (V4). Asked
//! for by commands that show a policy, never on the way of a call.

use snaphook_adapters::model::EventKind;
use snaphook_adapters::protocol::{Agent, HookProtocol, HostShell, McpNames, Power};
use snaphook_adapters::registry::Registry;

use super::judge::words_of;
use super::load::{HandlerRule, Lists, PolicyFile};
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
                self.rule(&key, rule, only);
            }
        }
        if let Some(rule) = lists.ask.first() {
            let cannot: Vec<_> = self.agents(only).filter(|agent| !asks(agent)).map(|agent| agent.id).collect();
            if !cannot.is_empty() {
                let says = format!("{path}.ask: {} cannot ask: it is a deny there", cannot.join(", "));
                self.found.push((rule.at, says));
            }
        }
    }

    fn rule(&mut self, key: &str, rule: &Rule, only: Option<&str>) {
        match &rule.limit {
            Limit::Command(pattern) if pattern.odd_colon => {
                let says = format!("{key}: `{}`: `:*` means itself unless it is the end; write ` *`", rule.text);
                self.found.push((rule.at, says));
            }
            Limit::Param { name, .. } if !Vocabulary(self.registry).knows(name) => {
                let says = format!("{key}: `{}`: no known tool has an argument `{name}`", rule.text);
                self.found.push((rule.at, says));
            }
            Limit::Mcp(pattern) if pattern.needs_server() => {
                let bare = self.agents(only).filter(|agent| agent.mcp == McpNames::Bare).map(|agent| agent.id);
                let bare: Vec<_> = bare.collect();
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
            let all = deny.kind.is_none() || (deny.kind == rule.kind && matches!(deny.limit, Limit::None));
            let commands = match (&deny.limit, rule.kind, rule.text.strip_prefix("Bash(")) {
                (Limit::Command(pattern), Some(Kind::Bash), Some(text)) if !text.contains('*') => {
                    pattern.covers(text.trim_end_matches(')'), &self.limits)
                }
                _ => false,
            };
            all || deny.text == rule.text || commands
        })
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

    fn agents(&self, only: Option<&str>) -> impl Iterator<Item = &'static Agent> {
        let only = only.map(str::to_owned);
        let agents = self.registry.iter().map(HookProtocol::agent);
        agents.filter(move |agent| only.as_ref().is_none_or(|id| id == agent.id))
    }
}

/// Whether an agent has a way to ask before a tool runs.
fn asks(agent: &Agent) -> bool {
    let asking = [Power::Ask, Power::SilenceAsks];
    let mut rows = agent.events.iter().filter(|row| row.gates());
    rows.any(|row| row.kind == EventKind::PreTool && asking.iter().any(|power| row.can(*power)))
}
