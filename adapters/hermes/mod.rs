#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::model::ToolCall;
use crate::prelude::*;
use crate::protocol::Problem;

/// The adapter of Hermes Agent.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct Hermes;

/// The working directory in a message is that of the agent's process, which its tools do not use.
static AGENT: Agent = Agent::new("hermes", "Hermes Agent")
    .aliases(&["hermes-agent"])
    .fields(
        Fields::new("tool_name", "tool_input")
            .session("session_id")
            .result("result")
            .prompt("user_message")
            .within("extra"),
    )
    .session_folder(SessionFolder::Variable("TERMINAL_CWD"))
    .hosts(&[Host::new("0.19.0", "0.19.0").gates(&[("pre_tool_call", Role::Alone)])])
    .events(events::EVENTS)
    .unknown(&events::UNKNOWN_CALL, &events::UNKNOWN)
    .tools(tools::TOOLS)
    .mcp(McpNames::SplitOrJoined { prefix: "mcp__", between: "__", older: "mcp_" })
    .emergency(|_, reason| reply::blocked(reason))
    .registration(register::REGISTRATION);

impl HookProtocol for Hermes {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        let detail = body.detail()?;
        if let Detail::Tool(call) = &detail
            && !has_plain_headers(call)
        {
            return Err(body.fault("tool_input.patch", Problem::NotA("a patch with headers in their usual spelling")));
        }
        Ok(body.event(detail)?.into())
    }
}

/// Returns false if Hermes reads a header of the patch differently from [`patched`](crate::model::patched): it accepts other
/// blanks, strips more from a path, and knows a header that moves a file.
fn has_plain_headers(call: &ToolCall) -> bool {
    let patch = call.input.at("/patch").filter(|_| call.name == "patch").and_then(|patch| patch.text());
    let lines = patch.map(|patch| patch.value).unwrap_or_default();
    let is_plain = |line: &str| {
        let header = line.strip_prefix("*** ").unwrap_or_default().trim_end_matches('\r');
        FILE_HEADERS.iter().find_map(|start| header.strip_prefix(start)).map_or_else(
            || OTHER_HEADERS.contains(&header),
            |file| file.trim() == file && !file.contains(char::is_control),
        )
    };
    lines.split('\n').filter(|line| line.starts_with("***")).all(is_plain)
}

const FILE_HEADERS: &[&str] = &["Add File: ", "Update File: ", "Delete File: "];
const OTHER_HEADERS: &[&str] = &["Begin Patch", "End Patch", "End of File"];
