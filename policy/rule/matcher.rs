//! What a rule matches.

use super::domain::DomainPattern;
use super::mcp::McpPattern;
use super::skill::SkillPattern;
use crate::command::CommandPattern;
use crate::path::PathPattern;
use crate::wildcard::Wildcard;

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
