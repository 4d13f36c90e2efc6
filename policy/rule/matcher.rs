//! What a rule matches.

use super::domain::DomainPattern;
use super::mcp::McpPattern;
use super::skill::SkillPattern;
use crate::command::CommandPattern;
use crate::path::PathPattern;
use crate::wildcard::Wildcard;

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
