//! The page of one fixture.

use std::fmt::Write as _;

use snaphook_adapters::fit::{Fitted, Limits, Loss, fit};
use snaphook_adapters::model::{Change, Decision, Detail, HookEvent, Incoming, Reply, Target, VerdictKind};
use snaphook_adapters::protocol::{HookProtocol, Power};
use snaphook_adapters::testing::{Fixture, REASON, decisions, describe, new_value, sample, value, with_additions};
use snaphook_hosts::{Account, account};

use crate::words::sentence;

pub(crate) fn page(protocol: &dyn HookProtocol, fixture: &Fixture) -> String {
    let mut out = String::new();
    match protocol.parse(&fixture.native) {
        Ok(Incoming::Event(event)) => event_page(&mut out, protocol, &event),
        Ok(Incoming::Observed(event)) => {
            out.push_str("What the user of the agent sees\n  nothing: the notification is recorded and has no reply\n");
            facts(&mut out, &event);
        }
        Ok(Incoming::Handshake { reply, modes }) => {
            out.push_str("What the user of the agent sees\n  nothing: the handshake always has a reply\n");
            let _ = writeln!(out, "\nmodes     {modes:?}\n{}", bytes(&reply));
        }
        Ok(other) => {
            let _ = writeln!(out, "A kind of message without a page: {other:?}");
        }
        Err(error) => {
            let reply = protocol.refuse(&fixture.native, REASON);
            let _ = writeln!(out, "Invalid: {error}\n\nrefused\n{}", bytes(&reply));
        }
    }
    let _ = write!(out, "\nfixture   {}", fixture.source);
    out
}

fn event_page(out: &mut String, protocol: &dyn HookProtocol, event: &HookEvent) {
    out.push_str("What the user of the agent sees\n");
    let answers: Vec<_> =
        decisions_on_page(event).into_iter().map(|decision| PageReply::new(protocol, event, decision)).collect();
    for (kind, answer) in VerdictKind::ALL.iter().zip(&answers) {
        let seen = sentence(event, *kind, &answer.reply, &answer.losses, account(protocol.agent().id));
        let _ = writeln!(out, "  {:<12}{seen}", format!("{}:", kind.word()));
    }
    facts(out, event);
    let mut blocks: Vec<(&Reply, Vec<&PageReply>)> = Vec::new();
    for answer in &answers {
        match blocks.iter_mut().find(|(reply, _)| **reply == answer.reply) {
            Some((_, same)) => same.push(answer),
            None => blocks.push((&answer.reply, vec![answer])),
        }
    }
    for (reply, answers) in blocks {
        out.push_str("\n---\n");
        for answer in &answers {
            let losses: Vec<_> = answer.losses.iter().map(Loss::to_string).collect();
            let lost = if losses.is_empty() { String::new() } else { format!("   (lost: {})", losses.join("; ")) };
            let _ = writeln!(out, "{}{lost}", describe(&answer.decision));
        }
        let _ = writeln!(out, "{}", bytes(reply));
        does(out, account(protocol.agent().id), event, reply);
    }
}

struct PageReply {
    decision: Decision,
    losses: Vec<Loss>,
    reply: Reply,
}

impl PageReply {
    fn new(protocol: &dyn HookProtocol, event: &HookEvent, decision: Decision) -> Self {
        let (fitted, losses): (Fitted, _) = fit(decision.clone(), event, &Limits::default());
        let reply = protocol.format(event, &fitted);
        Self { decision, losses, reply }
    }
}

