//! The events, what an answer can do on each, and what stays open.

use super::{effects as fx, reply};
use crate::model::{EventKind as K, Target};
use crate::protocol::{EventRow, Power as P, ReplyWriter};

const HOSTS: &[&str] = &["0.169.0"];

const FAILS_OPEN: &str = "A hook that is killed, too slow or missing lets it through; there is no switch against that.";
const DOCUMENT_ONLY: &str =
    "Only a document on stdout stops it: exit 2 is no answer here, so a broken stdout lets it through.";
const TRUST: &str = "Until the hook is approved, and after every edit of its entry, it is skipped without a word.";
const UNSEEN: &str = "What is typed into a running process, the working directory of a command and hosted web searches are not shown to hooks.";

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
        .drops(reply::drops_input)
        .open(&[FAILS_OPEN, TRUST, UNSEEN])
        .effects(fx::PRE_TOOL, fx::PRE_TOOL_CARRIES)
        .knows(fx::PRE_TOOL_KNOWS),
    row("PreToolUse", K::PreTool, reply::pre_tool)
        .case("fixed")
        .gate()
        .can_do(&[P::Deny, P::Context, P::Notice])
        .open(&[FAILS_OPEN, TRUST])
        .effects(fx::PRE_TOOL, fx::PRE_TOOL_CARRIES)
        .knows(fx::PRE_TOOL_KNOWS),
    row("PermissionRequest", K::Permission, reply::permission)
        .gate()
        .can_do(&[P::Allow, P::Deny, P::Notice])
        .open(&[FAILS_OPEN, TRUST])
        .effects(fx::PERMISSION, fx::PERMISSION_CARRIES)
        .knows(fx::PERMISSION_KNOWS),
    row("PostToolUse", K::PostTool, reply::post_tool)
        .can_do(&[P::Change(Target::Result), P::Context, P::Notice])
        .drops(reply::drops_result)
        .withhold(reply::withhold)
        .open(&["The turn cannot be ended here: the model goes on with the text in the place of the output."])
        .effects(fx::POST_TOOL, fx::POST_TOOL_CARRIES)
        .knows(fx::TALKS),
    row("UserPromptSubmit", K::Prompt, reply::prompt)
        .gate()
        .can_do(&[P::Deny, P::Abort, P::Context, P::Notice])
        .open(&[FAILS_OPEN, TRUST])
        .effects(fx::PROMPT, fx::TEXTS)
        .knows(fx::TALKS),
    row("SessionStart", K::SessionStart, reply::stops)
        .can_do(&[P::Abort, P::Context, P::Notice, P::NoticeOnBlock])
        .effects(fx::SESSION, fx::TEXTS)
        .knows(fx::STARTS),
    row("SessionEnd", K::SessionEnd, reply::silent).timeout_ms(1_000).effects(fx::NOTHING, &[]),
    row("SubagentStart", K::SubagentStart, reply::stops)
        .can_do(&[P::Context, P::Notice])
        .effects(fx::SUBAGENT, fx::TEXTS)
        .knows(fx::STARTS),
    row("Stop", K::TurnEnd, reply::stops)
        .can_do(&[P::KeepGoing, P::Abort, P::Notice, P::NoticeOnBlock])
        .effects(fx::TURN_END, fx::SPOKEN)
        .knows(fx::ENDS),
    row("Stop", K::TurnEnd, reply::stops)
        .case("again")
        .can_do(&[P::Abort, P::Notice, P::NoticeOnBlock])
        .effects(fx::TURN_END, fx::SPOKEN)
        .knows(fx::ENDS),
    row("SubagentStop", K::SubagentEnd, reply::stops)
        .can_do(&[P::KeepGoing, P::Abort, P::Notice, P::NoticeOnBlock])
        .effects(fx::TURN_END, fx::SPOKEN)
        .knows(fx::ENDS),
    row("SubagentStop", K::SubagentEnd, reply::stops)
        .case("again")
        .can_do(&[P::Abort, P::Notice, P::NoticeOnBlock])
        .effects(fx::TURN_END, fx::SPOKEN)
        .knows(fx::ENDS),
    row("PreCompact", K::PreCompact, reply::stops)
        .gate()
        .can_do(&[P::Abort, P::Notice, P::NoticeOnBlock])
        .open(&[FAILS_OPEN, DOCUMENT_ONLY, TRUST])
        .effects(fx::COMPACT, fx::SPOKEN)
        .knows(fx::STOPS),
    row("PostCompact", K::PostCompact, reply::stops)
        .can_do(&[P::Abort, P::Notice, P::NoticeOnBlock])
        .effects(fx::COMPACT, fx::SPOKEN)
        .knows(fx::STOPS),
    row("PreModelRequest", K::PreModel, reply::silent).effects(fx::NOTHING, &[]),
    row("PostModelRequest", K::PostModel, reply::silent).effects(fx::NOTHING, &[]),
    row("Interrupt", K::Observed, reply::stops)
        .timeout_ms(1_000)
        .can_do(&[P::Notice])
        .effects(fx::NOTHING, fx::SPOKEN)
        .knows(fx::STOPS),
];

/// An event that is new to us, with a tool call in it: exit 2 with a reason is the block that every
/// event knows.
pub(super) static STRAY_CALL: EventRow = EventRow::new("", K::PreTool, reply::by_exit).gate().can_do(&[P::Deny]);
/// Any other event that is new to us.
pub(super) static STRAY: EventRow = EventRow::new("", K::Observed, reply::silent);
