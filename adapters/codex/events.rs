//! The events of Codex, with the powers of a reply and the limits.

use super::reply;
use crate::model::{EventKind as K, Target};
use crate::protocol::{EventRow, KnownLimit, Power as P, ReplyWriter};
use crate::shared::claude_style;

const HOSTS: &[&str] = &["0.169.0"];

const FAILS_OPEN: KnownLimit =
    KnownLimit::new("A hook that is killed, times out or is missing does not block; no setting changes this.");
const DOCUMENT_ONLY: KnownLimit = KnownLimit::new(
    "Only a document on stdout blocks: exit code 2 has no effect, so an invalid stdout does not block.",
);
const TRUST: KnownLimit = KnownLimit::new(
    "The agent skips the hook silently until the user approves it, and again after every change of its entry.",
);
const UNSEEN: KnownLimit = KnownLimit::new(
    "Hooks do not receive the input of a running process, the working directory of a command, or hosted web searches.",
);

const fn row(native: &'static str, kind: K, reply: ReplyWriter) -> EventRow {
    EventRow::new(native, kind, reply).hosts(HOSTS).timeout_ms(600_000)
}

pub(super) static EVENTS: &[EventRow] = &[
    row("PreToolUse", K::PreTool, reply::pre_tool)
        .gate()
        .can_do(&[
            P::Allow,
            P::AllowNeedsChange,
            P::Deny,
            P::Change(Target::Input),
            P::ChangeNeedsAllow,
            P::Context,
            P::Notice,
        ])
        .rejects(reply::rejects_input)
        .known_limits(&[FAILS_OPEN, TRUST, UNSEEN]),
    row("PreToolUse", K::PreTool, reply::pre_tool)
        .case("fixed")
        .gate()
        .can_do(&[P::Deny, P::Context, P::Notice])
        .known_limits(&[FAILS_OPEN, TRUST]),
    row("PermissionRequest", K::Permission, reply::permission)
        .gate()
        .can_do(&[P::Allow, P::Deny, P::Notice])
        .known_limits(&[FAILS_OPEN, TRUST]),
    row("PostToolUse", K::PostTool, reply::post_tool)
        .can_do(&[P::Change(Target::Result), P::Context, P::Notice])
        .rejects(reply::rejects_result)
        .withheld_result(reply::withheld_result)
        .known_limits(&[KnownLimit::new(
            "This event cannot end the turn: the model continues with the text in place of the output.",
        )]),
    row("UserPromptSubmit", K::Prompt, reply::prompt)
        .gate()
        .can_do(&[P::Deny, P::Abort, P::Context, P::Notice])
        .known_limits(&[FAILS_OPEN, TRUST]),
    row("SessionStart", K::SessionStart, reply::stops).can_do(&[P::Abort, P::Context, P::Notice, P::NoticeOnBlock]),
    row("SessionEnd", K::SessionEnd, claude_style::silent).timeout_ms(1_000),
    row("SubagentStart", K::SubagentStart, reply::stops).can_do(&[P::Context, P::Notice]),
    row("Stop", K::TurnEnd, reply::stops).can_do(&[P::KeepGoing, P::Abort, P::Notice, P::NoticeOnBlock]),
    row("Stop", K::TurnEnd, reply::stops).case("again").can_do(&[P::Abort, P::Notice, P::NoticeOnBlock]),
    row("SubagentStop", K::SubagentEnd, reply::stops).can_do(&[P::KeepGoing, P::Abort, P::Notice, P::NoticeOnBlock]),
    row("SubagentStop", K::SubagentEnd, reply::stops).case("again").can_do(&[P::Abort, P::Notice, P::NoticeOnBlock]),
    row("PreCompact", K::PreCompact, reply::stops)
        .gate()
        .can_do(&[P::Abort, P::Notice, P::NoticeOnBlock])
        .known_limits(&[FAILS_OPEN, DOCUMENT_ONLY, TRUST]),
    row("PostCompact", K::PostCompact, reply::stops).can_do(&[P::Abort, P::Notice, P::NoticeOnBlock]),
    row("PreModelRequest", K::PreModel, claude_style::silent),
    row("PostModelRequest", K::PostModel, claude_style::silent),
    row("Interrupt", K::Observed, reply::stops).timeout_ms(1_000).can_do(&[P::Notice]),
];
