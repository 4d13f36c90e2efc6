//! Parses the tables of one policy file, which `docs/reference/policy-file.md` lists.

use std::borrow::Cow;

use toml::de::{DeTable, DeValue};

use super::file::{HandlerRule, Lists, PolicyFile, Respond, ResponseSource};
use super::offsets::moved;
use super::parser::{FileParser, PolicyFileBuilder};
use super::plain_lists::{PlainLists, PlainRule};
use super::reader::TomlValue;
use super::source::PolicySource;
use super::tables;
use crate::fault::{PolicyFault, did_you_mean};
use crate::handler::{Handler, KINDS, Speaks, words_of};
use crate::list::List;
use crate::machine::Machine;
use crate::preset::{Preset, PresetRules};
use crate::rule::{Rule, Vocabulary, parse};
use crate::rule_words::RuleWords;

/// The name of the tables with cases, which calls do not read.
pub(super) const TEST: &str = "test";

const TABLES: &[&str] = &[
    "version",
    "only_managed",
    "mode",
    "extends",
    "permissions",
    "agent",
    "respond",
    "handler",
    "tool",
    "context",
    "shell",
    "protect",
    "failure",
    "audit",
    "limits",
    "overrides",
    "sandbox",
    TEST,
];

impl PolicyFile {
    /// A preset without those that it extends.
    pub(super) fn of_preset(preset: &Preset) -> Self {
        let PresetRules { deny, ask, .. } = preset.rules;
        let lists = Lists { deny: Cow::Borrowed(deny), ask: Cow::Borrowed(ask), allow: Vec::new() };
        let parts = PolicyFileBuilder { lists, tables: vec!["permissions"], ..PolicyFileBuilder::default() };
        parts.file(PolicySource::preset(preset))
    }

    /// Parses a policy file.
    ///
    /// # Errors
    /// One line for each error, and the value of `[failure] policy` if it can be read.
    pub fn read(source: PolicySource, machine: &dyn Machine, vocabulary: &dyn Vocabulary) -> Result<Self, PolicyFault> {
        Self::parse(source, machine, vocabulary, false)
    }

    /// Parses a file of which only the deny and ask rules apply. Unknown keys are ignored and listed in
    /// [`PolicyFile::ignored`].
    ///
    /// # Errors
    /// Like [`PolicyFile::read`].
    pub fn read_guards(
        source: PolicySource,
        machine: &dyn Machine,
        vocabulary: &dyn Vocabulary,
    ) -> Result<Self, PolicyFault> {
        Self::parse(source, machine, vocabulary, true)
    }

    fn parse(
        source: PolicySource,
        machine: &dyn Machine,
        vocabulary: &dyn Vocabulary,
        ignores_unknown: bool,
    ) -> Result<Self, PolicyFault> {
        let new = || {
            let mut parser = FileParser::new(&source, machine, vocabulary);
            if ignores_unknown {
                parser.reader.ignore_unknown();
            }
            parser
        };
        if let Some(parts) = read_with_plain_lists(&source, new()) {
            return Ok(parts.file(source));
        }
        let mut parser = new();
        parser.document(&source.text);
        let FileParser { reader, mut parts, .. } = parser;
        if !reader.is_clean() {
            return Err(PolicyFault { errors: reader.errors(), on_failure: parts.failures.policy });
        }
        parts.ignored = reader.ignored();
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
}

/// Parses a file whose long lists of rules are nothing but strings. Returns `None` if it is not certain that it has none but
/// such lists, or if it has an error.
fn read_with_plain_lists<'s>(source: &'s PolicySource, parser: FileParser<'s, '_>) -> Option<PolicyFileBuilder> {
    let mut plain = PlainLists::find(&source.text)?;
    let rest = std::mem::take(&mut plain.rest);
    let mut parser = FileParser { plain: Some(plain), ..parser };
    parser.document(&rest);
    let FileParser { reader, mut parts, plain, .. } = parser;
    if !reader.is_clean() || plain.is_none_or(|plain| !plain.are_taken()) {
        return None;
    }
    parts.ignored = reader.ignored();
    Some(parts)
}

