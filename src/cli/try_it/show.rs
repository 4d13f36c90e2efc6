//! Prints a trial as text or as JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use snaphook_adapters::Raw;
use snaphook_adapters::fit::Loss;
use snaphook_adapters::model::{Reply, Target, VerdictKind};
use snaphook_adapters::protocol::Agent;
use snaphook_adapters::raw::visible_json;
use snaphook_hosts::{AnswerPart, Effect, Outcome, is_verified};
use snaphook_policy::{Cause, covers_more};

use super::super::{indented, isolation, one_line, part_verdict, unverified};
use super::runner::{GateStep, Sent, StepResult, Walk};
use super::{Trial, TrialPolicy, Tried};
use crate::setup::state::RegistrationStatus;

pub(super) fn text(trial: &Trial, out: &mut String) {
    policy(&trial.policy, out);
    for (agent, tried) in &trial.tried {
        match tried {
            Tried::Not(why) => {
                let _ = writeln!(out, "{} {}\n", agent.id, one_line(why));
            }
            Tried::Shown(shown) => {
                let verdict = first(shown).map_or("", |sent| sent.judged.wanted.word());
                let rest = if skips_handlers(shown) { ", by the rules alone" } else { "" };
                let _ = writeln!(out, "{}: {verdict}{rest}", agent.id);
                because(shown, out);
                if let Some(why) = unverified(agent.id) {
                    let _ = writeln!(out, "  {why}");
                }
                for (hosts, text) in grouped(agent, shown) {
                    out.push_str(&hosts);
                    out.push_str(&text);
                }
                out.push('\n');
            }
        }
    }
}

/// Prints which agents are found, and which of them are not protected. `is_selection` says that only the found ones
/// were shown.
pub(super) fn found(trial: &Trial, is_selection: bool, policies: &str, out: &mut String) {
    let _ = writeln!(out, "Nothing was executed and nothing was recorded.");
    match open(&trial.found).as_slice() {
        _ if trial.found.is_empty() => {
            let examples = if is_selection { "; shown are examples. Every agent: --all" } else { "" };
            let _ = writeln!(out, "No agent was found on this machine{examples}.");
        }
        [] => out.push_str("Every agent found on this machine calls snaphook.\n"),
        open => {
            let is_absent = |state: RegistrationStatus| state == RegistrationStatus::Absent;
            let named = open.iter().map(|&(id, state)| match state {
                state if is_absent(state) => id.to_owned(),
                state => format!("{id} ({})", state.word()),
            });
            let _ =
                writeln!(out, "Found on this machine and not protected yet: {}", named.collect::<Vec<_>>().join(", "));
            if let Some((id, _)) = open.iter().find(|(_, state)| is_absent(*state)) {
                let _ = writeln!(out, "Register: snaphook install {id}{policies}");
            }
            if open.iter().any(|(_, state)| !is_absent(*state)) {
                let _ = writeln!(out, "What to do: snaphook status{policies}");
            }
        }
    }
}

fn policy(policy: &TrialPolicy, out: &mut String) {
    let _ = writeln!(out, "policy: {}", one_line(&policy.origin));
    for warning in policy.notices.iter().chain(&policy.warnings) {
        let _ = writeln!(out, "{}", indented(warning, "  "));
    }
    out.push('\n');
}

