//! Rules: a kind of action and a matcher (G1-G4).

mod domain;
mod fragment;
mod late;
mod mcp;
mod parse;
mod skill;

pub(crate) use domain::{DomainPattern, host_of};
pub(crate) use fragment::{Fragment, is_edge};
pub(crate) use mcp::McpPattern;
pub(crate) use parse::parse;
pub use parse::{AgentEvent, ArgumentSlot, Vocabulary};
pub(crate) use skill::SkillPattern;

use self::late::Late;
use super::command::CommandPattern;
use super::path::PathPattern;
use super::wildcard::Wildcard;

/// One rule.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rule {
    /// The rule as written.
    pub text: String,
    /// The offset in its file, in bytes.
    pub at: usize,
    /// The kind of action it applies to; `None` for all.
    pub(crate) kind: Option<RuleKind>,
    limit: Late,
}

impl Rule {
    /// The matcher for the actions of its kind.
    pub(crate) fn limit(&self) -> &Matcher {
        self.limit.get(self.kind, &self.text)
    }

    /// The matcher, if the rule was not plain enough to build it later.
    pub(crate) fn limit_if_built(&self) -> Option<&Matcher> {
        match &self.limit {
            Late::Built(limit) => Some(limit),
            Late::Plain(_) => None,
        }
    }

    /// The name of the tool argument that it matches, if any (G2).
    pub fn param(&self) -> Option<&str> {
        match self.limit_if_built() {
            Some(Matcher::Param { name, .. }) => Some(name),
            _ => None,
        }
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
        self.limit.plain_segments(self.kind, &self.text)
    }

    /// Returns false if the rule cannot match a command that starts with this word.
    pub(crate) fn may_begin(&self, program: &str) -> bool {
        self.first_word().is_none_or(|first| first == program)
    }

    /// The first word of every command that the rule matches, if it is obvious.
    pub(crate) fn first_word(&self) -> Option<&str> {
        self.limit.first_word(&self.text)
    }
}

/// The kind of action that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleKind {
    Bash,
    Read,
    Edit,
    Delete,
    WebFetch,
    WebSearch,
    Agent,
    Skill,
    Mcp,
    /// Commands for PowerShell, which are not analysed.
    PowerShell,
    Tool,
}

/// The condition of a rule on an action of its kind.
#[derive(Debug, Clone)]
pub(crate) enum Matcher {
    None,
    Command(CommandPattern),
    Path(PathPattern),
    Domain(DomainPattern),
    Name(Wildcard),
    Skill(SkillPattern),
    Mcp(McpPattern),
    /// The name of a tool whose specifier is not compared: in deny and ask every call of it, in allow none.
    AnyCall(Wildcard),
    Param {
        name: String,
        value: Wildcard,
    },
}

/// The list that contains a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// `deny`
    Deny,
    /// `ask`
    Ask,
    /// `allow`
    Allow,
}

impl List {
    /// The lists in the order in which they decide.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    pub(crate) fn side(self) -> Side {
        if self == Self::Allow { Side::Grant } else { Side::Guard }
    }

    /// The key of the list in a policy.
    pub fn word(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// The side to which a rule errs if the action is not fully known: a guard then matches, a grant does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Deny and ask rules, and the `match` of responses and handlers.
    Guard,
    /// Allow rules.
    Grant,
}
