#![doc = include_str!("docs.md")]

mod events;
mod register;
#[cfg(test)]
mod tests;
mod tools;

use crate::model::{Detail, EventKind, HookEvent, Incoming, Reply, Target, ToolResult};
use crate::protocol::{
    Agent, Body, Fields, HookProtocol, Host, HostShell, McpNames, Native, ParseError, Role, SessionFolder, Wrapping,
};
use crate::raw::Keys;
use crate::shared::json::JsonBuilder;

/// The adapter of hygge.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct Hygge;

static AGENT: Agent = Agent::new("hygge", "hygge")
    .event_at("/event")
    .fields(FIELDS)
    .hosts(&[
        Host::new(events::HOST, "v0.5.0 to v0.17.5, measured with 0.17.5").gates(&[("pre_tool", Role::Alone)]),
        Host::new(events::MODE_HOST, "the same versions when the mode of a session is switched"),
    ])
    .session_folder(SessionFolder::Message)
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("sh")).hides().shows())
    .keys(Keys::Folded)
    .null_keeps_earlier_value()
    .answer_keys(Keys::Folded)
    .max_reason(1024)
    .mcp(McpNames::Bare)
    .registration(register::REGISTRATION);

const FIELDS: Fields =
    Fields::new("tool_name", "tool_input").session("session_id").cwd("pwd").mode("mode_name").omits_empty_input();

impl HookProtocol for Hygge {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        let text = body.prose("message")?;
        if body.name() == "pre_message" && text.is_none() {
            body = body.case(events::MODE_SWITCH);
        }
        let detail = match body.kind() {
            EventKind::PreTool => Detail::Tool(body.call()?),
            EventKind::PostTool => Detail::ToolDone { call: body.call()?, result: result(&body)? },
            EventKind::Prompt => Detail::Prompt { text: text.unwrap_or_default() },
            _ => Detail::Other,
        };
        Ok(body.event(detail)?.into())
    }
}

fn result(body: &Body) -> Result<ToolResult, ParseError> {
    let result = body.part("tool_result")?;
    Ok(ToolResult::new(result.object().raw().clone()).text(result.raw("content")?).is_error(result.bool("is_error")?))
}

/// hygge treats every exit code other than 0 as a denial with stderr as its reason, and an unreadable stdout as an
/// approval. A denial is therefore sent as an exit code, the one form that cannot be misread.
fn reply(_: &HookEvent, fitted: &crate::fit::Fitted) -> Reply {
    if fitted.verdict().kind().blocks() {
        return Reply::blocked(fitted.verdict().reason());
    }
    let mut changes = JsonBuilder::new();
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
