#![doc = include_str!("docs.md")]

mod events;
mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::prelude::*;
use crate::protocol::Dialect;

/// The adapter of GitHub Copilot CLI.
pub static COPILOT: &Agent = &Agent::new("copilot", "GitHub Copilot CLI")
    .aliases(&["copilot-cli", "github-copilot"])
    .dialects(&[
        Dialect::new("vscode", "hookEventName", VS_CODE),
        Dialect::new("permission", "hookName", CAMEL.input("toolInput")),
        Dialect::new("pascal", "hook_event_name", PASCAL),
        Dialect::without_event("camel", CAMEL),
    ])
    .hosts(&[
        Host::new("1.0.102", "1.0.102, driven without a terminal").gates(&[("preToolUse", Role::Alone)]),
        Host::new("1.0.102-pascal", "the same version, with hooks that are registered by their names in PascalCase"),
        Host::new("cloud", "the cloud agent, from its documentation"),
        Host::new("vscode", "Visual Studio Code, from its documentation and its source"),
    ])
    .events(events::EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("bash")).hides().shows())
    .mcp(McpNames::Bare)
    .registration(register::REGISTRATION);

const CAMEL: Fields = Fields::new("toolName", "toolArgs")
    .input_may_be_text()
    .session("sessionId")
    .cwd("cwd")
    .result("toolResult")
    .result_text("/textResultForLlm")
    .again("stop_hook_active")
    .omits_again();
const PASCAL: Fields = Fields::new("tool_name", "tool_input")
    .session("session_id")
    .cwd("cwd")
    .result("tool_result")
    .result_text("/text_result_for_llm")
    .again("stop_hook_active")
    .omits_again();
const VS_CODE: Fields = Fields::new("tool_name", "tool_input")
    .call_id("tool_use_id")
    .session("sessionId")
    .cwd("cwd")
    .again("stop_hook_active")
    .omits_again();