/// Returns the eight verdicts first, then a change of each target that the event has, the texts, and each native member
/// with the first verdict that allows it.
fn decisions_on_page(event: &HookEvent) -> Vec<Decision> {
    let plain: Vec<_> = decisions(event)
        .into_iter()
        .filter(|decision| decision.changes.is_empty() && decision.context.is_none() && decision.extra.is_empty())
        .collect();
    let mut out = plain.clone();
    for target in Target::ALL {
        if value(event, target).is_none() && !event.row.can(Power::Change(target)) {
            continue;
        }
        let Some(value) = new_value(event, target) else { continue };
        for decision in plain.iter().take(3) {
            out.push(decision.clone().change(Change::required(target, value.clone())));
        }
        out.push(Decision::pass().change(Change::optional(target, value)));
    }
    let kinds =
        [VerdictKind::Pass, VerdictKind::Allow, VerdictKind::Deny, VerdictKind::Respond, VerdictKind::KeepGoing];
    out.extend(plain.iter().filter(|d| kinds.contains(&d.verdict.kind())).map(|d| with_additions(event, d.clone())));
    for extra in event.row.extras() {
        let first = plain.iter().find(|decision| extra.allows_verdict(decision.verdict.kind()));
        out.extend(first.map(|decision| decision.clone().extra(extra.key(), sample(extra))));
    }
    out
}

fn facts(out: &mut String, event: &HookEvent) {
    let row = event.row;
    let mut fact = |name: &str, value: &str| {
        let _ = writeln!(out, "{name:<10}{value}");
    };
    fact("\nevent", &format!(" {:?}, native `{}`, row `{}`", event.kind(), event.native, row.key()));
    let gate = if row.gates() { "a gate" } else { "not a gate" };
    let limit = row
        .failure
        .timeout
        .map_or_else(|| "no known time limit".to_owned(), |limit| format!("{} ms", limit.as_millis()));
    fact("row", &format!("{gate}; fails {:?}; {limit}", row.failure.effect).to_lowercase());
    let texts = [("dialect", event.dialect), ("session", event.session.as_deref())];
    let more = [("cwd", event.cwd.as_deref()), ("mode", event.mode.as_deref())];
    for (name, value) in texts.into_iter().chain(more) {
        if let Some(value) = value {
            fact(name, value);
        }
    }
    if let Some(call) = event.call() {
        fact("tool", &call.name);
        for action in &call.actions {
            fact("action", &format!("{action:?}"));
        }
    }
    match &event.detail {
        Detail::Prompt { text } => fact("prompt", text),
        Detail::Answered { text, .. } => fact("answered", text),
        Detail::TurnEnd { again } => fact("again", &again.to_string()),
        Detail::ToolDone { result, .. } => {
            fact("result", &format!("{:?}, failed {:?}", result.read().map(|text| text.value), result.is_error));
        }
        Detail::Response { calls_tools, .. } => fact("calls", &format!("tools: {calls_tools}")),
        _ => {}
    }
    for open in row.all_limits() {
        fact("limit", open);
    }
}

fn does(out: &mut String, account: Option<&Account>, event: &HookEvent, reply: &Reply) {
    let Some(account) = account else { return };
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for host in event.row.hosts {
        let outcome = account.interpret(event, host, reply);
        let changes =
            outcome.changes.iter().map(|(target, value)| format!("\n         {} = {}", target.word(), value.as_str()));
        let texts = outcome.texts.iter().map(|(part, text)| format!("\n         {part:?}: {text}"));
        let mark = outcome.mark.map(|mark| format!(" ({mark:?})").to_lowercase()).unwrap_or_default();
        let text = format!("{}{mark}{}", outcome.effect.word(), changes.chain(texts).collect::<String>());
        match said.iter_mut().find(|(of, _)| *of == text) {
            Some((_, hosts)) => hosts.push(host),
            None => said.push((text, vec![host])),
        }
    }
    for (text, hosts) in said {
        let _ = writeln!(out, "  {}: {text}", hosts.join(", "));
    }
}

fn bytes(reply: &Reply) -> String {
    let mut out = format!("  exit {}", reply.exit);
    for (name, text) in [("stdout", &reply.stdout), ("stderr", &reply.stderr)] {
        if !text.is_empty() {
            let _ = write!(out, "\n  {name} {text}");
        }
    }
    out
}
