#![doc = include_str!("docs.md")]

mod register;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};

/// The adapter of Augment's CLI, auggie.
pub static AUGMENT: &Agent = &Agent::new("augment", "Augment")
    .aliases(&["auggie"])
    .fields(FIELDS)
    .hosts(&[Host::new("0.36.0", "0.36.0").gates(&[("PreToolUse", Role::Alone)])])
    .events(EVENTS)
    .tools(tools::TOOLS)
    .wrapping(Wrapping::new(HostShell::User { only: &["bash", "zsh", "fish", "sh"], fallback: &["sh"] }).hides())
    .mcp(McpNames::Bare)
    .registration(register::REGISTRATION);

const FIELDS: Fields = Fields::new("tool_name", "tool_input")
    .session("conversation_id")
    .roots("workspace_roots")
    .result("tool_output")
    .prompt("user_prompt");

static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool, &[P::Deny, P::Change(Target::Input), P::Notice])
        .gate()
        .rejects(claude_style::rejects_input)
        .known_limits(&[FAILS_OPEN, TOO_LARGE]),
    row("PostToolUse", K::PostTool, &[P::Context, P::Notice]),
    row("PromptSubmit", K::Prompt, &[]),
    row("Stop", K::Observed, &[]),
    row("SessionStart", K::SessionStart, &[]),
    row("SessionEnd", K::SessionEnd, &[]),
    row("Notification", K::Notification, &[]),
];

const fn row(native: &'static str, kind: K, powers: &'static [P]) -> EventRow {
    EventRow::new(native, kind, reply).can_do(powers).hosts(&["0.36.0"]).timeout_ms(60_000)
}

/// Exit code 2 blocks whatever is on stdout. A document counts only if it names the event.
fn reply(event: &HookEvent, fitted: &Fitted) -> Reply {
    if fitted.verdict().kind().blocks() {
        return Reply::blocked(fitted.verdict().reason());
    }
    let answer = claude_style::ReplyBuilder::with_additions(event, fitted);
    match fitted.change(Target::Input) {
        Some(input) => answer.raw("updatedInput", input).reply(),
        None => answer.reply(),
    }
}

const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that is killed, times out or fails does not block; no setting changes this.");
const TOO_LARGE: KnownLimit = KnownLimit::new("A call whose data are above 10 MiB runs without the hook.");
