//! Parses the tables of one policy file, which `docs/reference/policy-file.md` lists.

use std::path::PathBuf;

use toml::de::{DeTable, DeValue};

use super::plain_lists::PlainLists;
use super::reader::{TomlReader, TomlValue};
use super::source::PolicySource;
use super::tables;
use crate::fault::{PolicyFault, did_you_mean};
use crate::judge::{KINDS, words_of};
use crate::machine::Machine;
use crate::path::Dir;
use crate::rule::{List, Matcher, Rule, RuleKind, Vocabulary, parse};
use crate::sandbox::SandboxTable;
use crate::settings::{Audit, Failures, OnFailure, PolicyLimits, ProtectMode};
use crate::{Handler, Speaks};

/// One parsed and valid policy file.
#[derive(Debug)]
#[non_exhaustive]
pub struct PolicyFile {
    /// The text, and where it is.
    pub source: PolicySource,
    /// `[permissions]`
    pub lists: Lists,
    /// `[agent.ID.permissions]`
    pub agents: Vec<(String, Lists)>,
    /// `[[respond]]`, in order.
    pub responds: Vec<Respond>,
    /// `[[handler]]`, in order.
    pub handlers: Vec<HandlerRule>,
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
}

impl PolicyFile {
    /// Parses a policy file.
    ///
    /// # Errors
    /// One line for each error, and the value of `[failure] policy` if it can be read.
    pub fn read(source: PolicySource, machine: &dyn Machine, vocabulary: &dyn Vocabulary) -> Result<Self, PolicyFault> {
        if let Some(parts) = read_with_plain_lists(&source, machine, vocabulary) {
            return Ok(parts.file(source));
        }
        let mut parser = FileParser::new(&source, machine, vocabulary);
        parser.document(&source.text);
        let FileParser { reader, parts, .. } = parser;
        if !reader.is_clean() {
            return Err(PolicyFault { errors: reader.errors(), on_failure: parts.failures.policy });
        }
        drop(reader);
        Ok(parts.file(source))
    }

