//! What an answer means to the person in front of the agent, in plain sentences.

use snaphook_adapters::fit::Loss;
use snaphook_adapters::host::{Does, HostSide, Outcome};
use snaphook_adapters::model::{EventKind, HookEvent, Reply, Target, VerdictKind};
use snaphook_adapters::protocol::Power;

/// One sentence: what the user sees after this verdict, by host where hosts differ.
pub(crate) fn sentence(
    event: &HookEvent,
    verdict: VerdictKind,
    reply: &Reply,
    losses: &[Loss],
    side: Option<&dyn HostSide>,
) -> String {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for host in event.row.hosts {
        let text = match side {
            Some(side) => seen(event, verdict, &side.interpret(event, host, reply), losses),
            None => "what happens is not measured".to_owned(),
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
        return "the tool has run; the model gets the reason in place of its result".to_owned();
    }
    let weak = losses.iter().any(Loss::weakens);
    match outcome.does {
        Does::Flow if weak => format!("nothing can be stopped here: {thing} goes on"),
        Does::Flow if event.row.can(Power::SilenceAsks) => "the agent asks the person, as it was about to".to_owned(),
        Does::Flow if event.row.can(Power::AskLater) && verdict == VerdictKind::Ask => {
            "the gate behind this line asks the person".to_owned()
        }
        Does::Flow if event.row.gates() => format!("the agent's own rules decide about {thing}"),
        Does::Flow => format!("{thing} goes on as if there were no hook"),
        Does::Approves => format!("{thing} goes on, and the person is not asked"),
        Does::Asks => format!("the person is asked about {thing}"),
        Does::Blocks if event.row.gates() => format!("{thing} does not happen; the turn goes on"),
        Does::Blocks => match event.kind() {
            EventKind::Question => "the question is answered with no".to_owned(),
            EventKind::Observed | EventKind::Setup => "what was about to happen does not".to_owned(),
            _ => format!("{thing} has happened; the model is told the reason"),
        },
        Does::Responds if event.kind() == EventKind::Question => "our text is the answer".to_owned(),
        Does::Responds => format!("{thing} does not happen; our text stands in its place"),
        Does::Stops if event.row.gates() => format!("{thing} does not happen, and the turn ends"),
        Does::Stops => "the turn ends".to_owned(),
        Does::StopsHard => format!("{thing} does not happen; the turn ends and is undone"),
        Does::RunsThenStops => format!("{thing} happens, and the turn ends afterwards"),
        Does::Continues => "the agent goes on working".to_owned(),
        Does::RefusesStart => "the agent does not start".to_owned(),
        _ => "nobody has seen what the agent does".to_owned(),
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
