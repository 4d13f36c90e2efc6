//! Patterns over the names of MCP tools (N3).

use snaphook_adapters::model::McpName;

use crate::list::Side;
use crate::wildcard::Wildcard;

/// A pattern over tools of MCP servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct McpPattern {
    /// The server; `*` for all.
    server: Wildcard,
    /// The tool; `None` for all tools of the server.
    tool: Option<Wildcard>,
    /// Server and tool as written by agents that join the names.
    joined: Wildcard,
}

impl McpPattern {
    /// Parses `mcp__S`, `mcp__S__*` or `mcp__S__T`. Returns `None` if no server is named.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("mcp__")?;
        let (server, tool) = match rest.split_once("__") {
            Some((server, tool)) => (server, Some(tool)),
            None => (rest, None),
        };
        if server.is_empty() || tool.is_some_and(str::is_empty) {
            return None;
        }
        let server = Wildcard::plain(server).map(normal);
        let tool = tool.map(|tool| Wildcard::plain(tool).map(normal)).filter(|tool| !tool.is_any());
        let mut joined = server.clone();
        joined.push('_');
        match &tool {
            Some(tool) => joined.append(tool),
            None => joined.star(),
        }
        Some(Self { server, tool, joined })
    }

    /// Returns true if the server has a star.
    pub(crate) fn any_server(&self) -> bool {
        self.server.has_star()
    }

    /// Returns true if the pattern can be matched only for agents that send the server name.
    pub(crate) fn needs_server(&self) -> bool {
        self.tool.is_none() && !self.server.is_any()
    }

    /// Returns true if a tool name matches. If the agent does not separate server and tool, a guard matches possible
    /// names and a grant matches none.
    pub(crate) fn matches(&self, side: Side, name: &McpName) -> bool {
        match name {
            McpName::Split { server, tool } => {
                self.server.matches(&normal(server))
                    && self.tool.as_ref().is_none_or(|want| want.matches(&normal(tool)))
            }
            _ if side == Side::Grant => false,
            McpName::Joined(name) => self.joins(&normal(name)),
            McpName::Bare(name) => {
                let name = normal(name);
                self.joins(&name) || self.tool.as_ref().is_some_and(|want| want.matches(&name))
            }
            _ => true,
        }
    }

    fn joins(&self, name: &str) -> bool {
        if self.server.is_any() && self.tool.is_none() {
            return true;
        }
        let shortened = name.rsplit_once('_').filter(|(_, hash)| is_hash(hash));
        self.joined.matches(name) || shortened.is_some_and(|(stem, _)| self.joined.may_start_with(stem))
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Converts a name to lower case, with `_` for every character other than `a-z0-9`.
fn normal(text: &str) -> String {
    let one = |c: char| {
        let c = c.to_ascii_lowercase();
        if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '_' }
    };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n3_tool_names_match_in_each_form_that_agents_send() {
        let split = |server: &str, tool: &str| McpName::Split { server: server.into(), tool: tool.into() };
        let joined = |name: &str| McpName::Joined(name.into());
        let bare = |name: &str| McpName::Bare(name.into());
        for (pattern, name, guard, grant) in [
            ("mcp__github__delete_*", split("github", "delete_repo"), true, true),
            ("mcp__github__delete_*", joined("github_delete_repo"), true, false),
            ("mcp__github__delete_*", bare("github_delete_repo"), true, false),
            ("mcp__github__delete_*", bare("delete_repo"), true, false),
            ("mcp__github__delete_*", bare("get_repo"), false, false),
            ("mcp__my-srv", split("My.Srv", "x"), true, true),
            ("mcp__my-srv", joined("my_srv_x"), true, false),
            ("mcp__my-srv", bare("x"), false, false),
            ("mcp__my-srv__*", bare("x"), false, false),
            ("mcp__*", bare("x"), true, false),
            ("mcp__git*__get", split("gitlab", "get"), true, true),
            ("mcp__files__read_whole_tree", joined("files_read_who_0a1b2c3d"), true, false),
            ("mcp__files__read_whole_tree", joined("files_write_0a1b2c3d"), false, false),
        ] {
            let rule = McpPattern::read(pattern).unwrap();
            assert_eq!(rule.matches(Side::Guard, &name), guard, "{pattern} {name:?}");
            assert_eq!(rule.matches(Side::Grant, &name), grant, "{pattern} {name:?}");
        }
        assert_eq!(McpPattern::read("mcp__"), None);
        assert_eq!(McpPattern::read("mcp__x__"), None);
    }
}
