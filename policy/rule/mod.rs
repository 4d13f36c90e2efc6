//! Rules: a kind of action and a matcher (G1-G4).

mod domain;
mod fragment;
mod kind;
mod late;
mod matcher;
mod mcp;
mod parse;
mod plain;
mod skill;

pub(crate) use domain::{DomainPattern, host_of};
pub(crate) use fragment::{Fragment, is_ascii_edge, is_edge};
pub(crate) use kind::RuleKind;
pub(crate) use matcher::Matcher;
pub(crate) use mcp::McpPattern;
pub(crate) use parse::parse;
pub use parse::{AgentEvent, ArgumentSlot, Vocabulary, covers_more, rule_fault};
pub(crate) use plain::{PlainForm, PlainShape};
pub(crate) use skill::SkillPattern;

use std::borrow::Cow;

use self::late::{Late, PlainCommand};
use crate::rule_words::{RuleWords, WordsAt};

/// One rule.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rule {
    /// The rule as written.
    pub text: Cow<'static, str>,
    /// The offset in its file, in bytes.
    pub at: usize,
    /// The texts for the model and the user, which few rules have.
    words: HeldWords,
    /// The kind of action it applies to; `None` for all.
    pub(crate) kind: Option<RuleKind>,
    limit: Late,
}

/// The texts of a rule, or where they are.
#[derive(Debug, Clone)]
enum HeldWords {
    /// In the policy file that has the rule.
    InFile(WordsAt),
    /// In a table that the TOML parser has read.
    Own(Box<RuleWords<'static>>),
}

impl Default for HeldWords {
    fn default() -> Self {
        Self::InFile(WordsAt::default())
    }
}

impl Rule {
    /// A deny or ask rule of a preset, which the build script has read.
    pub(crate) const fn of_preset(
        text: &'static str,
        at: usize,
        kind: RuleKind,
        shape: Option<PlainShape>,
        words: WordsAt,
    ) -> Self {
        Self {
            text: Cow::Borrowed(text),
            at,
            words: HeldWords::InFile(words),
            kind: Some(kind),
            limit: Late::of_preset(shape),
        }
    }

    /// Sets where the texts are.
    pub(crate) fn with_words_at(self, words: WordsAt) -> Self {
        Self { words: HeldWords::InFile(words), ..self }
    }

    /// Sets the texts.
    pub(crate) fn with_words(self, words: RuleWords<'static>) -> Self {
        Self { words: HeldWords::Own(Box::new(words)), ..self }
    }

    /// The texts for the model and the user; `None` if the rule has none. `file` is the text of the policy file that has the rule.
    pub fn words<'f>(&'f self, file: &'f str) -> Option<RuleWords<'f>> {
        match &self.words {
            HeldWords::InFile(at) => at.read(file),
            HeldWords::Own(words) => Some(words.borrowed()),
        }
    }

    /// The matcher for the actions of its kind.
    pub(crate) fn limit(&self) -> &Matcher {
        self.limit.get(&self.text)
    }

    /// The matcher, if the rule was not plain enough to build it later.
    pub(crate) fn limit_if_built(&self) -> Option<&Matcher> {
        match &self.limit {
            Late::Built(limit) => Some(limit),
            Late::Plain(_) | Late::Preset(_) => None,
        }
    }

    /// The name of the tool argument that it matches, if any (G2).
    pub fn param(&self) -> Option<&str> {
        self.limit.argument(&self.text)
    }

    /// Returns true for a rule about MCP tools.
    pub fn names_mcp(&self) -> bool {
        matches!(self.limit(), Matcher::Mcp(_))
    }

    /// Returns true if the rule can be matched only for agents whose calls name the MCP server.
    pub fn needs_mcp_server(&self) -> bool {
        matches!(self.limit(), Matcher::Mcp(pattern) if pattern.needs_server())
    }

    /// Returns true if the rule has a `:*` that is literal text, because it is not at the end.
    pub fn has_odd_colon(&self) -> bool {
        matches!(self.limit(), Matcher::Command(pattern) if pattern.odd_colon)
    }

    /// The segments that every path that the rule matches contains, if they are obvious.
    pub(crate) fn plain_segments(&self) -> impl Iterator<Item = &str> {
        self.limit.plain_segments(&self.text)
    }

    /// The name of the only tool that the rule matches, in ASCII, if it is obvious.
    pub(crate) fn plain_tool(&self) -> Option<&str> {
        self.limit.plain_tool(&self.text)
    }

    /// Returns false if the rule cannot match a command that starts with this word.
    pub(crate) fn may_begin(&self, program: &str) -> bool {
        self.first_word().is_none_or(|first| first == program.as_bytes())
    }

    /// Returns the first word of every command that the rule matches, in ASCII; `None` if it is not obvious.
    pub(crate) fn first_word(&self) -> Option<&[u8]> {
        self.plain_command().and_then(PlainCommand::first_word)
    }

    /// Returns the words of a plain rule about commands. Returns `None` for any other rule, and if no words are obvious.
    pub(crate) fn plain_command(&self) -> Option<PlainCommand<'_>> {
        self.limit.command(&self.text)
    }
}
