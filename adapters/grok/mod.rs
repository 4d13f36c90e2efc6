#![doc = include_str!("docs.md")]

mod register;
mod reply;
mod tools;

use crate::prelude::{EventKind as K, Power as P, *};
use crate::protocol::Problem;

/// The adapter of Grok Build.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "an adapter has no state")]
pub struct Grok;

static AGENT: Agent = Agent::new("grok", "Grok Build")
    .aliases(&["grok-build"])
    .event_at("/hookEventName")
    .fields(FIELDS)
    .hosts(&[Host::new("0.2.106", "0.2.106 and the source of August 2026").gates(&[("pre_tool_use", Role::Alone)])])
    .session_folder(SessionFolder::Variable("GROK_WORKSPACE_ROOT"))
    .events(EVENTS)
    .tools(tools::TOOLS)
    .mcp(McpNames::Split { prefix: "", between: "__" })
    .max_reason(256)
    .shared_hooks(SharedHooks::of(&["claude-code", "cursor"]).with(&["hookEventName", "workspaceRoot"]))
    .registration(register::REGISTRATION);

const FIELDS: Fields = Fields::new("toolName", "toolInput")
    .call_id("toolUseId")
    .session("sessionId")
    .cwd("cwd")
    .mode("permissionMode")
    .result("toolResult")
    .again("stopHookActive");

static EVENTS: &[EventRow] = &[
    row("pre_tool_use", "PreToolUse", K::PreTool, &[P::Deny, P::Change(Target::Input)])
        .gate()
        .rejects(claude_style::rejects_input)
        .known_limits(&[FAILS_OPEN]),
    row("stop", "Stop", K::TurnEnd, &[P::KeepGoing]).timeout_ms(600_000),
    row("subagent_stop", "SubagentStop", K::SubagentEnd, &[P::KeepGoing]).timeout_ms(600_000),
    row("post_tool_use", "PostToolUse", K::PostTool, &[]),
    row("post_tool_use_failure", "PostToolUseFailure", K::Observed, &[]),
    row("permission_denied", "PermissionDenied", K::Observed, &[]),
    row("user_prompt_submit", "UserPromptSubmit", K::Prompt, &[]),
    row("session_start", "SessionStart", K::SessionStart, &[]),
    row("session_end", "SessionEnd", K::SessionEnd, &[]),
    row("stop_failure", "StopFailure", K::Error, &[]),
    row("stop_cancelled", "StopCancelled", K::Observed, &[]),
    row("subagent_start", "SubagentStart", K::SubagentStart, &[]),
    row("notification", "Notification", K::Notification, &[]),
    row("pre_compact", "PreCompact", K::PreCompact, &[]),
    row("post_compact", "PostCompact", K::PostCompact, &[]),
];

const fn row(native: &'static str, registered: &'static str, kind: K, powers: &'static [P]) -> EventRow {
    let row = EventRow::new(native, kind, reply::reply).can_do(powers).subscribed_as(registered);
    row.hosts(&["0.2.106"]).timeout_ms(5_000)
}

const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that crashes or times out does not block; no setting changes this.");

impl HookProtocol for Grok {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    /// Arguments above 128 KiB are replaced by the beginning of their text, which cannot be judged.
    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        if body.row().gates() && body.bool("toolInputTruncated")? == Some(true) {
            return Err(body.fault(FIELDS.input, Problem::NotA("complete, because the call is larger than 128 KiB")));
        }
        let detail = body.detail()?;
        Ok(body.event(detail)?.into())
    }
}
