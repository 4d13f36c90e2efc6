//! Rules: a name, and what it is limited to (R1-R4).

mod asked;
mod domain;
mod filed;
mod fragment;
mod late;
mod mcp;
mod parse;

pub(crate) use asked::{Asked, Next, Words};
pub(crate) use domain::{DomainPattern, host_of};
pub(crate) use filed::{COMMANDS, Drawer, Filed, PLACES, Rarity, Word, hash};
pub(crate) use fragment::{Fragment, is_edge};
pub(crate) use mcp::McpPattern;
pub(crate) use parse::{Vocabulary, parse};

use self::late::Late;
use super::command::CommandPattern;
use super::load::Source;
use super::path::PathPattern;
use super::wild::Wild;

/// Holds one rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// As written.
    pub(crate) text: String,
    /// Where it stands in its file, in bytes.
    pub(crate) at: usize,
    /// Its line there; absent: to be counted.
    pub(crate) line: Option<usize>,
    /// Which actions it speaks about; `None`: every one.
    pub(crate) kind: Option<Kind>,
    limit: Late,
}

impl Rule {
    /// What it is limited to.
    pub(crate) fn limit(&self) -> &Limit {
        self.limit.get(self.kind, &self.text)
    }

    /// Its line in the file that it was read from.
    pub(crate) fn line(&self, source: &Source) -> usize {
        self.line.unwrap_or_else(|| source.line(self.at))
    }

    /// The argument that it looks at, where it is limited by one (R2).
    pub(crate) fn param(&self) -> Option<&str> {
        match &self.limit {
            Late::Built(Limit::Param { name, .. }) => Some(name),
            _ => None,
        }
    }

    /// Whether it may speak of a command that begins with this word; `true` where only its pattern knows.
    pub(crate) fn may_begin(&self, program: &str) -> bool {
        self.limit.first_word(self.kind, &self.text).is_none_or(|first| first == program)
    }
}

/// Names the actions of a rule (section 2 of the semantics).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bash,
    Read,
    Edit,
    Delete,
    WebFetch,
    WebSearch,
    Agent,
    Mcp,
    Tool,
}

/// Says what a rule is limited to.
#[derive(Debug, Clone)]
pub(crate) enum Limit {
    None,
    Command(CommandPattern),
    Path(PathPattern),
    Domain(DomainPattern),
    Name(Wild),
    Mcp(McpPattern),
    Param { name: String, value: Wild },
}

/// Names the list a rule stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Deny,
    Ask,
    Allow,
}

impl List {
    pub(crate) const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    pub(crate) fn side(self) -> Side {
        if self == Self::Allow { Side::Grant } else { Side::Guard }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// Says which way a doubt counts: a guard matches when in doubt, a grant does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Deny, ask, and the matches of responses and handlers.
    Guard,
    /// Allow.
    Grant,
}
