//! The words of the pages: kinds, roles, and the effect of a reply for the user of the agent.

use snaphook_adapters::model::{EventKind, HookEvent, Reply, Target};
use snaphook_adapters::protocol::{Power, Role};
use snaphook_hosts::{Account, AnswerPart, Effect, Mark, Outcome};

/// Returns the word for a kind of events in policies and handlers.
pub(crate) fn kind(kind: EventKind) -> String {
    serde_json::to_value(kind).ok().and_then(|word| Some(word.as_str()?.to_owned())).unwrap_or_default()
}

/// Returns a role and its meaning.
pub(crate) fn role(role: Role) -> &'static str {
    match role {
        Role::Alone => "alone, the only gate of the call",
        Role::Guarded => "guarded, followed by a gate that asks the user",
        Role::Preempt => "preempt, before approval, where the agent obeys only a denial",
        Role::Asks => "asks, the only gate of the call, in a version that asks",
    }
}

/// Returns the effect of a reply for the user, by host if the hosts differ.
pub(crate) fn seen(event: &HookEvent, reply: &Reply, account: Option<&Account>) -> String {
    let Some(account) = account else { return "the effect is not known".to_owned() };
    let hosts = event.row.hosts;
    let outcomes = hosts.iter().map(|host| (*host, account.interpret(event, host, reply)));
    let outcomes: Vec<_> =
        outcomes.map(|(host, outcome)| (host, (sentence(event, &outcome), outcome.mark.map(Mark::words)))).collect();
    let texts = grouped(outcomes.iter().map(|(host, (text, mark))| ((*host, *mark), text.as_str())));
    let one_text = texts.len() == 1;
    let said = texts.into_iter().map(|(text, hosts)| {
        let of = hosts.iter().map(|(host, _)| *host).collect::<Vec<_>>().join(", ");
        let marks = grouped(hosts.iter().filter_map(|(host, mark)| Some((*host, (*mark)?))));
        let marks = match marks.as_slice() {
            [(mark, _)] => (*mark).to_owned(),
            several => {
                several.iter().map(|(mark, of)| format!("{}: {mark}", of.join(", "))).collect::<Vec<_>>().join("; ")
            }
        };
        let text = if one_text { text.to_owned() } else { format!("{of}: {text}") };
        if marks.is_empty() { text } else { format!("{text} ({marks})") }
    });
    let said: Vec<_> = said.collect();
    if said.is_empty() { "no version of the agent is measured".to_owned() } else { said.join(". ") }
}

/// Returns each value with everything that has it.
pub(crate) fn grouped<H, T: PartialEq>(all: impl Iterator<Item = (H, T)>) -> Vec<(T, Vec<H>)> {
    let mut out: Vec<(T, Vec<H>)> = Vec::new();
    for (host, value) in all {
        match out.iter_mut().find(|(of, _)| *of == value) {
            Some((_, hosts)) => hosts.push(host),
            None => out.push((value, vec![host])),
        }
    }
    out
}

fn sentence(event: &HookEvent, outcome: &Outcome) -> String {
    let mut parts = vec![effect(event, outcome.effect)];
    // A response is the new result.
    let changes = outcome.changes.iter().map(|(target, _)| *target);
    let changes = changes.filter(|target| *target != Target::Result || outcome.effect != Effect::Responds);
    parts.extend(changes.map(|target| format!("the agent uses the new {}", target.word())));
    for (part, text) in &outcome.texts {
        let said = match part {
            AnswerPart::Context => format!("the model reads \"{text}\""),
            AnswerPart::Notice => format!("the user reads \"{text}\""),
            part => format!("{}: \"{text}\"", part.word()),
        };
        if !parts.contains(&said) {
            parts.push(said);
        }
    }
    parts.join("; ")
}

fn effect(event: &HookEvent, effect: Effect) -> String {
    let Some(thing) = gated(event) else { return elsewhere(event.kind(), effect).to_owned() };
    match effect {
        Effect::Flow if event.row.can(Power::SilenceAsks) => {
            format!("the user is asked about {thing}, as without a hook")
        }
        Effect::Flow if event.row.can(Power::AskLater) => format!("a later gate decides about {thing}"),
        Effect::Flow => format!("the agent's own rules decide about {thing}"),
        Effect::Approves => format!("{thing} continues, and the user is not asked"),
        Effect::Asks => format!("the user is asked about {thing}"),
        Effect::Blocks => format!("{thing} is blocked; the turn continues"),
        Effect::Responds => format!("{thing} is blocked and replaced by the response of snaphook"),
        Effect::Stops => format!("{thing} is blocked, and the turn ends"),
        Effect::StopsHard => format!("{thing} is blocked; the turn ends and is undone"),
        Effect::RunsThenStops => format!("{thing} completes, and then the turn ends"),
        other => elsewhere(event.kind(), other).to_owned(),
    }
}

/// Returns the object of a gate, or `None` if the event is not a gate.
fn gated(event: &HookEvent) -> Option<&'static str> {
    event.row.gates().then_some(match event.kind() {
        EventKind::Prompt => "the prompt",
        EventKind::PreModel => "the request to the model",
        EventKind::PreCompact => "the compaction",
        _ => "the call",
    })
}

/// Returns an effect at an event that is not a gate.
fn elsewhere(kind: EventKind, effect: Effect) -> &'static str {
    match effect {
        Effect::Flow => "the agent continues as it would without a hook",
        Effect::Approves => "the agent continues, and the user is not asked",
        Effect::Asks => "the user is asked",
        Effect::Blocks if kind == EventKind::Question => "the question is answered with no",
        Effect::Blocks => "the operation is blocked",
        Effect::Responds => "the agent uses the response of snaphook",
        Effect::Stops | Effect::RunsThenStops => "the turn ends",
        Effect::StopsHard => "the turn ends and is undone",
        Effect::Continues => "the agent continues to work",
        Effect::RefusesStart => "the agent does not start",
        _ => "the effect is not known",
    }
}