    /// Parses some tables of a file and ignores the others.
    ///
    /// # Errors
    /// The file is not valid TOML, or one of these tables has an error.
    pub fn read_tables(
        source: PolicySource,
        machine: &dyn Machine,
        vocabulary: &dyn Vocabulary,
        only: &'static [&'static str],
    ) -> Result<Self, PolicyFault> {
        let mut parser = FileParser { only: Some(only), ..FileParser::new(&source, machine, vocabulary) };
        parser.document(&source.text);
        let FileParser { reader, parts, .. } = parser;
        if !reader.is_clean() {
            return Err(PolicyFault::new(reader.errors()));
        }
        drop(reader);
        Ok(parts.file(source))
    }

    /// Returns true if a deny rule evidently covers this rule completely.
    pub fn is_denied(&self, rule: &Rule, limits: &PolicyLimits) -> bool {
        self.lists.deny.iter().any(|deny| {
            let all = deny.kind.is_none() || (deny.kind == rule.kind && matches!(deny.limit(), Matcher::None));
            let commands = match (deny.limit(), rule.kind, rule.text.strip_prefix("Bash(")) {
                (Matcher::Command(pattern), Some(RuleKind::Bash), Some(text)) if !text.contains('*') => {
                    pattern.covers(text.trim_end_matches(')'), limits)
                }
                _ => false,
            };
            all || deny.text == rule.text || commands
        })
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
    pub deny: Vec<Rule>,
    /// Calls that the user is asked about.
    pub ask: Vec<Rule>,
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
        self.deny.iter().chain(&self.ask)
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

const TABLES: &[&str] = &[
    "permissions",
    "agent",
    "respond",
    "handler",
    "context",
    "shell",
    "protect",
    "failure",
    "audit",
    "limits",
    "sandbox",
];

/// Parses a file whose long lists of rules are nothing but strings. Returns `None` if it is not certain that it has none but
/// such lists, or if it has an error.
fn read_with_plain_lists(
    source: &PolicySource,
    machine: &dyn Machine,
    vocabulary: &dyn Vocabulary,
) -> Option<PolicyFileBuilder> {
    let mut plain = PlainLists::find(&source.text)?;
    let rest = std::mem::take(&mut plain.rest);
    let mut parser = FileParser { plain: Some(plain), ..FileParser::new(source, machine, vocabulary) };
    parser.document(&rest);
    let FileParser { reader, parts, plain, .. } = parser;
    (reader.is_clean() && plain.is_some_and(|plain| plain.are_taken())).then_some(parts)
}

/// The contents of a policy file during parsing.
#[derive(Debug)]
pub(super) struct PolicyFileBuilder {
    lists: Lists,
    agents: Vec<(String, Lists)>,
    responds: Vec<Respond>,
    handlers: Vec<HandlerRule>,
    pub(super) context: ContextTable,
    pub(super) not_understood: Option<OnFailure>,
    pub(super) harmless_env: Option<Vec<String>>,
    pub(super) failures: Failures,
    pub(super) protect_own: ProtectMode,
    pub(super) protect_agents: ProtectMode,
    pub(super) audit: Audit,
    pub(super) limits: PolicyLimits,
    sandbox: Option<SandboxTable>,
    tables: Vec<&'static str>,
}

impl Default for PolicyFileBuilder {
    fn default() -> Self {
        Self {
            lists: Lists::default(),
            agents: Vec::new(),
            responds: Vec::new(),
            handlers: Vec::new(),
            context: ContextTable::default(),
            not_understood: None,
            harmless_env: None,
            failures: Failures::default(),
            protect_own: ProtectMode::Deny,
            protect_agents: ProtectMode::Ask,
            audit: Audit::default(),
            limits: PolicyLimits::default(),
            sandbox: None,
            tables: Vec::new(),
        }
    }
}

impl PolicyFileBuilder {
    fn file(self, source: PolicySource) -> PolicyFile {
        PolicyFile {
            source,
            lists: self.lists,
            agents: self.agents,
            responds: self.responds,
            handlers: self.handlers,
            context: self.context,
            not_understood: self.not_understood,
            harmless_env: self.harmless_env,
            failures: self.failures,
            protect_own: self.protect_own,
            protect_agents: self.protect_agents,
            audit: self.audit,
            limits: self.limits,
            sandbox: self.sandbox,
            tables: self.tables,
            own: None,
        }
    }
}

pub(super) struct FileParser<'s, 'e> {
    pub(super) reader: TomlReader<'s>,
    pub(super) machine: &'e dyn Machine,
    pub(super) vocabulary: &'e dyn Vocabulary,
    pub(super) parts: PolicyFileBuilder,
    /// The tables to parse; `None` for all.
    only: Option<&'static [&'static str]>,
    /// The lists of rules that were taken out of the text.
    plain: Option<PlainLists<'s>>,
}

impl<'s, 'e> FileParser<'s, 'e> {
    fn new(source: &'s PolicySource, machine: &'e dyn Machine, vocabulary: &'e dyn Vocabulary) -> Self {
        let (reader, parts) = (TomlReader::new(source), PolicyFileBuilder::default());
        Self { reader, machine, vocabulary, parts, only: None, plain: None }
    }

    fn document(&mut self, text: &str) {
        let table = self.reader.document(text);
        for (key, value) in &table {
            let name = key.get_ref().as_ref();
            if self.only.is_some_and(|only| !only.contains(&name)) {
                continue;
            }
            let Some(known) = TABLES.iter().find(|known| **known == name) else {
                self.reader.unknown("", key, TABLES);
                continue;
            };
            self.parts.tables.push(known);
            match *known {
                "permissions" => {
                    let lists = self.reader.table(value, name).map(|table| self.lists(table, name));
                    self.parts.lists = lists.unwrap_or_default();
                }
                "agent" => self.agents(value),
                "respond" => {
                    for (index, (at, table)) in self.reader.tables(value, name).into_iter().enumerate() {
                        let respond = self.respond(index, at, table);
                        self.parts.responds.extend(respond);
                    }
                }
                "handler" => {
                    for (index, (at, table)) in self.reader.tables(value, name).into_iter().enumerate() {
                        let handler = self.handler(index, at, table);
                        self.parts.handlers.extend(handler);
                    }
                }
                "sandbox" => {
                    if let Some(table) = self.reader.table(value, name) {
                        self.parts.sandbox = super::sandbox::read(self, key.span().start, table);
                    }
                }
                _ => {
                    if let Some(table) = self.reader.table(value, name) {
                        tables::read(self, name, table);
                    }
                }
            }
        }
    }

