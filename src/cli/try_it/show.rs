//! What a trial looks like: for people, and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use snaphook_adapters::fit::Loss;
use snaphook_adapters::host::{Does, Outcome, Rider};
use snaphook_adapters::model::{Reply, Target};
use snaphook_adapters::protocol::{Agent, Role};

use super::super::found::Found;
use super::{Shown, Tried};

pub(super) fn text(tried: &[(&'static Agent, Tried)], policy: &str, here: &[(&str, Found)], out: &mut String) {
    let _ = writeln!(out, "policy: {policy}\n");
    for (agent, tried) in tried {
        match tried {
            Tried::Not(why) => {
                let _ = writeln!(out, "{} {why}\n", agent.id);
            }
            Tried::Shown(shown) => {
                let verdict = shown.first().map_or("", |shown| shown.judged.wanted.word());
                let _ = writeln!(out, "{}: {verdict}", agent.id);
                because(shown, out);
                for shown in shown {
                    one(shown, out);
                }
                out.push('\n');
            }
        }
    }
    let _ = writeln!(out, "Nothing was executed and nothing was recorded.");
    match open(here).as_slice() {
        _ if here.is_empty() => out.push_str("No agent was found on this machine.\n"),
        [] => out.push_str("Every agent found on this machine calls snaphook.\n"),
        open @ [first, ..] => {
            let _ = writeln!(out, "Found on this machine and not protected yet: {}", open.join(", "));
            let _ = writeln!(out, "What to paste: snaphook agents {first} --snippet");
        }
    }
}

fn open<'a>(here: &[(&'a str, Found)]) -> Vec<&'a str> {
    here.iter().filter(|(_, found)| *found == Found::Unprotected).map(|(id, _)| *id).collect()
}

fn because(shown: &[Shown], out: &mut String) {
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
    if let Some(failure) = &first.judged.failure {
        let _ = writeln!(out, "  {failure}");
    }
}

fn one(shown: &Shown, out: &mut String) {
    let Shown { row, role, judged, outcomes, .. } = shown;
    let flag = match role {
        Role::Alone => "",
        Role::Guarded => " --guarded",
        Role::Preempt => " --preempt",
    };
    let _ = writeln!(out, "  {}{flag}", row.key());
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

pub(super) fn json(tried: &[(&'static Agent, Tried)], policy: &str, here: &[(&str, Found)], out: &mut String) {
    let agents: Vec<Value> = tried
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
    let document =
        json!({"policy": policy, "agents": agents, "not_protected": open(here), "executed": false, "recorded": false});
    let _ = writeln!(out, "{document:#}");
}

fn gate(shown: &Shown) -> Value {
    let Shown { agent, row, judged, outcomes, .. } = shown;
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
