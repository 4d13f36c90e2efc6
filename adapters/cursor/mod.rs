#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
mod tools;

use crate::prelude::*;

/// The adapter of Cursor: the editor, its CLI and its SDK.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct Cursor;

static AGENT: Agent = Agent::new("cursor", "Cursor")
    .aliases(&["cursor-agent"])
    .fields(FIELDS)
    .hosts(&[Host::new("3.14", "3.14 of the editor, 1.0.32 of the SDK").gates(&[
        ("preToolUse", Role::Guarded),
        ("beforeShellExecution", Role::Alone),
        ("beforeMCPExecution", Role::Alone),
    ])])
    // A hook of the user runs in `~/.cursor`.
    .session_folder(SessionFolder::Variable("CURSOR_PROJECT_DIR"))
    .unknown(&events::UNKNOWN_CALL, &events::UNKNOWN)
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(
        Wrapping::new(HostShell::User { only: &["zsh", "bash"], fallback: &["zsh", "bash", "/bin/sh"] })
            .hides()
            .shows(),
    )
    .mcp(McpNames::Tool { prefix: "MCP:" })
    .shared_hooks(SharedHooks::of(&["claude-code"]).with(&["cursor_version"]))
    .registration(register::REGISTRATION);

const FIELDS: Fields = Fields::new("tool_name", "tool_input")
    .call_id("tool_use_id")
    .session("conversation_id")
    .cwd("cwd")
    .roots("workspace_roots")
    .result("tool_output");

impl HookProtocol for Cursor {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        let tool = body.maybe(FIELDS.tool)?.unwrap_or_default();
        body = match (body.name(), native.line.role) {
            ("preToolUse", Role::Guarded) if tool == tools::SHELL => body.case(events::ASKED_LATER),
            ("postToolUse", _) if tool.starts_with("MCP:") => body.case(events::MCP),
            _ => body,
        };
        let detail = body.detail()?;
        Ok(body.event(detail)?.into())
    }
}
