//! The events of PicoClaw, with the powers of a reply and the limits.

use super::{NEW, OLD, reply};
use crate::model::{EventKind, Target};
use crate::protocol::{EventRow, KnownLimit, Power};

pub(super) const HELLO: &str = "hook.hello";
pub(super) const BEFORE_TOOL: &str = "hook.before_tool";
/// The agent did not announce `approve_tool`, so it could ignore a response.
pub(super) const UNGUARDED: &str = "unguarded";

pub(super) static EVENTS: &[EventRow] = &[
    EventRow::new(HELLO, EventKind::Observed, reply::hello).hosts(ALL).fails_closed(),
    BEFORE.dialects(&[NEW]).can_do(FULL).hosts(LATE),
    BEFORE.dialects(&[OLD]).can_do(FULL).hosts(EARLY),
    BEFORE
        .dialects(&[OLD])
        .case(UNGUARDED)
        .can_do(&[Power::Deny, Power::Abort, Power::HardAbort, Power::Change(Target::Input), Power::ChangeTool])
        .hosts(EARLY),
    EventRow::new("hook.approve_tool", EventKind::Permission, reply::approve_tool)
        .subscribed_as("approve_tool")
        .gate()
        .can_do(&[Power::Deny])
        .hosts(ALL)
        .fails_closed()
        .timeout_ms(60_000)
        .known_limits(&[CRON]),
    EventRow::new("hook.after_tool", EventKind::PostTool, reply::after_tool)
        .subscribed_as(TOOLS)
        .can_do(&[Power::Change(Target::Result), Power::Abort, Power::HardAbort])
        .hosts(ALL)
        .timeout_ms(INTERCEPTOR_MS)
        .rejects(reply::rejects_result),
    LLM.dialects(&[NEW]).hosts(LATE),
    LLM.dialects(&[OLD]).hosts(EARLY),
    EventRow::new("hook.after_llm", EventKind::PostModel, reply::after_llm)
        .subscribed_as(MODELS)
        .can_do(&[Power::Change(Target::Result), Power::Abort, Power::HardAbort])
        .hosts(ALL)
        .timeout_ms(INTERCEPTOR_MS)
        .rejects(reply::rejects_response)
        .known_limits(&[CALLS_ARE_MISSING]),
    EventRow::new("hook.runtime_event", EventKind::Observed, reply::observed).hosts(&["head"]).timeout_ms(OBSERVER_MS),
    EventRow::new("hook.event", EventKind::Observed, reply::observed)
        .hosts(&["v0.2.4", "v0.2.6", "v0.2.8"])
        .timeout_ms(OBSERVER_MS),
];

/// A call of an unknown method is refused by an error, so this row never judges a call.
pub(super) static UNKNOWN_CALL: EventRow =
    EventRow::new("an unknown method with a tool call", EventKind::PreTool, reply::before_tool)
        .gate()
        .can_do(&[Power::Deny]);

pub(super) static UNKNOWN: EventRow = EventRow::new("an unknown method", EventKind::Observed, reply::observed);

/// The name of either half of an intercept subscribes to both.
const TOOLS: &str = "before_tool";
const MODELS: &str = "before_llm";

const BEFORE: EventRow = EventRow::new(BEFORE_TOOL, EventKind::PreTool, reply::before_tool)
    .subscribed_as(TOOLS)
    .gate()
    .timeout_ms(INTERCEPTOR_MS)
    .known_limits(&[
        KnownLimit::new(
            "If the hook does not reply within the time limit, the call continues to `approve_tool`, which blocks it.",
        ),
        CRON,
    ]);

const LLM: EventRow = EventRow::new("hook.before_llm", EventKind::PreModel, reply::before_llm)
    .subscribed_as(MODELS)
    .gate()
    .can_do(&[Power::Change(Target::Messages), Power::Change(Target::Request), Power::Abort, Power::HardAbort])
    .timeout_ms(INTERCEPTOR_MS)
    .rejects(reply::rejects_request)
    .known_limits(&[KnownLimit::new("If the hook does not reply within the time limit, the request is sent.")]);

const FULL: &[Power] = &[
    Power::Deny,
    Power::Respond,
    Power::RespondDetails,
    Power::Abort,
    Power::HardAbort,
    Power::Change(Target::Input),
    Power::ChangeTool,
];

const ALL: &[&str] = &["v0.2.4", "v0.2.6", "v0.2.8", "head"];
const EARLY: &[&str] = &["v0.2.4", "v0.2.6"];
const LATE: &[&str] = &["v0.2.8", "head"];

const INTERCEPTOR_MS: u64 = 5000;
const OBSERVER_MS: u64 = 500;
const CALLS_ARE_MISSING: KnownLimit = KnownLimit::new(
    "An answer with tool calls cannot be changed, because the message does not contain their names and arguments.",
);
const CRON: KnownLimit =
    KnownLimit::new("The stored command of a `cron` job runs without hooks: decide about the `cron` call itself.");