    fn lists(&mut self, table: &DeTable<'_>, path: &str) -> Lists {
        let mut lists = Lists::default();
        for (key, value) in table {
            let (list, into) = match key.get_ref().as_ref() {
                "deny" => (List::Deny, &mut lists.deny),
                "ask" => (List::Ask, &mut lists.ask),
                "allow" => (List::Allow, &mut lists.allow),
                _ => {
                    self.reader.unknown(path, key, &["deny", "ask", "allow"]);
                    continue;
                }
            };
            let DeValue::Array(items) = value.get_ref() else {
                self.reader.texts(value, &format!("{path}.{}", list.word()));
                continue;
            };
            let plain = self.plain.as_mut().and_then(|plain| plain.take(value.span())).unwrap_or_default();
            into.reserve(items.len() + plain.len());
            for (at, text) in plain {
                match parse(text, *at, list, self.vocabulary) {
                    Ok(rule) => into.push(rule),
                    // The file is parsed again to name the key.
                    Err(says) => self.reader.fault(*at, path, &says),
                }
            }
            for (index, item) in items.iter().enumerate() {
                if self.reader.is_full() {
                    break;
                }
                let at = item.span().start;
                let read = match item.get_ref() {
                    DeValue::String(text) => parse(text, at, list, self.vocabulary),
                    _ => Err("expected a string".to_owned()),
                };
                match read {
                    Ok(rule) => into.push(rule),
                    Err(says) => self.reader.fault(at, &format!("{path}.{}[{index}]", list.word()), &says),
                }
            }
        }
        lists
    }

    fn agents(&mut self, value: &TomlValue<'_>) {
        let Some(table) = self.reader.table(value, "agent") else { return };
        for (id, value) in table {
            let name = id.get_ref().as_ref();
            let path = format!("agent.{name}");
            if !self.is_agent(id.span().start, &path, name) {
                continue;
            }
            let Some(table) = self.reader.table(value, &path) else { continue };
            for (key, value) in table {
                if key.get_ref() != "permissions" {
                    self.reader.unknown(&path, key, &["permissions"]);
                    continue;
                }
                let path = format!("{path}.permissions");
                if let Some(table) = self.reader.table(value, &path) {
                    let lists = self.lists(table, &path);
                    self.parts.agents.push((name.to_owned(), lists));
                }
            }
        }
    }

    fn is_agent(&mut self, at: usize, path: &str, id: &str) -> bool {
        let ids = self.vocabulary.agents();
        if ids.contains(&id) {
            return true;
        }
        let hint = did_you_mean(id, ids.iter().copied());
        let known = ids.join(", ");
        let hint = if hint.is_empty() { format!("; expected one of {known}") } else { hint };
        self.reader.fault(at, path, &format!("unknown agent{hint}"));
        false
    }

    pub(super) fn agent_ids(&mut self, value: &TomlValue<'_>, path: &str) -> Vec<String> {
        let ids = self.reader.texts(value, path);
        ids.into_iter().filter(|(at, id)| self.is_agent(*at, path, id)).map(|(_, id)| id.to_owned()).collect()
    }

