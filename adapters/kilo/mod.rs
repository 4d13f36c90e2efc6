#![doc = include_str!("docs.md")]

mod register;

use crate::opencode::{self, SHELL};
use crate::prelude::*;
use crate::shared::plugin::{self, Plugin};

/// The adapter of Kilo.
pub static KILO: Plugin = Plugin::new(
    &plugin::agent("kilo", "Kilo")
        .hosts(&[
            Host::new("7.7.7", "7.7.7").gates(&[("tool.execute.before", Role::Alone)]),
            Host::new("7.7.7-served", "the same version with a person: in its terminal or as a server"),
        ])
        .events(EVENTS)
        .tools(TOOLS)
        .wrapping(Wrapping::new(SHELL).hides().shows())
        .mcp(McpNames::Joined { prefix: "" })
        .registration(register::REGISTRATION),
);

/// Kilo runs the shell lines of a skill that the person trusts, without an event.
static TOOLS: &[ToolRow] = &{
    let mut tools = opencode::tools::ALL;
    tools[0] = ToolRow::new("skill", &[]).sample(opencode::tools::SKILL).unseen();
    tools
};

static EVENTS: &[EventRow] = &opencode::events(&["7.7.7", "7.7.7-served"], &["7.7.7-served"], &[NOT_LOADED]);
const NOT_LOADED: KnownLimit =
    KnownLimit::new("If the plug-in cannot be loaded, or with `--pure`, Kilo runs without it and does not say so.");
