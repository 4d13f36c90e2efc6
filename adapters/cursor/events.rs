//! The events of Cursor.

use super::{reply, tools};
use crate::prelude::{EventKind as K, Power as P, *};
use crate::shared::result_text::withheld_result;

/// The case of a shell command about which a later gate can ask.
pub(super) const ASKED_LATER: &str = "shell";
/// The case of a tool of an MCP server, whose result can be replaced.
pub(super) const MCP: &str = "mcp";

const CHANGE: &[P] = &[P::Deny, P::Change(Target::Input), P::Context, P::ContextOnBlock];
const CHANGE_OR_ASK_LATER: &[P] = &[P::AskLater, P::Deny, P::Change(Target::Input), P::Context, P::ContextOnBlock];

pub(super) static EVENTS: &[EventRow] = &[
    gate("preToolUse", CHANGE_OR_ASK_LATER)
        .roles(&[Role::Guarded])
        .case(ASKED_LATER)
        .rejects(reply::rejects_input)
        .known_limits(&[FAILS_OPEN]),
    gate("preToolUse", CHANGE).rejects(reply::rejects_input).known_limits(&[FAILS_OPEN, TYPED]),
    gate("beforeShellExecution", &[P::Ask, P::Deny]).of_flat_tool(tools::SHELL).known_limits(&[FAILS_OPEN]),
    gate("beforeMCPExecution", &[P::Deny]).of_flat_tool(tools::MCP).known_limits(&[FAILS_OPEN]),
    gate("beforeReadFile", &[P::Deny]).of_flat_tool(tools::READ).known_limits(&[FAILS_OPEN, READ_BEFORE]),
    gate("beforeTabFileRead", &[P::Deny]).of_flat_tool(tools::READ).known_limits(&[FAILS_OPEN]),
    row("beforeSubmitPrompt", K::Prompt, &[P::Deny]).gate().known_limits(&[FAILS_OPEN, SDK_PROMPT]),
    row("postToolUse", K::PostTool, &[P::Context]),
    row("postToolUse", K::PostTool, &[P::Context, P::Change(Target::Result)])
        .case(MCP)
        .withheld_result(withheld_result),
    row("subagentStart", K::SubagentStart, &[P::Deny]),
    row("subagentStop", K::SubagentEnd, &[P::KeepGoing]),
    row("stop", K::TurnEnd, &[P::KeepGoing]),
    row("sessionStart", K::SessionStart, &[P::Context]),
    row("sessionEnd", K::SessionEnd, &[]),
    row("preCompact", K::PreCompact, &[]),
    row("postToolUseFailure", K::Observed, &[]),
    row("afterShellExecution", K::Observed, &[]),
    row("afterMCPExecution", K::Observed, &[]),
    row("afterFileEdit", K::Observed, &[]),
    row("afterTabFileEdit", K::Observed, &[]),
    row("afterAgentResponse", K::PostModel, &[]),
    row("afterAgentThought", K::Observed, &[]),
    row("workspaceOpen", K::Observed, &[]),
];

/// An empty reply is a failure of the hook, so an unknown event gets a document as well.
pub(super) static UNKNOWN_CALL: EventRow =
    EventRow::new("an unknown event with a tool call", K::PreTool, reply::reply).gate().can_do(&[P::Deny]);
pub(super) static UNKNOWN: EventRow = EventRow::new("an unknown event", K::Observed, reply::reply);

const fn gate(native: &'static str, powers: &'static [P]) -> EventRow {
    row(native, K::PreTool, powers).gate()
}

const fn row(native: &'static str, kind: K, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply::reply).can_do(powers).hosts(&["3.14"]).timeout_ms(60_000)
}

pub(super) const UNSEEN_FAILURE: &str =
    "A hook that crashes or times out does not block, unless its entry has `failClosed`.";
const FAILS_OPEN: KnownLimit = KnownLimit::new(UNSEEN_FAILURE);
const TYPED: KnownLimit = KnownLimit::new(
    "The text that `WriteShellStdin` types into a running shell is not sent to the hook: write a deny rule for Tool(WriteShellStdin).",
);
const READ_BEFORE: KnownLimit = KnownLimit::new("The file was already read; a denial keeps its text from the model.");
const SDK_PROMPT: KnownLimit = KnownLimit::new("The SDK ignores the answer to a prompt.");
