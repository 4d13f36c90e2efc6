//! The pages about all agents.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use snaphook_adapters::fit::{Limits, Loss, fit};
use snaphook_adapters::model::{Target, VerdictKind};
use snaphook_adapters::protocol::{EventRow, Power};
use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::{Suite, decisions};
use snaphook_hosts::is_verified;

use crate::text::prose;
use crate::words::{grouped, kind};

/// Returns every row of every agent, with its powers and its failure mode.
pub(crate) fn matrix() -> String {
    let mut out = String::new();
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        let hosts: Vec<_> = agent.hosts.iter().map(|host| format!("{} ({})", host.id, host.versions)).collect();
        let mark = if is_verified(agent.id) { "" } else { ", unverified" };
        let _ = writeln!(out, "\n{} ({}){mark}: {}", agent.name, agent.id, hosts.join(", "));
        let width = agent.events.iter().map(|row| row.key().len()).max().unwrap_or_default();
        for row in agent.events {
            let _ = writeln!(out, "  {:<width$}  {}", row.key(), cells(row));
        }
    }
    out.trim_start().to_owned()
}

fn cells(row: &EventRow) -> String {
    let gate = if row.gates() { "gate" } else { "" };
    let fails = format!("{:?}", row.failure.effect).to_lowercase();
    let time = row.failure.timeout.map_or_else(|| "-".to_owned(), |limit| format!("{} ms", limit.as_millis()));
    let powers: Vec<_> = row.can.iter().copied().map(power).collect();
    let powers = if powers.is_empty() { "nothing".to_owned() } else { powers.join(", ") };
    format!("{:<14} {gate:<4} fails {fails:<6} {time:>9}  {powers}", kind(row.kind))
}

fn power(power: Power) -> String {
    match power {
        Power::Change(target) => format!("change {}", target.word()),
        other => {
            let mut words = String::new();
            for c in format!("{other:?}").chars() {
                if c.is_uppercase() && !words.is_empty() {
                    words.push(' ');
                }
                words.push(c.to_ascii_lowercase());
            }
            words
        }
    }
}

/// Returns the decisions that an event cannot enforce, and the limits of the events, with equal events together.
pub(crate) fn unenforceable(suites: &[Suite]) -> String {
    let mut out = String::new();
    for suite in suites {
        let agent = suite.protocol().agent();
        let _ = writeln!(out, "\n{} ({})", agent.name, agent.id);
        let rows = agent.events.iter().map(|row| (row.key(), weak_points(suite, row)));
        for (lines, rows) in grouped(rows).into_iter().filter(|(lines, _)| !lines.is_empty()) {
            out.push('\n');
            prose(&mut out, "", &rows.join(", "));
            for (name, text) in lines {
                prose(&mut out, name, &text);
            }
        }
    }
    out.trim_start().to_owned()
}

fn weak_points(suite: &Suite, row: &EventRow) -> Vec<(&'static str, String)> {
    let mut out: Vec<_> = row.all_limits().map(|limit| ("  limit", limit.to_owned())).collect();
    let (mut verdicts, mut changes) = (BTreeSet::new(), BTreeSet::new());
    for (_, event) in suite.judged().filter(|(_, event)| event.row.key() == row.key()) {
        let losses = decisions(&event).into_iter().flat_map(|decision| fit(decision, &event, &Limits::default()).1);
        for loss in losses.filter(Loss::weakens) {
            match loss {
                Loss::Unenforceable { wanted } => drop(verdicts.insert(wanted)),
                Loss::Change { target, .. } => drop(changes.insert(target)),
                other => out.push(("  lost", other.to_string())),
            }
        }
    }
    if !verdicts.is_empty() {
        let words: Vec<_> = verdicts.into_iter().map(VerdictKind::word).collect();
        out.push(("  lost", words.join(", ")));
    }
    if !changes.is_empty() {
        let words: Vec<_> = changes.into_iter().map(Target::word).collect();
        out.push(("  lost", format!("required changes of {}", words.join(", "))));
    }
    out
}