impl FileParser<'_, '_> {
    fn document(&mut self, text: &str) {
        let mut table = self.reader.document(text);
        if let Some(plain) = self.plain.as_ref().filter(|_| self.reader.is_clean()) {
            table = moved(table, &|at| plain.in_whole_text(at));
        }
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
                "tool" => {
                    for (index, (at, table)) in self.reader.tables(value, name).into_iter().enumerate() {
                        let tool = super::tools::read(self, index, at, table);
                        self.parts.tools.push(tool);
                    }
                }
                "sandbox" => {
                    if let Some(table) = self.reader.table(value, name) {
                        self.parts.sandbox = super::sandbox::read(self, key.span().start, table);
                    }
                }
                TEST => {}
                "version" => self.version(value),
                "mode" => self.parts.mode = self.reader.word(value, name, tables::MODES),
                "extends" => super::extends::read(self, value),
                "only_managed" => self.parts.only_managed = self.reader.bool(value, name).unwrap_or_default(),
                _ => {
                    if let Some(table) = self.reader.table(value, name) {
                        if matches!(*known, "protect" | "failure" | "audit" | "limits" | "overrides") {
                            self.parts.set.extend(table.keys().map(|key| format!("{known}.{}", key.get_ref())));
                        }
                        tables::read(self, name, table);
                    }
                }
            }
        }
    }

    fn version(&mut self, value: &TomlValue<'_>) {
        if !matches!(value.get_ref(), DeValue::Integer(number) if number.as_str() == "1") {
            self.reader.fault(value.span().start, "version", "unknown version; expected 1");
        }
    }

    fn lists(&mut self, table: &DeTable<'_>, path: &str) -> Lists {
        let mut lists = Lists::default();
        for (key, value) in table {
            let (list, into) = match key.get_ref().as_ref() {
                "deny" => (List::Deny, lists.deny.to_mut()),
                "ask" => (List::Ask, lists.ask.to_mut()),
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
            for PlainRule { at, rule, words } in plain {
                match parse(rule, *at, list, self.vocabulary) {
                    Ok(rule) if list != List::Allow || words.instead == 0 => into.push(rule.with_words_at(*words)),
                    // The file is parsed again to name the key.
                    Ok(_) => self.reader.fault(*at, path, "`instead`"),
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
                    DeValue::Table(table) => {
                        let path = format!("{path}.{}[{index}]", list.word());
                        into.extend(self.worded_rule(at, table, list, &path));
                        continue;
                    }
                    _ => Err("expected a string, or a table with the key `rule`".to_owned()),
                };
                match read {
                    Ok(rule) => into.push(rule),
                    Err(says) => self.reader.fault(at, &format!("{path}.{}[{index}]", list.word()), &says),
                }
            }
        }
        lists
    }

    /// Reads a rule with texts for the model and the user.
    fn worded_rule(&mut self, at: usize, table: &DeTable<'_>, list: List, path: &str) -> Option<Rule> {
        const KEYS: &[&str] = &["rule", "reason", "instead"];
        let (mut rule, mut reason, mut instead) = (None, None, None);
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if !KEYS.contains(&name) {
                self.reader.unknown(path, key, KEYS);
                continue;
            }
            let path_of = format!("{path}.{name}");
            let Some(text) = self.reader.text(value, &path_of) else { continue };
            match name {
                "rule" => match parse(text, at, list, self.vocabulary) {
                    Ok(read) => rule = Some(read),
                    Err(says) => self.reader.fault(value.span().start, &path_of, &says),
                },
                _ if text.trim().is_empty() => {
                    self.reader.fault(value.span().start, &path_of, "empty; write a text or remove the key");
                }
                "instead" if list == List::Allow => {
                    self.reader.fault(key.span().start, &path_of, "an allow rule blocks nothing; remove the key");
                }
                "instead" => instead = Some(text.to_owned().into()),
                _ => reason = Some(text.to_owned().into()),
            }
        }
        if !table.contains_key("rule") {
            self.reader.fault(at, path, "missing `rule`; expected a rule such as \"Bash(git push *)\"");
        }
        let words = RuleWords::of(reason, instead);
        rule.map(|rule| words.into_iter().fold(rule, Rule::with_words))
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

    fn respond(&mut self, index: usize, at: usize, table: &DeTable<'_>) -> Option<Respond> {
        const KEYS: &[&str] = &[
            "match",
            "text",
            "file",
            "command",
            "is_error",
            "silent",
            "for_user",
            "media",
            "artifact_tags",
            "handled",
            "deadline",
        ];
        let path = format!("respond[{index}]");
        let mut rule = None;
        let mut answers = Vec::new();
        let (mut is_error, mut silent, mut for_user, mut deadline_ms) = (false, false, None, 2000);
        let (mut media, mut artifact_tags, mut handled) = (Vec::new(), Vec::new(), false);
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
                "media" | "artifact_tags" => {
                    let texts = reader.texts(value, &path_of).into_iter().map(|(_, text)| text.to_owned()).collect();
                    *(if name == "media" { &mut media } else { &mut artifact_tags }) = texts;
                }
                "handled" => handled = reader.bool(value, &path_of).unwrap_or_default(),
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
        Some(Respond { rule: rule?, answer, is_error, silent, for_user, media, artifact_tags, handled, deadline_ms })
    }

    fn handler(&mut self, index: usize, at: usize, table: &DeTable<'_>) -> Option<HandlerRule> {
        const KEYS: &[&str] = &[
            "match",
            "command",
            "http",
            "opa",
            "token_file",
            "token_env",
            "ca",
            "allow_plain_http",
            "name",
            "deadline",
            "agents",
            "except",
            "speaks",
            "events",
            "matcher",
            "adopted",
        ];
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
        found.handler.service = super::service::read(self, &path, table);
        let mut written = String::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let path_of = format!("{path}.{name}");
            match name {
                key if super::service::KEYS.contains(&key) => {}
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
                _ => self.reader.unknown(&path, key, KEYS),
            }
        }
        if found.handler.speaks.is_none() && !table.contains_key("match") {
            self.reader.fault(at, &path, "missing `match`; expected an array of strings");
        }
        let given: Vec<_> = ["command", "http", "opa"].into_iter().filter(|key| table.contains_key(*key)).collect();
        match given.as_slice() {
            [] => self.reader.fault(at, &path, "missing `command`; expected an array of strings, or `http` or `opa`"),
            ["command"] => {}
            [_] if found.handler.speaks.is_some() => {
                self.reader.fault(at, &path, "a handler with `speaks` is a program; expected `command`");
            }
            [_] => {}
            _ => self.reader.fault(at, &path, "expected exactly one of `command`, `http`, `opa`"),
        }
        if let Some(speaks) = found.handler.speaks.as_ref().filter(|_| !table.contains_key("match")) {
            found.kinds = kinds_of(speaks, self.vocabulary);
        }
        if found.kinds.is_empty() {
            found.kinds.push("PreTool");
        }
        if let Some(service) = &found.handler.service {
            service.endpoint.host().clone_into(&mut written);
        }
        if found.handler.command.is_empty() && found.handler.service.is_none() {
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
}

/// The words of the event kinds for which a handler is registered with its agent.
fn kinds_of(speaks: &Speaks, vocabulary: &dyn Vocabulary) -> Vec<&'static str> {
    let rows = vocabulary.events(&speaks.agent).into_iter();
    let rows = rows.filter(|row| speaks.events.iter().any(|name| row.is_named(name)));
    let mut kinds: Vec<_> = rows.filter_map(|row| words_of(row.kind).last().copied()).collect();
    kinds.dedup();
    kinds
}
