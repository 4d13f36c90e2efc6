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

/// One rule.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rule {
    /// The rule as written.
    pub text: Cow<'static, str>,
    /// The offset in its file, in bytes.
    pub at: usize,
    /// The texts for the model and the user, which few rules have.
    words: Option<HeldWords>,
    /// The kind of action it applies to; `None` for all.
    pub(crate) kind: Option<RuleKind>,
    limit: Late,
}

/// The texts of a rule, which are sent if it decides.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleWords {
    /// The reason for the rule; `None` if the rule has none.
    pub reason: Option<Cow<'static, str>>,
    /// The alternative that is suggested to the model; `None` if the rule has none.
    pub instead: Option<Cow<'static, str>>,
}

/// The texts of a rule, behind a pointer, so that a rule without them is small.
#[derive(Debug, Clone)]
enum HeldWords {
    Preset(&'static RuleWords),
    Own(Box<RuleWords>),
}

impl Rule {
    /// A deny or ask rule of a preset, which the build script has read.
    pub(crate) const fn of_preset(
        text: &'static str,
        at: usize,
        kind: RuleKind,
        shape: Option<PlainShape>,
        words: Option<&'static RuleWords>,
    ) -> Self {
        let words = match words {
            Some(words) => Some(HeldWords::Preset(words)),
            None => None,
        };
        Self { text: Cow::Borrowed(text), at, words, kind: Some(kind), limit: Late::of_preset(shape) }
    }

    /// Sets the texts, if there are any.
    pub(crate) fn with_words(self, words: RuleWords) -> Self {
        let has_words = words.reason.is_some() || words.instead.is_some();
        Self { words: has_words.then(|| HeldWords::Own(Box::new(words))), ..self }
    }

    /// The texts for the model and the user; `None` if the rule has none.
    pub fn words(&self) -> Option<&RuleWords> {
        match self.words.as_ref()? {
            HeldWords::Preset(words) => Some(words),
            HeldWords::Own(words) => Some(words),
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
        self.plain_command().and_then(PlainCommand::first_word).is_none_or(|first| first == program.as_bytes())
    }

    /// Returns the words of a plain rule about commands. Returns `None` for any other rule, and if no words are obvious.
    pub(crate) fn plain_command(&self) -> Option<PlainCommand<'_>> {
        self.limit.command(&self.text)
    }
}