    fn respond(&mut self, index: usize, at: usize, table: &DeTable<'_>) -> Option<Respond> {
        const KEYS: &[&str] = &["match", "text", "file", "command", "is_error", "silent", "for_user", "deadline"];
        let path = format!("respond[{index}]");
        let mut rule = None;
        let mut answers = Vec::new();
        let (mut is_error, mut silent, mut for_user, mut deadline_ms) = (false, false, None, 2000);
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let path_of = format!("{path}.{name}");
            let reader = &mut self.reader;
            match name {
                "match" => rule = self.rule(value, &path_of),
                "text" => {
                    answers.extend(reader.text(value, &path_of).map(|text| ResponseSource::Text(text.to_owned())));
                }
                "file" => {
                    let (source, home) = (reader.source, self.machine.home());
                    let file = reader.text(value, &path_of);
                    answers.extend(file.map(|file| ResponseSource::File(source.named(file, home))));
                }
                "command" => {
                    answers.extend(self.command(value, &path_of).map(|(_, words)| ResponseSource::Command(words)));
                }
                "is_error" => is_error = reader.bool(value, &path_of).unwrap_or_default(),
                "silent" => silent = reader.bool(value, &path_of).unwrap_or_default(),
                "for_user" => for_user = reader.text(value, &path_of).map(str::to_owned),
                "deadline" => deadline_ms = reader.duration_ms(value, &path_of).unwrap_or(deadline_ms),
                _ => reader.unknown(&path, key, KEYS),
            }
        }
        if !table.contains_key("match") {
            self.reader.fault(at, &path, "missing `match`; expected a rule such as \"WebFetch\"");
        }
        let given = ["text", "file", "command"].iter().filter(|key| table.contains_key(**key)).count();
        if given != 1 {
            self.reader.fault(at, &path, "expected exactly one of `text`, `file`, `command`");
        }
        let answer = answers.pop()?;
        Some(Respond { rule: rule?, answer, is_error, silent, for_user, deadline_ms })
    }

    fn handler(&mut self, index: usize, at: usize, table: &DeTable<'_>) -> Option<HandlerRule> {
        const KEYS: &[&str] =
            &["match", "command", "name", "deadline", "agents", "except", "speaks", "events", "matcher", "adopted"];
        let path = format!("handler[{index}]");
        let mut found = HandlerRule {
            handler: Handler::new("", Vec::new(), 2000),
            kinds: Vec::new(),
            rules: Vec::new(),
            agents: Vec::new(),
            except: Vec::new(),
            at,
        };
        found.handler.speaks = self.speaks(&path, table);
        if found.handler.speaks.is_some() {
            found.handler.deadline_ms = Handler::REST_OF_CALL;
        }
        let mut written = String::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let path_of = format!("{path}.{name}");
            match name {
                "match" => self.matches(value, &path_of, &mut found),
                "command" => (written, found.handler.command) = self.command(value, &path_of).unwrap_or_default(),
                "name" => self.reader.text(value, &path_of).unwrap_or_default().clone_into(&mut found.handler.name),
                "deadline" => {
                    let deadline = self.reader.duration_ms(value, &path_of);
                    found.handler.deadline_ms = deadline.unwrap_or(found.handler.deadline_ms);
                }
                "agents" => found.agents = self.agent_ids(value, &path_of),
                "except" => found.except = self.agent_ids(value, &path_of),
                "speaks" | "events" | "matcher" => {}
                "adopted" => drop(self.reader.text(value, &path_of)),
                "url" => {
                    self.reader.fault(key.span().start, &path_of, "not supported; use `command`");
                }
                _ => self.reader.unknown(&path, key, KEYS),
            }
        }
        let needed = if found.handler.speaks.is_some() { &["command"][..] } else { &["match", "command"] };
        for key in needed {
            if !table.contains_key(*key) {
                self.reader.fault(at, &path, &format!("missing `{key}`; expected an array of strings"));
            }
        }
        if let Some(speaks) = found.handler.speaks.as_ref().filter(|_| !table.contains_key("match")) {
            found.kinds = kinds_of(speaks, self.vocabulary);
        }
        if found.kinds.is_empty() {
            found.kinds.push("PreTool");
        }
        if found.handler.command.is_empty() {
            return None;
        }
        if found.handler.name.is_empty() {
            found.handler.name = written;
        }
        Some(found)
    }

    /// Reads the keys of a handler that was written for an agent.
    fn speaks(&mut self, path: &str, table: &DeTable<'_>) -> Option<Speaks> {
        let Some((key, value)) = table.get_key_value("speaks") else {
            for (key, _) in table.iter().filter(|(key, _)| ["events", "matcher"].contains(&key.get_ref().as_ref())) {
                let says = "has a meaning only with `speaks`";
                self.reader.fault(key.span().start, &format!("{path}.{}", key.get_ref()), says);
            }
            return None;
        };
        let id = self.reader.text(value, &format!("{path}.speaks"))?;
        if !self.is_agent(key.span().start, &format!("{path}.speaks"), id) {
            return None;
        }
        let mut speaks = Speaks::new(id);
        let rows = self.vocabulary.events(id);
        if let Some(value) = table.get("events") {
            let path = format!("{path}.events");
            for (at, name) in self.reader.texts(value, &path) {
                if !rows.iter().any(|row| row.is_named(name)) {
                    let hint = did_you_mean(name, rows.iter().map(|row| row.name));
                    self.reader.fault(at, &path, &format!("{id} has no event `{name}`{hint}"));
                }
                speaks.events.push(name.to_owned());
            }
        }
        speaks.matcher = table
            .get("matcher")
            .and_then(|value| self.reader.text(value, &format!("{path}.matcher")).map(str::to_owned));
        Some(speaks)
    }

    fn matches(&mut self, value: &TomlValue<'_>, path: &str, found: &mut HandlerRule) {
        let texts = self.reader.texts(value, path);
        if texts.is_empty() && matches!(value.get_ref(), DeValue::Array(items) if items.is_empty()) {
            self.reader.fault(value.span().start, path, "empty array; expected event kinds and rules, or `\"*\"`");
        }
        for (index, (at, text)) in texts.into_iter().enumerate() {
            if let Some(kind) = KINDS.iter().find(|kind| **kind == text) {
                found.kinds.push(kind);
                continue;
            }
            match parse(text, at, List::Deny, self.vocabulary) {
                Ok(rule) => found.rules.push(rule),
                Err(says) => {
                    let hint = did_you_mean(text, KINDS.iter().copied());
                    let says = if hint.is_empty() { says } else { format!("unknown event kind `{text}`{hint}") };
                    self.reader.fault(at, &format!("{path}[{index}]"), &says);
                }
            }
        }
    }

    fn rule(&mut self, value: &TomlValue<'_>, path: &str) -> Option<Rule> {
        let text = self.reader.text(value, path)?;
        let at = value.span().start;
        match parse(text, at, List::Deny, self.vocabulary) {
            Ok(rule) => Some(rule),
            Err(says) => {
                self.reader.fault(at, path, &says);
                None
            }
        }
    }

    /// Parses an argv. Returns the program as written, and the argv in which a path is resolved relative to
    /// the policy file. A bare name is searched for on PATH.
    pub(super) fn command(&mut self, value: &TomlValue<'_>, path: &str) -> Option<(String, Vec<String>)> {
        let mut words: Vec<_> = self.reader.texts(value, path).into_iter().map(|(_, word)| word.to_owned()).collect();
        let Some(program) = words.first_mut().filter(|program| !program.is_empty()) else {
            self.reader.fault(
                value.span().start,
                path,
                "missing program name; expected an array such as `[\"judge\"]`",
            );
            return None;
        };
        let written = program.clone();
        if written.contains('/') {
            let file = self.reader.source.named(&written, self.machine.home());
            // Without the steps that are `.`.
            *program = file.components().collect::<PathBuf>().display().to_string();
        }
        Some((written, words))
    }
}

/// The words of the event kinds for which a handler is registered with its agent.
fn kinds_of(speaks: &Speaks, vocabulary: &dyn Vocabulary) -> Vec<&'static str> {
    let rows = vocabulary.events(&speaks.agent).into_iter();
    let rows = rows.filter(|row| speaks.events.iter().any(|name| row.is_named(name)));
    let mut kinds: Vec<_> = rows.filter_map(|row| words_of(row.kind).last().copied()).collect();
    kinds.dedup();
    kinds
}
