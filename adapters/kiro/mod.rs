#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::prelude::*;

/// The adapter of Kiro.
pub static KIRO: &Agent = &Agent::new("kiro", "Kiro")
    .aliases(&["amazon-q", "kiro-cli"])
    .fields(FIELDS)
    .hosts(&[
        Host::new("v1", "Kiro IDE 1.x, and Kiro CLI 2.21 and later").gates(&[("PreToolUse", Role::Alone)]),
        Host::new("cli", "hooks in the file of an agent: Kiro CLI, and Amazon Q Developer CLI 1.19"),
    ])
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .mcp(McpNames::Split { prefix: "@", between: "/" })
    .registration(register::REGISTRATION);

const FIELDS: Fields = Fields::new("tool_name", "tool_input").session("session_id").cwd("cwd");