/// The agents that do not call snaphook, with the state of their registration.
fn open(here: &[(&'static str, RegistrationStatus)]) -> Vec<(&'static str, RegistrationStatus)> {
    here.iter().filter(|(_, state)| !state.calls_us()).copied().collect()
}

fn first(walks: &[Walk]) -> Option<&Sent> {
    walks.iter().flat_map(Walk::sent).next()
}

/// Returns true if a handler was not called, so that the real verdict may differ.
pub(super) fn skips_handlers(walks: &[Walk]) -> bool {
    walks.iter().flat_map(Walk::sent).any(|sent| !sent.skipped_handlers.is_empty())
}

/// The file and the line of a rule, in parentheses.
pub(super) fn place(cause: &Cause) -> String {
    match (&cause.file, cause.line) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        (Some(file), None) => format!(" ({file})"),
        _ => String::new(),
    }
}

fn because(walks: &[Walk], out: &mut String) {
    let Some(Sent { judged, .. }) = first(walks) else { return };
    for cause in &judged.causes {
        let place = place(cause);
        let action = cause.action.as_ref().map(|action| format!(" on {action}")).unwrap_or_default();
        let said = format!("{} says {}{action}{place}", cause.rule, cause.verdict.word());
        let _ = writeln!(out, "  {}", one_line(said));
        let guards = matches!(cause.verdict, VerdictKind::Deny | VerdictKind::Ask);
        if let Some(more) = guards.then(|| covers_more(&cause.rule)).flatten() {
            let _ = writeln!(out, "    it covers {}", one_line(more));
        }
    }
    for part in &judged.parts {
        let _ = writeln!(out, "  part  {}", part_verdict(part));
    }
    if let Some(word) = &judged.not_understood {
        let _ = writeln!(out, "  the command is not understood: {}", one_line(word));
    }
    for remark in &judged.remarks {
        let _ = writeln!(out, "  {}", one_line(remark));
    }
    if let Some(failure) = &judged.failure {
        let _ = writeln!(out, "  {}", indented(failure, "    "));
    }
}

/// Groups the versions with the same result.
fn grouped(agent: &Agent, walks: &[Walk]) -> Vec<(String, String)> {
    let mut groups: Vec<(Vec<&str>, String)> = Vec::new();
    for walk in walks {
        let text = one(agent, walk);
        let id = walk.host.map(|host| host.id);
        match groups.iter_mut().find(|(_, same)| *same == text) {
            Some((ids, _)) => ids.extend(id),
            None => groups.push((id.into_iter().collect(), text)),
        }
    }
    let named = |ids: Vec<&str>| if ids.is_empty() { String::new() } else { format!("  {}\n", ids.join(", ")) };
    groups.into_iter().map(|(ids, text)| (named(ids), text)).collect()
}

fn one(agent: &Agent, walk: &Walk) -> String {
    let mut out = String::new();
    for step in &walk.steps {
        let flag = step.role.flag().map(|flag| format!(" {flag}")).unwrap_or_default();
        let only = if step.is_last_resort() && walk.steps.len() > 1 { ", only before it asks the person" } else { "" };
        match &step.result {
            StepResult::Not(why) => {
                let _ = writeln!(out, "    {}{flag}: not called, {}", step.row.native, one_line(why));
            }
            StepResult::Sent(sent) => {
                let _ = writeln!(out, "    {}{flag}{only}", step.row.native);
                if let Some(reply) = &sent.judged.reply {
                    let _ = writeln!(out, "      answers  {}", indented(&answer(reply), "               "));
                }
                if let Some(outcome) = sent.outcome.as_ref().filter(|_| walk.steps.len() > 1) {
                    let _ = writeln!(out, "      it {}", one_line(on_the_way(outcome)));
                }
                for loss in &sent.judged.losses {
                    let _ = writeln!(out, "      lost     {}", one_line(loss.to_string()));
                }
            }
        }
    }
    if let Some(does) = walk.does {
        let evidence = walk.evidence().map(|mark| format!(" ({})", mark.words())).unwrap_or_default();
        let _ = writeln!(out, "    {} {}{evidence}", agent.name, one_line(effect(does, walk.input.as_ref())));
    }
    // Each gate gets the command as the previous one changed it, so the last one decides.
    if let Some(isolated) = walk.sent().last().and_then(|sent| sent.judged.isolated) {
        let _ = writeln!(out, "    {}", isolation(isolated));
    }
    out
}

fn answer(reply: &Reply) -> String {
    let mut parts = Vec::new();
    if !reply.stdout.is_empty() {
        parts.push(reply.stdout.clone());
    }
    if !reply.stderr.is_empty() {
        parts.push(format!("stderr: {}", reply.stderr));
    }
    if parts.is_empty() {
        parts.push("nothing".to_owned());
    }
    format!("{}  (exit {})", parts.join("  "), reply.exit)
}

/// The effect at one gate, which may be followed by others.
fn on_the_way(outcome: &Outcome) -> String {
    match (outcome.effect, outcome.change(Target::Input)) {
        (Effect::Flow, Some(input)) => format!("continues, with {}", input.as_str()),
        (Effect::Flow, None) => "continues".to_owned(),
        (does, input) => effect(does, input),
    }
}

fn effect(does: Effect, input: Option<&Raw>) -> String {
    let does = match does {
        Effect::Flow => "decides by its own permission rules",
        Effect::Approves => "runs it without asking",
        Effect::Asks => "asks the person",
        Effect::Blocks => "does not run it",
        Effect::Responds => "does not run it, and uses the given text as the result",
        Effect::Stops => "does not run it, and ends the turn",
        Effect::StopsHard => "does not run it, and undoes the turn",
        Effect::RunsThenStops => "runs it, and ends the turn afterwards",
        Effect::Continues => "continues to work",
        Effect::RefusesStart => "does not start",
        _ => "does something that was not measured",
    };
    let changed = input.map(|input| format!(", with {}", input.as_str())).unwrap_or_default();
    format!("{does}{changed}")
}

/// Writes the document that `schemas/try.schema.json` describes.
pub(super) fn json(trial: &Trial, out: &mut String) {
    let agents: Vec<Value> = trial
        .tried
        .iter()
        .map(|(agent, tried)| match tried {
            Tried::Not(why) => json!({"agent": agent.id, "not_shown": why}),
            Tried::Shown(walks) => json!({
                "agent": agent.id,
                "verified": is_verified(agent.id),
                "verdict": first(walks).map(|sent| sent.judged.wanted),
                "hosts": walks.iter().map(host).collect::<Vec<_>>(),
            }),
        })
        .collect();
    let TrialPolicy { origin, fault, notices, warnings } = &trial.policy;
    let document = json!({
        "policy": origin,
        "fault": fault,
        "warnings": notices.iter().chain(warnings).collect::<Vec<_>>(),
        "agents": agents,
        "found": trial.found.iter().map(|(id, _)| id).collect::<Vec<_>>(),
        "not_protected": open(&trial.found).iter().map(|(id, _)| id).collect::<Vec<_>>(),
        "executed": false,
        "recorded": false,
    });
    let _ = writeln!(out, "{}", visible_json(&format!("{document:#}")));
}

fn host(walk: &Walk) -> Value {
    json!({
        "host": walk.host.map(|host| host.id),
        "versions": walk.host.map(|host| host.versions),
        "does": walk.does,
        "input": walk.input,
        "gates": walk.steps.iter().map(gate).collect::<Vec<_>>(),
    })
}

fn gate(step: &GateStep) -> Value {
    let mut gate = json!({
        "event": step.row.key(),
        "flag": step.role.flag(),
        "only_where_it_would_ask": step.is_last_resort(),
    });
    let more = match &step.result {
        StepResult::Not(why) => json!({"not_called": why}),
        StepResult::Sent(sent) => sent_json(sent),
    };
    if let (Value::Object(gate), Value::Object(more)) = (&mut gate, more) {
        gate.extend(more);
    }
    gate
}

fn sent_json(sent: &Sent) -> Value {
    let Sent { judged, outcome, skipped_handlers } = sent;
    let told = |outcome: &Outcome| {
        let text = |result: &Raw| result.at("/for_llm").and_then(|text| text.text()).map(|text| text.value);
        outcome.text(AnswerPart::Reason).map(str::to_owned).or_else(|| outcome.change(Target::Result).and_then(text))
    };
    json!({
        "sent": judged.fitted.as_ref().map(|fitted| fitted.verdict().kind()),
        "answer": judged.reply.as_ref().map(|reply| json!({"stdout": reply.stdout, "stderr": reply.stderr, "exit": reply.exit})),
        "does": outcome.as_ref().map(|outcome| outcome.effect),
        "input": outcome.as_ref().and_then(|outcome| outcome.change(Target::Input)),
        "told": outcome.as_ref().and_then(told),
        "shown": outcome.as_ref().and_then(|outcome| outcome.text(AnswerPart::Notice)),
        "losses": judged.losses.iter().map(Loss::to_string).collect::<Vec<_>>(),
        "causes": judged.causes,
        "remarks": judged.remarks,
        "handlers_not_asked": skipped_handlers,
        "not_understood": judged.not_understood,
        "parts": judged.parts,
        "isolated": judged.isolated,
        "failure": judged.failure,
    })
}
