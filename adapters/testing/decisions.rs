//! Every decision that can be made about an event.

use crate::Raw;
use crate::model::{
    Action, Change, Decision, Detail, HookEvent, Need, Response, Target, ToolCall, Verdict, VerdictKind,
};
use crate::protocol::{Extra, Want};
use crate::raw::json_string;

/// The reason of all decisions, so that replies differ by verdict and not by text.
pub const REASON: &str = "not here (rule 7)";

/// Returns each verdict alone, with each native member that the row lists, and with each change for which the event has
/// a value; and all of these again with every text and native member, one of them unknown to every row. The value of a
/// change is new or the present one.
pub fn decisions(event: &HookEvent) -> Vec<Decision> {
    let mut out = Vec::new();
    for kind in VerdictKind::ALL {
        out.push(Decision::from(verdict(kind)));
        for target in Target::ALL {
            for value in new_value(event, target).into_iter().chain(value(event, target)) {
                out.push(Decision::from(verdict(kind)).change(Change::required(target, value.clone())));
                out.push(Decision::from(verdict(kind)).change(Change::optional(target, value)));
            }
        }
    }
    for change in other_tool(event) {
        out.extend(VerdictKind::ALL.map(|kind| Decision::from(verdict(kind)).change(change.clone())));
    }
    let with_unknown_member = |decision: Decision| decision.extra("no_such_member", Raw::string("word"));
    let added: Vec<_> =
        out.iter().map(|decision| with_unknown_member(with_additions(event, decision.clone()))).collect();
    out.extend(added);
    for extra in event.row.extras() {
        let member = |kind| Decision::from(verdict(kind)).extra(extra.key(), sample(extra));
        out.extend(VerdictKind::ALL.map(member));
    }
    out
}

/// Returns changes that name another tool of the agent, and one that keeps the arguments if that tool takes them.
pub fn other_tool(event: &HookEvent) -> Vec<Change> {
    let Some(call) = event.call() else { return Vec::new() };
    let actions = [Action::Read { path: "a.txt".to_owned() }, Action::List { path: "b".to_owned() }];
    let sketches = actions.iter().filter_map(|action| ToolCall::sketch(event.agent, action));
    let Some(other) = sketches.into_iter().find(|other| other.name != call.name) else { return Vec::new() };
    let kept = call.of_other_tool(event.agent, &other.name, call.input.clone());
    [
        Some(Change::required(Target::Input, other.input.clone())),
        Some(Change::optional(Target::Input, other.input.clone())),
        kept.map(|kept| Change::required(Target::Input, kept.input)),
    ]
    .into_iter()
    .flatten()
    .map(|change| change.tool(&other.name))
    .collect()
}

