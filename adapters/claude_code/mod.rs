#![doc = include_str!("docs.md")]

mod effects;
mod events;
mod form;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::host::HostSide;
use crate::model::{Detail, EventKind, HookEvent, Incoming};
use crate::protocol::{
    Agent, Body, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Role, SessionFolder, Wrapping,
};
use crate::shared::claude_style;

/// Speaks for Claude Code.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "it has no parts")]
pub struct ClaudeCode;

static AGENT: Agent = Agent::new("claude-code", "Claude Code", &events::STRAY_CALL, &events::STRAY)
    .hosts(&[Host::new("2.1.329", "2.1.329, driven without a terminal")
        .gates(&[("PreToolUse", Role::Alone), ("PermissionRequest", Role::Alone)])])
    .session_folder(SessionFolder::Variable("CLAUDE_PROJECT_DIR"))
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::User { only: &["bash", "zsh"], fallback: &["zsh", "bash"] }).hides().shows())
    .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
    .strangers(claude_style::STRANGERS)
    .registration(register::REGISTRATION);

impl HookProtocol for ClaudeCode {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = claude_style::open(&AGENT, native)?;
        let case = case(&mut body)?;
        let row = body.row(native, "", case, "tool_name");
        let detail = match (row.kind, row.native) {
            (EventKind::PreTool | EventKind::Permission, _) => Detail::Tool(claude_style::call(&mut body)?),
            (_, "PostToolUse") => claude_style::done(&mut body, "tool_response")?,
            (_, "PostToolUseFailure") => failed(claude_style::done(&mut body, "error")?),
            (EventKind::Prompt, _) => claude_style::prompt(&mut body)?,
            (_, "Stop" | "SubagentStop") => claude_style::turn_end(&body)?,
            _ => Detail::Other,
        };
        Ok(claude_style::finish(body, native, row, detail)?.into())
    }

    fn host(&self) -> Option<&dyn HostSide> {
        Some(self)
    }
}

/// Which row of an event a message belongs to.
fn case(body: &mut Body) -> Result<&'static str, ParseError> {
    let event = body.event().to_owned();
    Ok(match event.as_str() {
        "ConfigChange" if body.maybe("source")?.as_deref() == Some("policy_settings") => "policy_settings",
        _ => "",
    })
}

impl HostSide for ClaudeCode {
    fn present(&self, event: &HookEvent) -> String {
        let members = match event.row.case {
            "policy_settings" => &[("source", "\"policy_settings\"")][..],
            _ => SENDS.iter().find(|(name, _)| *name == event.native).map_or(&[][..], |(_, members)| members),
        };
        claude_style::present(event, "\"\"", members)
    }
}

/// What it always sends with an event beside the fields that the model knows.
const SENDS: &[(&str, &[(&str, &str)])] = &[
    ("SessionStart", &[("source", "\"startup\"")]),
    ("SessionEnd", &[("reason", "\"other\"")]),
    ("Setup", &[("trigger", "\"init\"")]),
    ("PreCompact", &[("trigger", "\"manual\""), ("custom_instructions", "null")]),
    ("PostCompact", &[("trigger", "\"manual\""), ("compact_summary", "\"\"")]),
    ("ConfigChange", &[("source", "\"user_settings\"")]),
];

/// A failed call: the error stands where the text of a result would.
fn failed(detail: Detail) -> Detail {
    match detail {
        Detail::ToolDone { call, result } => {
            let error = result.raw.clone();
            Detail::ToolDone { call, result: result.text(Some(error)).is_error(Some(true)) }
        }
        other => other,
    }
}
