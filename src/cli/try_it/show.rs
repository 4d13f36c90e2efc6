//! What a trial looks like: for people, and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use snaphook_adapters::fit::Loss;
use snaphook_adapters::host::{Does, Outcome, Rider};
use snaphook_adapters::model::{Reply, Target};
use snaphook_adapters::protocol::Role;

use super::super::found::Found;
use super::{By, Shown, Trial, Tried};

pub(super) fn text(trial: &Trial, out: &mut String) {
    by(&trial.by, out);
    for (agent, tried) in &trial.tried {
        match tried {
            Tried::Not(why) => {
                let _ = writeln!(out, "{} {why}\n", agent.id);
            }
            Tried::Shown(shown) => {
                let verdict = shown.first().map_or("", |shown| shown.judged.wanted.word());
                let _ = writeln!(out, "{}: {verdict}", agent.id);
                because(shown, trial.by.fault.as_deref(), out);
                for shown in shown {
                    one(shown, out);
                }
                out.push('\n');
            }
        }
    }
    let _ = writeln!(out, "Nothing was executed and nothing was recorded.");
    match open(&trial.here).as_slice() {
        _ if trial.here.is_empty() => out.push_str("No agent was found on this machine.\n"),
        [] => out.push_str("Every agent found on this machine calls snaphook.\n"),
        open @ [first, ..] => {
            let _ = writeln!(out, "Found on this machine and not protected yet: {}", open.join(", "));
            let _ = writeln!(out, "What to paste: snaphook agents {first} --snippet");
        }
    }
}

fn by(by: &By, out: &mut String) {
    match &by.fault {
        None => {
            let _ = writeln!(out, "policy: {}", by.policy);
        }
        Some(fault) => {
            let _ = writeln!(out, "the policy cannot be used:");
            for line in fault.lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
    for warning in &by.warnings {
        let _ = writeln!(out, "{warning}");
    }
    out.push('\n');
}

fn open<'a>(here: &[(&'a str, Found)]) -> Vec<&'a str> {
    here.iter().filter(|(_, found)| *found == Found::Unprotected).map(|(id, _)| *id).collect()
}

fn because(shown: &[Shown], said: Option<&str>, out: &mut String) {
    let Some(first) = shown.first() else { return };
    for cause in &first.judged.causes {
        let place = match (&cause.file, cause.line) {
            (Some(file), Some(line)) => format!(" ({file}:{line})"),
            (Some(file), None) => format!(" ({file})"),
            _ => String::new(),
        };
        let action = cause.action.as_ref().map(|action| format!(" on {action}")).unwrap_or_default();
        let _ = writeln!(out, "  {} says {}{action}{place}", cause.rule, cause.verdict.word());
    }
    if let Some(word) = &first.judged.not_understood {
        let _ = writeln!(out, "  the command is not understood: {word}");
    }
    for remark in &first.judged.remarks {
        let _ = writeln!(out, "  {remark}");
    }
    match &first.judged.failure {
        Some(failure) if Some(failure.as_str()) == said => out.push_str("  the policy cannot be used\n"),
        Some(failure) => {
            let _ = writeln!(out, "  {failure}");
        }
        None => {}
    }
}

fn one(shown: &Shown, out: &mut String) {
    let Shown { row, role, judged, outcomes, .. } = shown;
    let dialects = row.dialects.join("+");
    let name: Vec<_> = [row.native, &dialects, row.case].into_iter().filter(|part| !part.is_empty()).collect();
    let name = name.join(".");
    let _ = writeln!(out, "  {name}{}", flag(*role).map(|flag| format!(" {flag}")).unwrap_or_default());
    if let Some(reply) = &judged.reply {
        let _ = writeln!(out, "    answers  {}", answer(reply));
    }
    for (hosts, outcome) in grouped(outcomes) {
        let _ = writeln!(out, "    {}: {}", hosts.join(", "), effect(outcome));
    }
    for loss in &judged.losses {
        let _ = writeln!(out, "    lost     {loss}");
    }
}

/// How the registered line says it.
fn flag(role: Role) -> Option<&'static str> {
    match role {
        Role::Alone => None,
        Role::Guarded => Some("--guarded"),
        Role::Preempt => Some("--preempt"),
    }
}

/// Versions that do the same stand together.
fn grouped<'a>(outcomes: &'a [(&'static str, Outcome)]) -> Vec<(Vec<&'static str>, &'a Outcome)> {
    let mut groups: Vec<(Vec<&'static str>, &Outcome)> = Vec::new();
    for (host, outcome) in outcomes {
        match groups.iter_mut().find(|(_, same)| *same == outcome) {
            Some((hosts, _)) => hosts.push(host),
            None => groups.push((vec![host], outcome)),
        }
    }
    groups
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

fn effect(outcome: &Outcome) -> String {
    let does = match outcome.does {
        Does::Flow => "no opinion heard, its own permission rules decide",
        Does::Approves => "runs it without asking",
        Does::Asks => "asks the person",
        Does::Blocks => "does not run it",
        Does::Responds => "does not run it, and takes the text given in its place",
        Does::Stops => "does not run it, and ends the turn",
        Does::StopsHard => "does not run it, and undoes the turn",
        Does::RunsThenStops => "runs it, and ends the turn afterwards",
        Does::Continues => "goes on working",
        Does::RefusesStart => "does not start",
        _ => "nobody has seen what it does with such an answer",
    };
    let changed = outcome.change(Target::Input).map(|input| format!(", with {}", input.as_str())).unwrap_or_default();
    format!("{does}{changed}")
}

pub(super) fn json(trial: &Trial, out: &mut String) {
    let agents: Vec<Value> = trial
        .tried
        .iter()
        .map(|(agent, tried)| match tried {
            Tried::Not(why) => json!({"agent": agent.id, "not_shown": why}),
            Tried::Shown(shown) => json!({
                "agent": agent.id,
                "verdict": shown.first().map(|shown| shown.judged.wanted),
                "gates": shown.iter().map(gate).collect::<Vec<_>>(),
            }),
        })
        .collect();
    let By { policy, fault, warnings } = &trial.by;
    let document = json!({
        "policy": policy,
        "fault": fault,
        "warnings": warnings,
        "agents": agents,
        "found": trial.here.iter().map(|(id, _)| id).collect::<Vec<_>>(),
        "not_protected": open(&trial.here),
        "executed": false,
        "recorded": false,
    });
    let _ = writeln!(out, "{document:#}");
}

fn gate(shown: &Shown) -> Value {
    let Shown { agent, row, role, judged, outcomes } = shown;
    let hosts: Vec<Value> = outcomes
        .iter()
        .map(|(host, outcome)| {
            let versions = agent.hosts.iter().find(|known| known.id == *host).map(|known| known.versions);
            json!({
                "host": host,
                "versions": versions,
                "does": outcome.does,
                "input": outcome.change(Target::Input),
                "told": outcome.text(Rider::Reason),
            })
        })
        .collect();
    json!({
        "event": row.key(),
        "flag": flag(*role),
        "sent": judged.fitted.as_ref().map(|fitted| fitted.verdict().kind()),
        "answer": judged.reply.as_ref().map(|reply| json!({"stdout": reply.stdout, "stderr": reply.stderr, "exit": reply.exit})),
        "hosts": hosts,
        "losses": judged.losses.iter().map(Loss::to_string).collect::<Vec<_>>(),
        "causes": judged.causes,
        "remarks": judged.remarks,
        "not_understood": judged.not_understood,
        "failure": judged.failure,
    })
}
