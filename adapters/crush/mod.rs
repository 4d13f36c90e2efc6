#![doc = include_str!("docs.md")]

mod register;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};

/// The adapter of Crush.
pub static CRUSH: &Agent = &Agent::new("crush", "Crush")
    .event_at("/event")
    .fields(Fields::new("tool_name", "tool_input").session("session_id").cwd("cwd"))
    .hosts(&[Host::new("0.90.0", "v0.63.0 to v0.90.0, measured with 0.90.0").gates(&[("PreToolUse", Role::Alone)])])
    .events(EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("bash")).hides())
    .decodes_like_go()
    .mcp(McpNames::Joined { prefix: "mcp_" })
    .registration(register::REGISTRATION);

static EVENTS: &[EventRow] = &[EventRow::new("PreToolUse", K::PreTool, reply::reply)
    .gate()
    .can_do(&[P::Allow, P::Deny, P::Abort, P::Change(Target::Input), P::Context])
    .rejects(reply::rejects_input)
    .hosts(&["0.90.0"])
    .timeout_ms(30_000)
    .known_limits(&[
        KnownLimit::new("A hook that is killed, times out or fails does not block; no setting changes this."),
        KnownLimit::new(
            "The tool calls of sub-agents, which `agent` and `agentic_fetch` start, reach no hook: decide about those two calls themselves.",
        ),
        KnownLimit::new(
            "`lsp_rename` changes every file that uses the symbol, which the call does not name: write a deny rule for Tool(lsp_rename).",
        ),
    ])];
