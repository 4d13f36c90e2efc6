#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::model::Incoming;
use crate::protocol::{Agent, Body, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Role, Wrapping};
use crate::shared::claude_style;

/// The adapter of Codex.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct Codex;

static AGENT: Agent = Agent::new("codex", "Codex")
    .hosts(&[Host::new("0.169.0", "0.169.0, driven without a terminal")
        .gates(&[("PreToolUse", Role::Alone), ("PermissionRequest", Role::Alone)])])
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Login { only: &["bash", "zsh", "sh"] }).shows().patches())
    .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
    .foreign_fields(claude_style::FOREIGN_FIELDS)
    .registration(register::REGISTRATION);

impl HookProtocol for Codex {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        if let Some(case) = case(&mut body)? {
            body = body.case(case);
        }
        let detail = body.detail()?;
        Ok(body.event(detail)?.into())
    }
}

/// Returns the case that selects the row of a message. Only the shell, patches and MCP tools accept new arguments, and
/// a turn that a hook already continued must end.
fn case(body: &mut Body) -> Result<Option<&'static str>, ParseError> {
    Ok(match body.name() {
        "PreToolUse" => {
            let name = body.text("tool_name")?;
            let takes_input = matches!(name.as_str(), "Bash" | "apply_patch") || claude_style::is_mcp(&name);
            (!takes_input).then_some("fixed")
        }
        "Stop" | "SubagentStop" => (body.bool("stop_hook_active")? == Some(true)).then_some("again"),
        _ => None,
    })
}
