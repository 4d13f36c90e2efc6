#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::model::{Detail, Incoming};
use crate::protocol::{
    Agent, Body, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Role, SessionFolder, Wrapping,
};
use crate::shared::claude_style;

/// The adapter of Claude Code.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct ClaudeCode;

static AGENT: Agent = Agent::new("claude-code", "Claude Code")
    .aliases(&["claude"])
    .hosts(&[Host::new("2.1.329", "2.1.329, driven without a terminal")
        .gates(&[("PreToolUse", Role::Alone), ("PermissionRequest", Role::Alone)])])
    .session_folder(SessionFolder::Variable("CLAUDE_PROJECT_DIR"))
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::User { only: &["bash", "zsh"], fallback: &["zsh", "bash"] }).hides().shows())
    .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
    .foreign_fields(claude_style::FOREIGN_FIELDS)
    .registration(register::REGISTRATION);

impl HookProtocol for ClaudeCode {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        if body.name() == "ConfigChange" && body.maybe("source")?.as_deref() == Some(POLICY_SETTINGS) {
            body = body.case(POLICY_SETTINGS);
        }
        let detail = match body.row().native {
            "PostToolBatch" | "TeammateIdle" => Detail::Other,
            _ => body.detail()?,
        };
        Ok(body.event(detail)?.into())
    }
}

/// The case of `ConfigChange` for managed settings, which cannot be blocked.
const POLICY_SETTINGS: &str = "policy_settings";
