#![doc = include_str!("docs.md")]

mod register;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::shared::plugin::{self, Plugin, row};

/// The adapter of pi.
pub static PI: Plugin = Plugin::new(
    &plugin::agent("pi", "pi")
        .hosts(&[
            Host::new("0.87.1", "0.87 to 1.5, measured with 0.87.1 in print mode").gates(&[("tool_call", Role::Alone)]),
            Host::new("0.87.1-ui", "the same versions with a person, in a terminal or over RPC"),
        ])
        .events(EVENTS)
        .tools(tools::TOOLS)
        .wrapping(Wrapping::new(HostShell::Named("bash")).shows())
        .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
        .registration(register::REGISTRATION),
);

static EVENTS: &[EventRow] = &[
    plugin::hello(ALL),
    row("tool_call", K::PreTool, &[P::Deny, P::Ask, P::Abort, P::Change(Target::Input)])
        .gate()
        .fails_closed()
        .hosts(ALL)
        .known_limits(&[SWITCHED_OFF]),
    row("tool_result", K::PostTool, &[P::Change(Target::Result), P::Context]).hosts(ALL),
    row("input", K::Prompt, &[P::Deny, P::Ask, P::Change(Target::Prompt), P::Context])
        .gate()
        .fails_closed()
        .hosts(ALL)
        .known_limits(&[SWITCHED_OFF]),
    row("session_start", K::SessionStart, &[P::Context]).hosts(ALL),
    row("agent_before_settle", K::TurnEnd, &[P::KeepGoing]).hosts(ALL),
];

const ALL: &[&str] = &["0.87.1", "0.87.1-ui"];
const SWITCHED_OFF: KnownLimit = KnownLimit::new("With `--no-extensions` pi runs without the plug-in.");
