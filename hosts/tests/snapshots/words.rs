//! The effect of a reply for the user of the agent, in sentences.

use snaphook_adapters::fit::Loss;
use snaphook_adapters::model::{EventKind, HookEvent, Reply, Target, VerdictKind};
use snaphook_adapters::protocol::Power;
use snaphook_hosts::{Account, Effect, Outcome};

/// Returns one sentence: the effect of this verdict for the user, by host if the hosts differ.
pub(crate) fn sentence(
    event: &HookEvent,
    verdict: VerdictKind,
    reply: &Reply,
    losses: &[Loss],
    account: Option<&Account>,
) -> String {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for host in event.row.hosts {
        let text = match account {
            Some(account) => seen(event, verdict, &account.interpret(event, host, reply), losses),
            None => "the effect is unverified".to_owned(),
        };
        match said.iter_mut().find(|(of, _)| *of == text) {
            Some((_, hosts)) => hosts.push(host),
            None => said.push((text, vec![host])),
        }
    }
    match said.as_slice() {
        [] => "no version of the agent is measured".to_owned(),
        [(text, _)] => text.clone(),
        several => several
            .iter()
            .map(|(text, hosts)| format!("{} on {}", text, hosts.join(", ")))
            .collect::<Vec<_>>()
            .join("; "),
    }
}

fn seen(event: &HookEvent, verdict: VerdictKind, outcome: &Outcome, losses: &[Loss]) -> String {
    let thing = thing(event.kind());
    if losses.iter().any(|loss| matches!(loss, Loss::Replaced { .. })) && outcome.change(Target::Result).is_some() {
        return "the tool has run; the model receives the reason in place of its result".to_owned();
    }
    let weak = losses.iter().any(Loss::weakens);
    match outcome.effect {
        Effect::Flow if weak => format!("this event cannot enforce the decision: {thing} continues"),
        Effect::Flow if event.row.can(Power::SilenceAsks) => {
            "the agent asks the user, as it would without a hook".to_owned()
        }
        Effect::Flow if event.row.can(Power::AskLater) && verdict == VerdictKind::Ask => {
            "a later gate asks the user".to_owned()
        }
        Effect::Flow if event.row.gates() => format!("the agent's own rules decide about {thing}"),
        Effect::Flow => format!("{thing} continues as it would without a hook"),
        Effect::Approves => format!("{thing} continues, and the user is not asked"),
        Effect::Asks => format!("the user is asked about {thing}"),
        Effect::Blocks if event.row.gates() => format!("{thing} is blocked; the turn continues"),
        Effect::Blocks => match event.kind() {
            EventKind::Question => "the question is answered with no".to_owned(),
            EventKind::Observed | EventKind::Setup => "the operation is blocked".to_owned(),
            _ => format!("{thing} is complete; the model receives the reason"),
        },
        Effect::Responds if event.kind() == EventKind::Question => "the response of snaphook is the answer".to_owned(),
        Effect::Responds => format!("{thing} is blocked and replaced by the response of snaphook"),
        Effect::Stops if event.row.gates() => format!("{thing} is blocked, and the turn ends"),
        Effect::Stops => "the turn ends".to_owned(),
        Effect::StopsHard => format!("{thing} is blocked; the turn ends and is undone"),
        Effect::RunsThenStops => format!("{thing} completes, and then the turn ends"),
        Effect::Continues => "the agent continues".to_owned(),
        Effect::RefusesStart => "the agent does not start".to_owned(),
        _ => "the effect is not known".to_owned(),
    }
}

fn thing(kind: EventKind) -> &'static str {
    match kind {
        EventKind::PreTool | EventKind::Permission => "the call",
        EventKind::PostTool | EventKind::ToolOutput => "the result",
        EventKind::Prompt => "the prompt",
        EventKind::PreModel => "the request to the model",
        EventKind::PostModel => "the model's answer",
        EventKind::TurnEnd => "the end of the turn",
        EventKind::SubagentStart => "the sub-agent",
        EventKind::SubagentEnd => "the end of the sub-agent",
        EventKind::PreCompact | EventKind::PostCompact => "the compaction",
        EventKind::SessionStart | EventKind::SessionEnd => "the session",
        EventKind::Question => "the question",
        _ => "the agent",
    }
}