/// Returns a value that the agent accepts for a native member.
pub fn sample(extra: &Extra) -> Raw {
    let word = match extra.takes {
        Want::Word(word) => Raw::string(word),
        Want::Any([Want::Word(word), ..]) => Raw::string(word),
        _ => Raw::string("word"),
    };
    let others = ["true", "{}", r#"["word"]"#, r#"[{"type":"word"}]"#].map(Raw::document);
    let takes = |value: &Raw| extra.takes.describes(value);
    [word.clone()].into_iter().chain(others).find(takes).unwrap_or(word)
}

/// Adds context, notice, summary and each native member that the row lists. A response gets all details.
pub fn with_additions(event: &HookEvent, decision: Decision) -> Decision {
    let mut decision = decision.context("text for the model").notice("text for the user").summary("the summary");
    for extra in event.row.extras() {
        decision = decision.extra(extra.key(), sample(extra));
    }
    if matches!(decision.verdict, Verdict::Respond(_)) {
        let response = Response::new(REASON)
            .for_user("text for the user")
            .silent()
            .error()
            .media("ref-1")
            .artifact_tag("[file:/tmp/a]")
            .handled();
        decision.verdict = Verdict::Respond(response);
    }
    decision
}

/// Returns verdicts without a reason, alone and with every text and native member.
pub fn blank(event: &HookEvent) -> Vec<Decision> {
    let reason = String::new();
    let verdicts = [
        Verdict::Allow { reason: reason.clone() },
        Verdict::Ask { reason: reason.clone() },
        Verdict::Deny { reason: " \n".to_owned() },
        Verdict::Abort { reason: reason.clone() },
        Verdict::HardAbort { reason },
    ];
    let with = |verdict: Verdict| [Decision::from(verdict.clone()), with_additions(event, verdict.into())];
    verdicts.into_iter().flat_map(with).collect()
}

/// Describes a decision in a few words, for reports and pages.
pub fn describe(decision: &Decision) -> String {
    let mut out = decision.verdict.kind().word().to_owned();
    for change in &decision.changes {
        let need = match change.need {
            Need::Required => "required",
            Need::Optional => "optional",
        };
        out.extend([" + ", need, " ", change.target.word()]);
        if let Some(tool) = &change.tool {
            out.extend([" of ", tool]);
        }
    }
    match &decision.extra[..] {
        _ if decision.context.is_some() => out.push_str(" + additions"),
        members => out.extend(members.iter().flat_map(|(key, _)| [" + ", key.as_str()])),
    }
    out
}

/// Returns the present value of a target, or `None` if the event does not have the target.
pub fn value(event: &HookEvent, target: Target) -> Option<Raw> {
    match (target, &event.detail) {
        (Target::Input, _) => Some(event.call()?.input.clone()),
        (Target::Result, Detail::Response { response, .. }) => Some(response.clone()),
        (Target::Result, _) => Some(event.result()?.raw.clone()),
        (Target::Prompt, Detail::Prompt { text }) => Some(Raw::string(text)),
        (Target::Messages, Detail::Request { request }) => request.at("/messages"),
        (Target::Request, Detail::Request { request }) => request.at("/model").map(|model| members("model", &model)),
        _ => None,
    }
}

/// Returns another value of the same shape; for a target that the event does not have, a plausible one.
pub fn new_value(event: &HookEvent, target: Target) -> Option<Raw> {
    let now = value(event, target);
    Some(match target {
        Target::Input => match now.and_then(|input| input.object().ok()) {
            Some(input) => other_input(event, &input),
            None => Raw::document(r#"{"changed":1.10}"#),
        },
        Target::Result => match (event.result().and_then(|result| result.with_text("changed")), now) {
            (Some(result), _) => result,
            (None, Some(now)) => {
                now.object().map_or_else(|_| Raw::string("changed"), |o| o.with("content", "\"changed\""))
            }
            (None, None) => Raw::string("changed"),
        },
        Target::Prompt => Raw::string("changed"),
        Target::Messages => Raw::document(r#"[{"role":"user","content":"changed"}]"#),
        Target::Request => Raw::document(r#"{"model":"changed"}"#),
    })
}

/// Changes the first text member, as a sandbox or a redactor does.
fn other_input(event: &HookEvent, input: &crate::raw::Object) -> Raw {
    let slots = event.call().and_then(|call| call.row).into_iter().flat_map(|row| row.actions);
    let keys = slots.filter(|act| !act.slot.each).flat_map(|act| act.slot.keys);
    let spelt = keys.filter_map(|key| input.spelling(key, event.agent.keys));
    let key = spelt
        .chain(input.members().map(|(key, _)| key))
        .find(|key| input.last(key).and_then(|value| value.text()).is_some_and(|text| !text.lossy));
    input.with(key.unwrap_or("changed"), &json_string("changed"))
}

fn members(key: &str, value: &Raw) -> Raw {
    Raw::document(format!("{{{}:{}}}", json_string(key), value.as_str()))
}

fn verdict(kind: VerdictKind) -> Verdict {
    let reason = REASON.to_owned();
    match kind {
        VerdictKind::Pass => Verdict::Pass,
        VerdictKind::Allow => Verdict::Allow { reason },
        VerdictKind::Ask => Verdict::Ask { reason },
        VerdictKind::Deny => Verdict::Deny { reason },
        VerdictKind::Respond => Verdict::Respond(Response::new(reason)),
        VerdictKind::Abort => Verdict::Abort { reason },
        VerdictKind::HardAbort => Verdict::HardAbort { reason },
        VerdictKind::KeepGoing => Verdict::KeepGoing { reason },
    }
}
