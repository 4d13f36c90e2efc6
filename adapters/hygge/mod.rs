#![doc = include_str!("docs.md")]

mod events;
mod present;
mod register;
#[cfg(test)]
mod tests;
mod tools;

use crate::Raw;
use crate::host::HostSide;
use crate::model::{Detail, EventKind, HookEvent, Incoming, Reply, Target, ToolResult};
use crate::protocol::{
    Agent, Body, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Role, SessionFolder, Wrapping,
};
use crate::raw::Keys;
use crate::shared::json::Members;

/// Speaks with hygge.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "an adapter keeps nothing")]
pub struct Hygge;

static AGENT: Agent = Agent::new("hygge", "hygge", &events::STRAY_CALL, &events::STRAY)
    .event_at("/event")
    .hosts(&[
        Host::new(events::HOST, "v0.5.0 to v0.17.5, measured with 0.17.5").gates(&[("pre_tool", Role::Alone)]),
        Host::new(events::MODE_HOST, "the same where the mode of a session is switched"),
    ])
    .session_folder(SessionFolder::Message)
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("sh")).hides().shows())
    .keys(Keys::Folded)
    .keeps_nulls()
    .answer_keys(Keys::Folded)
    .max_reason(1024)
    .mcp(McpNames::Bare)
    .registration(register::REGISTRATION);

impl HookProtocol for Hygge {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native, "event")?;
        let text = body.prose("message")?;
        let case = if body.event() == "pre_message" && text.is_none() { events::MODE_SWITCH } else { "" };
        let row = body.row(native, "", case, "tool_name");
        let mut body = if row.gates() { body } else { body.has_run() };
        let session = body.maybe("session_id")?;
        let cwd = body.maybe("pwd")?.filter(|pwd| !pwd.is_empty());
        let mode = body.maybe("mode_name")?;
        let detail = match row.kind {
            EventKind::PreTool => Detail::Tool(body.tool_call_or_empty("tool_name", "tool_input")?),
            EventKind::PostTool => {
                Detail::ToolDone { call: body.tool_call_or_empty("tool_name", "tool_input")?, result: result(&body)? }
            }
            EventKind::Prompt => Detail::Prompt { text: text.unwrap_or_default() },
            _ => Detail::Other,
        };
        let mut event = body.event_of(native, row, "", detail);
        event.session = session;
        event.cwd = cwd;
        event.mode = mode;
        Ok(event.into())
    }

    fn host(&self) -> Option<&dyn HostSide> {
        Some(self)
    }
}

impl HostSide for Hygge {
    fn present(&self, event: &HookEvent) -> String {
        present::present(event)
    }
}

fn result(body: &Body) -> Result<ToolResult, ParseError> {
    let inner = body.inner("tool_result")?;
    let content: Option<Raw> = inner.raw("content")?;
    Ok(ToolResult::new(inner.object().raw().clone()).text(content).is_error(inner.bool("is_error")?))
}

/// hygge takes every other exit than 0 as a deny with stderr as its reason, and a stdout that it
/// cannot read as an approval: so a deny goes out by exit code, the one form that cannot be misread.
fn reply(_: &HookEvent, fitted: &crate::fit::Fitted) -> Reply {
    if fitted.verdict().kind().blocks() {
        return Reply::blocked(fitted.verdict().reason());
    }
    let mut changes = Members::new();
    for (target, key) in [
        (Target::Input, "modified_tool_input"),
        (Target::Result, "modified_tool_result"),
        (Target::Prompt, "modified_message"),
    ] {
        if let Some(value) = fitted.change(target) {
            changes = if changes.is_empty() { changes.text("decision", "modify") } else { changes };
            changes = changes.raw(key, value);
        }
    }
    let members = changes.maybe("system_prompt_append", fitted.context());
    if members.is_empty() { Reply::silent() } else { Reply::document(members.finish()) }
}
