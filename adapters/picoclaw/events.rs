//! What happens at PicoClaw, and what an answer can do there.

use super::{NEW, OLD, drops, effects, reply};
use crate::model::{EventKind, Target};
use crate::protocol::{EventRow, Fails, Power};

pub(super) const HELLO: &str = "hook.hello";
pub(super) const BEFORE_TOOL: &str = "hook.before_tool";
/// Nobody said that `approve_tool` stands behind: an answer in the tool's place could be ignored.
pub(super) const UNGUARDED: &str = "unguarded";

pub(super) static EVENTS: &[EventRow] = &[
    EventRow::new(HELLO, EventKind::Observed, reply::hello)
        .hosts(ALL)
        .fails(Fails::Closed)
        .effects(effects::HELLO, effects::GREETING),
    BEFORE.dialects(&[NEW]).can_do(FULL).hosts(LATE).effects(effects::BEFORE_TOOL, effects::CALL),
    BEFORE.dialects(&[OLD]).can_do(FULL).hosts(EARLY).effects(effects::BEFORE_TOOL_GUARDED, effects::CALL),
    BEFORE
        .dialects(&[OLD])
        .case(UNGUARDED)
        .can_do(&[Power::Deny, Power::Abort, Power::HardAbort, Power::Change(Target::Input)])
        .hosts(EARLY)
        .effects(effects::BEFORE_TOOL_ALONE, effects::CALL),
    EventRow::new("hook.approve_tool", EventKind::Permission, reply::approve_tool)
        .brought_by("approve_tool")
        .gate()
        .can_do(&[Power::Deny])
        .hosts(ALL)
        .fails(Fails::Closed)
        .timeout_ms(60_000)
        .open(&[CRON])
        .effects(effects::APPROVE_TOOL, effects::APPROVAL),
    EventRow::new("hook.after_tool", EventKind::PostTool, reply::after_tool)
        .brought_by(TOOLS)
        .can_do(&[Power::Change(Target::Result), Power::Abort, Power::HardAbort])
        .hosts(ALL)
        .timeout_ms(INTERCEPTOR_MS)
        .drops(drops::result)
        .effects(effects::STAGE, effects::RESULT),
    LLM.dialects(&[NEW]).hosts(LATE),
    LLM.dialects(&[OLD]).hosts(EARLY),
    EventRow::new("hook.after_llm", EventKind::PostModel, reply::after_llm)
        .brought_by(MODELS)
        .can_do(&[Power::Change(Target::Result), Power::Abort, Power::HardAbort])
        .hosts(ALL)
        .timeout_ms(INTERCEPTOR_MS)
        .drops(drops::response)
        .open(&["An answer in which the model calls tools cannot be changed: their names and arguments are not sent."])
        .effects(effects::ANSWER, effects::RESPONSE),
    EventRow::new("hook.runtime_event", EventKind::Observed, reply::observed)
        .hosts(&["head"])
        .timeout_ms(OBSERVER_MS)
        .effects(effects::NONE, &[]),
    EventRow::new("hook.event", EventKind::Observed, reply::observed)
        .hosts(&["v0.2.4", "v0.2.6", "v0.2.8"])
        .timeout_ms(OBSERVER_MS)
        .effects(effects::NONE, &[]),
];

/// A call of an unknown method is refused by an error, so nothing is ever judged by this row.
pub(super) static STRAY_CALL: EventRow =
    EventRow::new("an unknown method with a tool call", EventKind::PreTool, reply::before_tool)
        .gate()
        .can_do(&[Power::Deny]);

pub(super) static STRAY: EventRow = EventRow::new("an unknown method", EventKind::Observed, reply::observed);

/// Either half of an intercept turns on both.
const TOOLS: &str = "before_tool";
const MODELS: &str = "before_llm";

const BEFORE: EventRow = EventRow::new(BEFORE_TOOL, EventKind::PreTool, reply::before_tool)
    .brought_by(TOOLS)
    .gate()
    .timeout_ms(INTERCEPTOR_MS)
    .drops(drops::call)
    .open(&[
        "A hook that does not answer within the time limit lets the call through here; `approve_tool` blocks it.",
        CRON,
    ]);

const LLM: EventRow = EventRow::new("hook.before_llm", EventKind::PreModel, reply::before_llm)
    .brought_by(MODELS)
    .gate()
    .can_do(&[Power::Change(Target::Messages), Power::Change(Target::Request), Power::Abort, Power::HardAbort])
    .timeout_ms(INTERCEPTOR_MS)
    .drops(drops::request)
    .open(&["A hook that does not answer within the time limit lets the request through."])
    .effects(effects::STAGE, effects::REQUEST);

const FULL: &[Power] =
    &[Power::Deny, Power::Respond, Power::RespondDetails, Power::Abort, Power::HardAbort, Power::Change(Target::Input)];

const ALL: &[&str] = &["v0.2.4", "v0.2.6", "v0.2.8", "head"];
const EARLY: &[&str] = &["v0.2.4", "v0.2.6"];
const LATE: &[&str] = &["v0.2.8", "head"];

const INTERCEPTOR_MS: u32 = 5000;
const OBSERVER_MS: u32 = 500;
const CRON: &str = "The stored command of a `cron` job runs without any hook: decide about the `cron` call itself.";
