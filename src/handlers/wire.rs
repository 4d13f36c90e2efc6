//! The JSON that handlers read and print. `schemas/` has the JSON schemas of both.
//!
//! Values from the agent are passed to the handler byte for byte, and changed values are passed to the
//! agent byte for byte: numbers are never parsed here.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use snaphook_adapters::Raw;
use snaphook_adapters::model::{
    Action, Change, Decision, Detail, EventKind, HookEvent, Need, Response, Target, ToolCall, ToolResult, Verdict,
    VerdictKind,
};

/// The version of the event format. It is incremented when a member is removed or changes its meaning.
pub const SCHEMA: u32 = 1;

/// An event as handlers read it. Absent members are omitted.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "members are named as on the wire")]
pub struct Event<'a> {
    schema: u32,
    agent: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    event: &'a str,
    kind: EventKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<EventTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<EventResult<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<&'a Raw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<&'a Raw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls_tools: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<bool>,
    native: &'a Raw,
}

#[derive(Debug, Serialize)]
struct EventTool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    actions: &'a [Action],
    input: &'a Raw,
}

#[derive(Debug, Serialize)]
struct EventResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<ResultText<'a>>,
    raw: &'a Raw,
}

/// The text of a result as the agent sent it. Text with a lone surrogate, which many languages cannot parse, is repaired.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ResultText<'a> {
    AsSent(&'a Raw),
    Repaired(String),
}

impl<'a> From<&'a HookEvent> for Event<'a> {
    fn from(event: &'a HookEvent) -> Self {
        let mut shown = Self {
            schema: SCHEMA,
            agent: event.agent.id,
            dialect: event.dialect,
            event: &event.native,
            kind: event.kind(),
            session: event.session.as_deref(),
            cwd: event.cwd.as_deref(),
            project: event.project.as_deref(),
            mode: event.mode.as_deref(),
            tool: event.call().map(EventTool::from),
            result: event.result().map(EventResult::from),
            prompt: None,
            request: None,
            response: None,
            calls_tools: None,
            again: None,
            native: &event.raw,
        };
        match &event.detail {
            Detail::Prompt { text } => shown.prompt = Some(text),
            Detail::Request { request } => shown.request = Some(request),
            Detail::Response { response, calls_tools } => {
                shown.response = Some(response);
                shown.calls_tools = Some(*calls_tools);
            }
            Detail::TurnEnd { again } => shown.again = Some(*again),
            _ => {}
        }
        shown
    }
}

impl<'a> From<&'a ToolCall> for EventTool<'a> {
    fn from(call: &'a ToolCall) -> Self {
        Self { name: &call.name, id: call.id.as_deref(), actions: &call.actions, input: &call.input }
    }
}

impl<'a> From<&'a ToolResult> for EventResult<'a> {
    fn from(result: &'a ToolResult) -> Self {
        Self { is_error: result.is_error, text: result.text.as_ref().map(ResultText::from), raw: &result.raw }
    }
}

impl<'a> From<&'a Raw> for ResultText<'a> {
    fn from(literal: &'a Raw) -> Self {
        let may_be_lone = literal.as_str().contains("\\ud") || literal.as_str().contains("\\uD");
        match may_be_lone.then(|| literal.text()).flatten().filter(|text| text.lossy) {
            Some(text) => Self::Repaired(text.value),
            None => Self::AsSent(literal),
        }
    }
}

/// Parses the answer of a handler to an event. Empty output and white space mean pass.
///
/// # Errors
/// The answer is not a JSON object according to the schema, or contradicts itself.
pub fn decision(answer: &str, event: &HookEvent) -> Result<Decision, AnswerFault> {
    if answer.trim().is_empty() {
        return Ok(Decision::pass());
    }
    serde_json::from_str::<HandlerAnswer<'_>>(answer)?.decide(event)
}

/// The reason why an answer is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerFault {
    /// Invalid JSON, an unknown member, or a member of the wrong type.
    #[error("its answer is not a decision: {0}")]
    Json(#[from] serde_json::Error),
    /// Members of the short form and the long form in one answer.
    #[error("its answer has `decision` and members other than `reason`; use `verdict` instead of `decision`")]
    Mixed,
    /// `verdict` "respond" without `response`, or the reverse.
    #[error("its answer must have `verdict` \"respond\" and `response` together")]
    Respond,
    /// Two changes of the same target.
    #[error("its answer changes the {} twice", .0.word())]
    Twice(Target),
    /// A change without a new value, or with two.
    #[error("its change of the {} must have either `value`, or `text` for the text of a result", .0.word())]
    Value(Target),
    /// Another tool without its arguments, or an empty name.
    #[error("its change of the {} has `tool`, which is the name of another tool and goes with the target `input`", .0.word())]
    Tool(Target),
    /// A new value of the wrong type.
    #[error("its change of the {} is not {want}", target.word())]
    Type {
        /// The target of the change.
        target: Target,
        /// The expected type.
        want: &'static str,
    },
    /// New text for a result without text.
    #[error("its change of the result has `text`, but this result has no text; use `value`")]
    NoText,
}

