#![doc = include_str!("docs.md")]

mod register;
mod reply;

use crate::prelude::ActionKind::{Edit, Read, Shell, ShellInput, Write};
use crate::prelude::{EventKind as K, Power as P, *};
use crate::protocol::{ActionCondition, Dialect};

/// The adapter of Antigravity CLI.
pub static ANTIGRAVITY: &Agent = &Agent::new("antigravity", "Antigravity CLI")
    .fields(FIELDS)
    .dialects(&[Dialect::without_event("agy", FIELDS)])
    .hosts(&[Host::new("1.2.3", "1.1.7 to 1.2.3, from its manual and from reports of tests")
        .gates(&[("PreToolUse", Role::Alone)])])
    .session_folder(SessionFolder::Message)
    .events(EVENTS)
    .tools(TOOLS)
    .mcp(McpNames::Bare)
    .registration(register::REGISTRATION);

const FIELDS: Fields =
    Fields::new("name", "args").call_within("toolCall").session("conversationId").roots("workspacePaths");

static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool)
        .gate()
        .can_do(&[P::Allow, P::Deny])
        .fails_closed()
        .known_limits(&[SLOW, NO_WORKSPACE]),
    row("PostToolUse", K::Observed),
    row("PreInvocation", K::Observed),
    row("PostInvocation", K::Observed),
    row("Stop", K::Observed),
];

static TOOLS: &[ToolRow] = &[
    ToolRow::new("run_command", &[Shell.on(Slot::key(&["CommandLine"])).with("Cwd")]),
    ToolRow::new(
        "manage_task",
        &[ShellInput
            .on(Slot::key(&["Input"]).absent(Absent::Nothing))
            .only(ActionCondition::when("Action", &["send_input"]))],
    ),
    ToolRow::new("view_file", &[Read.on(Slot::key(&["AbsolutePath"]))]),
    ToolRow::new("write_to_file", &[Write.on(FILE)]).sample(r#"{"TargetFile":"","CodeContent":"text"}"#),
    ToolRow::new("replace_file_content", &[Edit.on(FILE)]),
    ToolRow::new("multi_replace_file_content", &[Edit.on(FILE)]),
];

const FILE: Slot = Slot::key(&["TargetFile"]);

const fn row(native: &'static str, kind: K) -> EventRow {
    EventRow::new(native, kind, reply::reply).hosts(&["1.2.3"]).timeout_ms(30_000)
}

const SLOW: KnownLimit = KnownLimit::new("It is not known what happens if a hook takes too long.");
const NO_WORKSPACE: KnownLimit = KnownLimit::new(
    "Without a workspace, as in print mode, a message names no folder: the project is then the folder of hooks.json.",
);
