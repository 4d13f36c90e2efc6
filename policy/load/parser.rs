//! What the parsers of all tables share.

use std::path::PathBuf;

use super::file::{ContextTable, HandlerRule, Lists, PolicyFile, Respond};
use super::plain_lists::PlainLists;
use super::reader::{TomlReader, TomlValue};
use super::source::PolicySource;
use crate::described_tool::DescribedTool;
use crate::fault::did_you_mean_or;
use crate::list::List;
use crate::machine::Machine;
use crate::rule::{Rule, Vocabulary, parse};
use crate::sandbox::SandboxTable;
use crate::settings::{Audit, Failures, OnFailure, Overrides, PolicyLimits, PolicyMode, ProtectMode};

/// The contents of a policy file during parsing.
#[derive(Debug)]
pub(super) struct PolicyFileBuilder {
    pub(super) presets: Vec<PolicyFile>,
    pub(super) lists: Lists,
    pub(super) agents: Vec<(String, Lists)>,
    pub(super) responds: Vec<Respond>,
    pub(super) handlers: Vec<HandlerRule>,
    pub(super) tools: Vec<DescribedTool>,
    pub(super) context: ContextTable,
    pub(super) not_understood: Option<OnFailure>,
    pub(super) harmless_env: Option<Vec<String>>,
    pub(super) failures: Failures,
    pub(super) protect_own: ProtectMode,
    pub(super) protect_agents: ProtectMode,
    pub(super) audit: Audit,
    pub(super) limits: PolicyLimits,
    pub(super) sandbox: Option<SandboxTable>,
    pub(super) tables: Vec<&'static str>,
    pub(super) only_managed: bool,
    pub(super) mode: Option<PolicyMode>,
    pub(super) overrides: Overrides,
    pub(super) set: Vec<String>,
    pub(super) ignored: Vec<String>,
}

impl Default for PolicyFileBuilder {
    fn default() -> Self {
        Self {
            presets: Vec::new(),
            lists: Lists::default(),
            agents: Vec::new(),
            responds: Vec::new(),
            handlers: Vec::new(),
            tools: Vec::new(),
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
            only_managed: false,
            mode: None,
            overrides: Overrides::default(),
            set: Vec::new(),
            ignored: Vec::new(),
        }
    }
}

impl PolicyFileBuilder {
    pub(super) fn file(self, source: PolicySource) -> PolicyFile {
        PolicyFile {
            source,
            presets: self.presets,
            lists: self.lists,
            agents: self.agents,
            responds: self.responds,
            handlers: self.handlers,
            tools: self.tools,
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
            only_managed: self.only_managed,
            mode: self.mode,
            overrides: self.overrides,
            set: self.set,
            ignored: self.ignored,
        }
    }
}

pub(super) struct FileParser<'s, 'e> {
    pub(super) reader: TomlReader<'s>,
    pub(super) machine: &'e dyn Machine,
    pub(super) vocabulary: &'e dyn Vocabulary,
    pub(super) parts: PolicyFileBuilder,
    /// The tables to parse; `None` for all.
    pub(super) only: Option<&'static [&'static str]>,
    /// The lists of rules that were taken out of the text.
    pub(super) plain: Option<PlainLists<'s>>,
}

impl<'s, 'e> FileParser<'s, 'e> {
    pub(super) fn new(source: &'s PolicySource, machine: &'e dyn Machine, vocabulary: &'e dyn Vocabulary) -> Self {
        let (reader, parts) = (TomlReader::new(source), PolicyFileBuilder::default());
        Self { reader, machine, vocabulary, parts, only: None, plain: None }
    }

    pub(super) fn is_agent(&mut self, at: usize, path: &str, id: &str) -> bool {
        let ids = self.vocabulary.agents();
        if ids.contains(&id) {
            return true;
        }
        let hint = did_you_mean_or(id, ids.iter().copied(), || format!("expected one of {}", ids.join(", ")));
        self.reader.fault(at, path, &format!("unknown agent{hint}"));
        false
    }

    pub(super) fn agent_ids(&mut self, value: &TomlValue<'_>, path: &str) -> Vec<String> {
        let ids = self.reader.texts(value, path);
        ids.into_iter().filter(|(at, id)| self.is_agent(*at, path, id)).map(|(_, id)| id.to_owned()).collect()
    }

    pub(super) fn rule(&mut self, value: &TomlValue<'_>, path: &str) -> Option<Rule> {
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
