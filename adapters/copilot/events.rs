//! The events of Copilot in its three dialects.

use super::reply::{call, keep_going, permission, rejects_result, texts};
use crate::prelude::{EventKind as K, Power as P, *};
use crate::protocol::ReplyWriter;
use crate::shared::claude_style as claude;

pub(super) static EVENTS: &[EventRow] = &[
    cli("preToolUse", K::PreTool, call, CALL)
        .hosts(CLI_AND_CLOUD)
        .gate()
        .rejects(claude::rejects_input)
        .known_limits(&[SLOW, OVERRIDES]),
    cli("userPromptSubmitted", K::Prompt, texts, PROMPT).gate().known_limits(&[PROMPTS]),
    cli("permissionRequest", K::Permission, permission, &[P::Allow, P::Deny, P::Abort]).gate().known_limits(&[SLOW]),
    cli("postToolUse", K::PostTool, texts, RESULT).hosts(CLI_AND_CLOUD).rejects(rejects_result),
    cli("postToolUseFailure", K::PostTool, texts, &[]).hosts(CLI_AND_CLOUD).error("error"),
    cli("sessionStart", K::SessionStart, texts, &[P::Context]),
    cli("agentStop", K::TurnEnd, texts, &[P::KeepGoing]).hosts(CLI_AND_CLOUD),
    cli("subagentStop", K::SubagentEnd, texts, &[P::KeepGoing]).hosts(CLI_AND_CLOUD),
    cli("subagentStart", K::SubagentStart, texts, &[P::Context]),
    cli("userPromptTransformed", K::Observed, texts, &[]),
    cli("preCompact", K::PreCompact, texts, &[]),
    cli("sessionEnd", K::SessionEnd, texts, &[]),
    cli("errorOccurred", K::Observed, texts, &[]),
    pascal("PreToolUse", K::PreTool, claude::pre_tool, CALL)
        .gate()
        .rejects(claude::rejects_input)
        .known_limits(&[SLOW, OVERRIDES]),
    pascal("UserPromptSubmit", K::Prompt, texts, PROMPT).gate().known_limits(&[PROMPTS]),
    pascal("PostToolUse", K::PostTool, texts, &[P::Context]),
    pascal("PostToolUseFailure", K::PostTool, texts, &[]).error("error"),
    pascal("SessionStart", K::SessionStart, texts, &[P::Context]),
    pascal("Stop", K::TurnEnd, texts, &[P::KeepGoing]),
    pascal("SubagentStop", K::SubagentEnd, texts, &[P::KeepGoing]),
    pascal("SubagentStart", K::SubagentStart, texts, &[P::Context]).dialects(&["camel"]),
    pascal("PreCompact", K::PreCompact, texts, &[]),
    pascal("SessionEnd", K::SessionEnd, texts, &[]),
    pascal("ErrorOccurred", K::Observed, texts, &[]),
    pascal("Notification", K::Notification, texts, &[]).subscribed_as("notification"),
    code("PreToolUse", K::PreTool, claude::pre_tool, &[P::Allow, P::Ask, P::Deny, P::Context])
        .gate()
        .known_limits(&[CODE]),
    code("UserPromptSubmit", K::Prompt, claude::block, &[P::Abort]).gate().known_limits(&[CODE]),
    code("PostToolUse", K::PostTool, claude::additions, &[P::Context]),
    code("SessionStart", K::SessionStart, claude::additions, &[P::Context]),
    code("Stop", K::TurnEnd, keep_going, &[P::KeepGoing]),
    code("SubagentStart", K::SubagentStart, claude::additions, &[P::Context]),
    code("SubagentStop", K::SubagentEnd, claude::block, &[P::KeepGoing]),
    code("PreCompact", K::PreCompact, claude::silent, &[]),
];

const CALL: &[P] = &[P::Allow, P::Ask, P::Deny, P::Change(Target::Input), P::AskDropsChange, P::Context];
const PROMPT: &[P] = &[P::Deny, P::Change(Target::Prompt), P::Context];
const RESULT: &[P] = &[P::Change(Target::Result), P::Context];
const CLI_AND_CLOUD: &[&str] = &["1.0.102", "cloud"];

const fn cli(native: &'static str, kind: K, reply: ReplyWriter, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["1.0.102"]).timeout_ms(30_000)
}

const fn pascal(native: &'static str, kind: K, reply: ReplyWriter, powers: &'static [P]) -> EventRow {
    cli(native, kind, reply, powers).dialects(&["pascal"]).hosts(&["1.0.102-pascal"])
}

const fn code(native: &'static str, kind: K, reply: ReplyWriter, powers: &'static [P]) -> EventRow {
    cli(native, kind, reply, powers).dialects(&["vscode"]).hosts(&["vscode"])
}

const SLOW: KnownLimit = KnownLimit::new("A hook that exceeds its time limit does not block; no setting changes this.");
const OVERRIDES: KnownLimit = KnownLimit::new(
    "An approval overrides the deny rules of Copilot itself, such as --deny-tool and `deniedUrls`: write them in the policy.",
);
const PROMPTS: KnownLimit =
    KnownLimit::new("A prompt is sent if the hook is killed or exceeds its time limit; no setting changes this.");
const CODE: KnownLimit = KnownLimit::new(
    "Visual Studio Code continues if a hook times out or fails with another exit code than 2; no setting changes this.",
);
