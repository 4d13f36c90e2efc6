#![doc = include_str!("docs.md")]

mod register;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::shared::plugin::{self, Plugin, row};

/// The adapter of OpenCode.
pub static OPENCODE: Plugin = Plugin::new(
    &plugin::agent("opencode", "OpenCode")
        .hosts(&[
            Host::new("1.18.33", "1.18.33").gates(&[("tool.execute.before", Role::Alone)]),
            Host::new("1.18.33-served", "the same version with a person: in its terminal or as a server"),
        ])
        .events(EVENTS)
        .tools(tools::TOOLS)
        .wrapping(Wrapping::new(SHELL).hides().shows())
        .mcp(McpNames::Joined { prefix: "" })
        .registration(register::REGISTRATION),
);

/// Every other shell but fish and nu is used as well, and reads a wrapped command in the same way.
const SHELL: HostShell =
    HostShell::User { only: &["bash", "dash", "ksh", "sh", "zsh"], fallback: &["bash", "/bin/sh"] };

static EVENTS: &[EventRow] = &[
    plugin::hello(ALL),
    row("tool.execute.before", K::PreTool, &[P::Deny, P::Change(Target::Input)])
        .gate()
        .fails_closed()
        .hosts(ALL)
        .known_limits(&[NOT_LOADED]),
    row("permission.asked", K::Permission, &[P::Allow, P::Deny, P::SilenceAsks]).gate().hosts(SERVED),
    row("tool.execute.after", K::PostTool, &[P::Change(Target::Result), P::Context]).hosts(ALL),
    row("chat.message", K::Prompt, &[P::Deny, P::Change(Target::Prompt), P::Context])
        .gate()
        .fails_closed()
        .hosts(ALL)
        .known_limits(&[NOT_LOADED]),
    row("experimental.chat.system.transform", K::SessionStart, &[P::Context]).hosts(ALL),
    row("session.idle", K::TurnEnd, &[P::KeepGoing]).hosts(SERVED),
];

const ALL: &[&str] = &["1.18.33", "1.18.33-served"];
const SERVED: &[&str] = &["1.18.33-served"];
const NOT_LOADED: KnownLimit =
    KnownLimit::new("If the plug-in cannot be loaded, or with `--pure`, OpenCode runs without it and does not say so.");
