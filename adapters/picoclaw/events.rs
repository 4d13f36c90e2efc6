//! The events of PicoClaw, with the powers of a reply and the limits.

use super::{NEW, OLD, drops, reply};
use crate::model::{EventKind, Target};
use crate::protocol::{EventRow, Fails, Power};

pub(super) const HELLO: &str = "hook.hello";
pub(super) const BEFORE_TOOL: &str = "hook.before_tool";
/// The agent did not announce `approve_tool`, so it could ignore a response.
pub(super) const UNGUARDED: &str = "unguarded";

pub(super) static EVENTS: &[EventRow] = &[
    EventRow::new(HELLO, EventKind::Observed, reply::hello).hosts(ALL).fails(Fails::Closed),
    BEFORE.dialects(&[NEW]).can_do(FULL).hosts(LATE),
    BEFORE.dialects(&[OLD]).can_do(FULL).hosts(EARLY),
    BEFORE
        .dialects(&[OLD])
        .case(UNGUARDED)
        .can_do(&[Power::Deny, Power::Abort, Power::HardAbort, Power::Change(Target::Input)])
        .hosts(EARLY),
    EventRow::new("hook.approve_tool", EventKind::Permission, reply::approve_tool)
        .brought_by("approve_tool")
        .gate()
        .can_do(&[Power::Deny])
        .hosts(ALL)
        .fails(Fails::Closed)
        .timeout_ms(60_000)
        .open(&[CRON]),
    EventRow::new("hook.after_tool", EventKind::PostTool, reply::after_tool)
        .brought_by(TOOLS)
        .can_do(&[Power::Change(Target::Result), Power::Abort, Power::HardAbort])
        .hosts(ALL)
        .timeout_ms(INTERCEPTOR_MS)
        .drops(drops::result),
    LLM.dialects(&[NEW]).hosts(LATE),
    LLM.dialects(&[OLD]).hosts(EARLY),
    EventRow::new("hook.after_llm", EventKind::PostModel, reply::after_llm)
        .brought_by(MODELS)
        .can_do(&[Power::Change(Target::Result), Power::Abort, Power::HardAbort])
        .hosts(ALL)
        .timeout_ms(INTERCEPTOR_MS)
        .drops(drops::response)
        .open(&["An answer with tool calls cannot be changed, because the message does not contain their names and arguments."]),
    EventRow::new("hook.runtime_event", EventKind::Observed, reply::observed)
        .hosts(&["head"])
        .timeout_ms(OBSERVER_MS),
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
    .brought_by(TOOLS)
    .gate()
    .timeout_ms(INTERCEPTOR_MS)
    .drops(drops::call)
    .open(&[
        "If the hook does not reply within the time limit, the call continues to `approve_tool`, which blocks it.",
        CRON,
    ]);

const LLM: EventRow = EventRow::new("hook.before_llm", EventKind::PreModel, reply::before_llm)
    .brought_by(MODELS)
    .gate()
    .can_do(&[Power::Change(Target::Messages), Power::Change(Target::Request), Power::Abort, Power::HardAbort])
    .timeout_ms(INTERCEPTOR_MS)
    .drops(drops::request)
    .open(&["If the hook does not reply within the time limit, the request is sent."]);

const FULL: &[Power] =
    &[Power::Deny, Power::Respond, Power::RespondDetails, Power::Abort, Power::HardAbort, Power::Change(Target::Input)];

const ALL: &[&str] = &["v0.2.4", "v0.2.6", "v0.2.8", "head"];
const EARLY: &[&str] = &["v0.2.4", "v0.2.6"];
const LATE: &[&str] = &["v0.2.8", "head"];

const INTERCEPTOR_MS: u64 = 5000;
const OBSERVER_MS: u64 = 500;
const CRON: &str = "The stored command of a `cron` job runs without hooks: decide about the `cron` call itself.";