/// An answer as printed. `null` means absent, except for `changes[].value` and in `extra`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct HandlerAnswer<'a> {
    verdict: Option<VerdictKind>,
    decision: Option<ShortVerdict>,
    reason: Option<String>,
    response: Option<AnswerResponse>,
    #[serde(borrow)]
    changes: Option<Vec<AnswerChange<'a>>>,
    context: Option<String>,
    notice: Option<String>,
    summary: Option<String>,
    #[serde(borrow)]
    extra: Option<IndexMap<String, &'a RawValue>>,
}

/// The verdicts of the short form, which docker-agent's judges print.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum ShortVerdict {
    Allow,
    Ask,
    Deny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct AnswerResponse {
    text: String,
    for_user: Option<String>,
    silent: Option<bool>,
    is_error: Option<bool>,
    media: Option<Vec<String>>,
    artifact_tags: Option<Vec<String>>,
    handled: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct AnswerChange<'a> {
    target: Target,
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<&'a RawValue>,
    text: Option<String>,
    tool: Option<String>,
    need: Option<Need>,
}

/// Deserializes `null` as a value instead of `None`.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(from).map(Some)
}

impl HandlerAnswer<'_> {
    fn decide(self, event: &HookEvent) -> Result<Decision, AnswerFault> {
        let short = self.decision.is_some();
        let mut decision = Decision::pass();
        for change in self.changes.iter().flatten() {
            let change = change.make(event)?;
            if decision.changes.iter().any(|other| other.target == change.target) {
                return Err(AnswerFault::Twice(change.target));
            }
            decision.changes.push(change);
        }
        decision.context = self.context;
        decision.notice = self.notice;
        decision.summary = self.summary;
        decision.extra =
            self.extra.into_iter().flatten().map(|(key, value)| (key, Raw::document(value.get()))).collect();
        if short && (self.verdict.is_some() || self.response.is_some() || decision != Decision::pass()) {
            return Err(AnswerFault::Mixed);
        }
        let kind = self.decision.map(VerdictKind::from).or(self.verdict).unwrap_or(VerdictKind::Pass);
        decision.verdict = verdict(kind, self.reason.unwrap_or_default(), self.response)?;
        Ok(decision)
    }
}

fn verdict(kind: VerdictKind, reason: String, response: Option<AnswerResponse>) -> Result<Verdict, AnswerFault> {
    Ok(match (kind, response) {
        (VerdictKind::Respond, Some(response)) => Verdict::Respond(response.into()),
        (VerdictKind::Respond, None) | (_, Some(_)) => return Err(AnswerFault::Respond),
        (VerdictKind::Pass, None) => Verdict::Pass,
        (VerdictKind::Allow, None) => Verdict::Allow { reason },
        (VerdictKind::Ask, None) => Verdict::Ask { reason },
        (VerdictKind::Deny, None) => Verdict::Deny { reason },
        (VerdictKind::Abort, None) => Verdict::Abort { reason },
        (VerdictKind::HardAbort, None) => Verdict::HardAbort { reason },
        (VerdictKind::KeepGoing, None) => Verdict::KeepGoing { reason },
    })
}

impl AnswerChange<'_> {
    fn make(&self, event: &HookEvent) -> Result<Change, AnswerFault> {
        let target = self.target;
        let value = match (self.value, &self.text) {
            (Some(value), None) => Raw::document(value.get()),
            (None, Some(text)) if target == Target::Result => {
                event.result().and_then(|result| result.with_text(text)).ok_or(AnswerFault::NoText)?
            }
            _ => return Err(AnswerFault::Value(target)),
        };
        if self.tool.as_ref().is_some_and(|tool| target != Target::Input || tool.is_empty()) {
            return Err(AnswerFault::Tool(target));
        }
        match target {
            Target::Prompt if !value.as_str().starts_with('"') => Err(AnswerFault::Type { target, want: "a string" }),
            Target::Request if !value.as_str().starts_with('{') => Err(AnswerFault::Type { target, want: "an object" }),
            _ => {
                let mut change = Change::required(target, value);
                change.tool.clone_from(&self.tool);
                change.need = self.need.unwrap_or(Need::Required);
                Ok(change)
            }
        }
    }
}

impl From<ShortVerdict> for VerdictKind {
    fn from(word: ShortVerdict) -> Self {
        match word {
            ShortVerdict::Allow => Self::Allow,
            ShortVerdict::Ask => Self::Ask,
            ShortVerdict::Deny => Self::Deny,
        }
    }
}

impl From<AnswerResponse> for Response {
    fn from(said: AnswerResponse) -> Self {
        let mut response = Self::new(said.text);
        response.for_user = said.for_user;
        response.silent = said.silent.unwrap_or_default();
        response.is_error = said.is_error.unwrap_or_default();
        response.media = said.media.unwrap_or_default();
        response.artifact_tags = said.artifact_tags.unwrap_or_default();
        response.handled = said.handled.unwrap_or_default();
        response
    }
}
