#![doc = include_str!("docs.md")]

mod register;
#[cfg(test)]
mod tests;
mod tools;

use crate::model::{Change, HookEvent};
use crate::prelude::{EventKind as K, Power as P, *};
use crate::shared::plugin::{self, Plugin, row};

/// The adapter of OpenClaw.
pub static OPENCLAW: Plugin = Plugin::new(
    &plugin::agent("openclaw", "OpenClaw")
        .hosts(&[
            Host::new("2026.9.6", "2026.9.6, one turn without a person").gates(&[("before_tool_call", Role::Alone)]),
            Host::new("2026.9.6-served", "the same version with a person, in a chat or in `openclaw tui`"),
        ])
        .events(EVENTS)
        .tools(tools::TOOLS)
        .wrapping(Wrapping::new(HostShell::User { only: SHELLS, fallback: &["bash", "sh"] }).shows())
        .mcp(McpNames::Split { prefix: "", between: "__" })
        .registration(register::REGISTRATION),
);

/// Of other shells it is not known how OpenClaw starts them.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];

static EVENTS: &[EventRow] = &[
    plugin::hello(ALL),
    row("before_tool_call", K::PreTool, &[P::Deny, P::Ask, P::Change(Target::Input)])
        .gate()
        .fails_closed()
        .rejects(rejects_input)
        .hosts(ALL)
        .known_limits(&[NOT_LOADED, OTHERS]),
    row("agentToolResultMiddleware", K::PostTool, &[P::Change(Target::Result), P::Context]).hosts(ALL),
    row("before_agent_run", K::Prompt, &[P::Deny]).gate().fails_closed().hosts(ALL).known_limits(&[NOT_LOADED]),
    row("before_prompt_build", K::SessionStart, &[P::Context]).hosts(ALL),
];

const ALL: &[&str] = &["2026.9.6", "2026.9.6-served"];
const NOT_LOADED: KnownLimit = KnownLimit::new(
    "`openclaw agent exec` and `openclaw chat` (`openclaw tui --local`) run no plug-in, and OpenClaw goes on without a word if the plug-in is disabled, missing or not in `plugins.allow`.",
);
const OTHERS: KnownLimit = KnownLimit::new("A change that another plug-in makes to the same call is not judged.");

/// OpenClaw lays the new arguments over the old ones.
fn rejects_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let (Some(old), Ok(new)) = (event.call().and_then(|call| call.input.object().ok()), change.value.object()) else {
        return Some("the agent can only merge arguments that are an object");
    };
    let is_kept = old.members().any(|(key, _)| !new.has(key));
    is_kept.then_some("the agent keeps every argument that the new ones leave out")
}
