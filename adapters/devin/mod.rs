#![doc = include_str!("docs.md")]

mod register;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};

/// The adapter of Devin CLI and Devin Local.
pub static DEVIN: &Agent = &Agent::new("devin", "Devin")
    .fields(FIELDS)
    .hosts(&[
        Host::new("3000.6", "3000.6.14 and the documentation of September 2026").gates(&[("PreToolUse", Role::Alone)])
    ])
    .session_folder(SessionFolder::Variable("DEVIN_PROJECT_DIR"))
    .events(EVENTS)
    .tools(tools::TOOLS)
    .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
    .shared_hooks(SharedHooks::of(&["claude-code"]).with(&["prompt_id"]).without(&["cwd", "transcript_path"]))
    .registration(register::REGISTRATION);

const FIELDS: Fields =
    Fields::new("tool_name", "tool_input").call_id("tool_use_id").session("session_id").result_text("/output");

static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool, &[P::Deny, P::Change(Target::Input), P::Context])
        .gate()
        .rejects(claude_style::rejects_merged_input)
        .known_limits(&[FAILS_OPEN]),
    row("PermissionRequest", K::Permission, &[P::SilenceAsks, P::Deny]).gate().known_limits(&[FAILS_OPEN]),
    row("UserPromptSubmit", K::Prompt, &[P::Deny, P::Context]).gate().known_limits(&[FAILS_OPEN]),
    row("PostToolUse", K::PostTool, &[P::Context]),
    row("Stop", K::TurnEnd, &[P::KeepGoing]),
    row("SessionStart", K::SessionStart, &[P::Context]),
    row("SessionEnd", K::SessionEnd, &[]),
    row("PostCompaction", K::PostCompact, &[]),
];

const fn row(native: &'static str, kind: K, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["3000.6"]).timeout_ms(60_000)
}

/// Exit code 2 blocks; no document grants anything here.
fn reply(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = claude_style::ReplyBuilder::with_additions(event, fitted);
    match fitted.verdict() {
        Verdict::KeepGoing { reason } => answer.block(reason).reply(),
        verdict if verdict.kind().blocks() => Reply::blocked(verdict.reason()),
        _ => match fitted.change(Target::Input) {
            Some(input) => answer.raw("updatedInput", input).reply(),
            None => answer.reply(),
        },
    }
}

const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that crashes or times out does not block; no setting changes this.");
