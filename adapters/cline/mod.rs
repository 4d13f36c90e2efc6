#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::model::{Action, McpName, ToolCall, ToolResult};
use crate::prelude::*;

/// The adapter of Cline.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct Cline;

static AGENT: Agent = Agent::new("cline", "Cline")
    .event_at("/hookName")
    .fields(CLI)
    .hosts(&[
        Host::new("cli", "the CLI and the SDK, measured with CLI 3.0.65").gates(&[("tool_call", Role::Alone)]),
        Host::new("extension", "the extension with its own hooks, read in 4.1.12")
            .gates(&[("PreToolUse", Role::Alone)]),
    ])
    .events(events::EVENTS)
    .unknown(&events::UNKNOWN_CALL, &events::UNKNOWN)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("bash")).shows())
    .mcp(McpNames::Split { prefix: "", between: "__" })
    .emergency(|_, reason| reply::cancelled(reason))
    .registration(register::REGISTRATION);

/// The members of a call of the CLI and the SDK.
const CLI: Fields = Fields::new("name", "input").call_id("id").session("taskId").result("output");
/// The members of a call of the extension, which leaves out what is empty.
static EXTENSION: Fields = Fields::new("toolName", "parameters").omits_empty_input().result("result");

impl HookProtocol for Cline {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        let calls = |body: &Body| ["tool_call", "preToolUse"].into_iter().any(|part| body.has(part));
        if std::ptr::eq(body.row(), AGENT.unknown) && calls(&body) {
            body = body.answered_as("tool_call");
        }
        let detail = detail(&mut body)?;
        Ok(body.event(detail)?.into())
    }
}

fn detail(body: &mut Body) -> Result<Detail, ParseError> {
    Ok(match (body.kind(), body.row().native) {
        (EventKind::PreTool, "tool_call") if body.has("tool_call") => Detail::Tool(body.part("tool_call")?.call()?),
        (EventKind::PreTool, _) => Detail::Tool(extension_call(&mut body.part("preToolUse")?)?),
        (EventKind::PostTool, "tool_result") => {
            let mut part = body.part("tool_result")?;
            done(part.call()?, part.raw(CLI.result)?)
        }
        (EventKind::PostTool, _) => {
            let mut part = body.part("postToolUse")?;
            done(extension_call(&mut part)?, part.raw(EXTENSION.result)?)
        }
        (EventKind::Prompt, _) => {
            let text = body.part("userPromptSubmit")?.prose("prompt")?;
            Detail::Prompt { text: text.unwrap_or_default() }
        }
        _ => Detail::Other,
    })
}

/// Tools of MCP servers are called by one tool, whose arguments name them.
fn extension_call(part: &mut Body) -> Result<ToolCall, ParseError> {
    let mut call = part.call_in(&EXTENSION)?;
    if call.name == "use_mcp_tool" {
        let mut names = part.part(EXTENSION.input)?;
        call.actions =
            vec![Action::Mcp(McpName::Split { server: names.text("server_name")?, tool: names.text("tool_name")? })];
    }
    Ok(call)
}

fn done(call: ToolCall, result: Option<Raw>) -> Detail {
    Detail::ToolDone { call, result: ToolResult::new(result.unwrap_or_else(|| Raw::document("null"))) }
}
