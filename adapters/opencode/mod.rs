#![doc = include_str!("docs.md")]

pub(crate) mod register;
pub(crate) mod tools;

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
pub(crate) const SHELL: HostShell =
    HostShell::User { only: &["bash", "dash", "ksh", "sh", "zsh"], fallback: &["bash", "/bin/sh"] };

static EVENTS: &[EventRow] = &events(ALL, SERVED, &[NOT_LOADED]);

/// The rows of OpenCode, and of a program that was made from it: those with every host, and those with a person.
pub(crate) const fn events(
    all: &'static [&'static str],
    served: &'static [&'static str],
    limits: &'static [KnownLimit],
) -> [EventRow; 7] {
    [
        plugin::hello(all),
        row("tool.execute.before", K::PreTool, &[P::Deny, P::Change(Target::Input)])
            .gate()
            .fails_closed()
            .hosts(all)
            .known_limits(limits),
        row("permission.asked", K::Permission, &[P::Allow, P::Deny, P::SilenceAsks]).gate().hosts(served),
        row("tool.execute.after", K::PostTool, &[P::Change(Target::Result), P::Context]).hosts(all),
        row("chat.message", K::Prompt, &[P::Deny, P::Change(Target::Prompt), P::Context])
            .gate()
            .fails_closed()
            .hosts(all)
            .known_limits(limits),
        row("experimental.chat.system.transform", K::SessionStart, &[P::Context]).hosts(all),
        row("session.idle", K::TurnEnd, &[P::KeepGoing]).hosts(served),
    ]
}

const ALL: &[&str] = &["1.18.33", "1.18.33-served"];
const SERVED: &[&str] = &["1.18.33-served"];
const NOT_LOADED: KnownLimit =
    KnownLimit::new("If the plug-in cannot be loaded, or with `--pure`, OpenCode runs without it and does not say so.");
