#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::prelude::*;

/// The adapter of hygge.
pub static HYGGE: &Agent = &Agent::new("hygge", "hygge")
    .event_at("/event")
    .fields(FIELDS)
    .hosts(&[
        Host::new("0.17.5", "v0.5.0 to v0.17.5, measured with 0.17.5").gates(&[("pre_tool", Role::Alone)]),
        Host::new("0.17.5-mode", "the same versions when the mode of a session is switched"),
    ])
    .session_folder(SessionFolder::Message)
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("sh")).hides().shows())
    .decodes_like_go()
    .max_reason(1024)
    .mcp(McpNames::Bare)
    .registration(register::REGISTRATION);

const FIELDS: Fields = Fields::new("tool_name", "tool_input")
    .session("session_id")
    .cwd("pwd")
    .mode("mode_name")
    .omits_empty_input()
    .result("tool_result")
    .result_members("content", "is_error")
    .prompt("message");
