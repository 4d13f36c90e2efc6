#![doc = include_str!("docs.md")]

mod effects;
mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::host::HostSide;
use crate::model::{Detail, EventKind, HookEvent, Incoming};
use crate::protocol::{Agent, Body, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Role, Wrapping};
use crate::shared::claude_style;

/// Speaks for Codex.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "it has no parts")]
pub struct Codex;

static AGENT: Agent = Agent::new("codex", "Codex", &events::STRAY_CALL, &events::STRAY)
    .hosts(&[Host::new("0.169.0", "0.169.0, driven without a terminal")
        .gates(&[("PreToolUse", Role::Alone), ("PermissionRequest", Role::Alone)])])
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Login { only: &["bash", "zsh", "sh"] }).shows().patches())
    .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
    .strangers(claude_style::STRANGERS)
    .registration(register::REGISTRATION);

impl HookProtocol for Codex {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = claude_style::open(&AGENT, native)?;
        let case = case(&mut body)?;
        let row = body.row(native, "", case, "tool_name");
        let detail = match row.kind {
            EventKind::PreTool | EventKind::Permission => Detail::Tool(claude_style::call(&mut body)?),
            EventKind::PostTool => claude_style::done(&mut body, "tool_response")?,
            EventKind::Prompt => claude_style::prompt(&mut body)?,
            EventKind::TurnEnd | EventKind::SubagentEnd => claude_style::turn_end(&body)?,
            _ => Detail::Other,
        };
        Ok(claude_style::finish(body, native, row, detail)?.into())
    }

    fn host(&self) -> Option<&dyn HostSide> {
        Some(self)
    }
}

/// Which row of an event a message belongs to: new arguments are taken by the shell, patches and MCP
/// tools alone, and a turn that went on once because a hook said so must be let go.
fn case(body: &mut Body) -> Result<&'static str, ParseError> {
    let event = body.event().to_owned();
    Ok(match event.as_str() {
        "PreToolUse" => {
            let name = body.text("tool_name")?;
            if matches!(name.as_str(), "Bash" | "apply_patch") || claude_style::is_mcp(&name) { "" } else { "fixed" }
        }
        "Stop" | "SubagentStop" if body.bool("stop_hook_active")? == Some(true) => "again",
        _ => "",
    })
}

impl HostSide for Codex {
    fn present(&self, event: &HookEvent) -> String {
        let mut members = Vec::new();
        if !matches!(event.native.as_str(), "SessionStart" | "SessionEnd") {
            members.push(("turn_id", "\"t\""));
        }
        if event.native != "SessionEnd" {
            members.push(("model", "\"model\""));
        }
        members.extend_from_slice(match event.native.as_str() {
            "SessionStart" => &[("source", "\"startup\"")],
            "SessionEnd" => &[("reason", "\"other\"")],
            "PreCompact" | "PostCompact" => &[("trigger", "\"manual\"")],
            "Stop" => &[("last_assistant_message", "null")],
            "SubagentStart" => &[("agent_id", "\"a\""), ("agent_type", "\"default\"")],
            "SubagentStop" => &[
                ("agent_id", "\"a\""),
                ("agent_type", "\"default\""),
                ("agent_transcript_path", "null"),
                ("last_assistant_message", "null"),
            ],
            "PostModelRequest" => &[("status", "\"completed\""), ("error", "null")],
            _ => &[][..],
        });
        claude_style::present(event, "null", &members)
    }
}
