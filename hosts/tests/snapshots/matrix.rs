//! The pages about all agents.

use std::fmt::Write as _;

use snaphook_adapters::fit::{Limits, Loss, fit};
use snaphook_adapters::model::Target;
use snaphook_adapters::protocol::{EventRow, Power};
use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::{Suite, decisions};
use snaphook_hosts::is_verified;

/// Returns every row of every agent, with its powers and its failure mode.
pub(crate) fn matrix() -> String {
    let mut out = String::new();
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        let hosts: Vec<_> = agent.hosts.iter().map(|host| format!("{} ({})", host.id, host.versions)).collect();
        let hosts = if is_verified(agent.id) { hosts.join(", ") } else { "unverified".to_owned() };
        let _ = writeln!(out, "\n{} ({}): {hosts}", agent.name, agent.id);
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
    format!("{:<13} {gate:<4} fails {fails:<6} {time:>9}  {powers}", format!("{:?}", row.kind))
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

/// Returns every part of a decision that an event cannot enforce, and the limits of the events.
pub(crate) fn unenforceable(suites: &[Suite]) -> String {
    let mut out = String::new();
    for suite in suites {
        let agent = suite.protocol().agent();
        let _ = writeln!(out, "\n{} ({})", agent.name, agent.id);
        for row in agent.events {
            let mut lines: Vec<String> = row.all_limits().map(|open| format!("limit: {open}")).collect();
            for (_, event) in suite.judged().filter(|(_, event)| event.row.key() == row.key()) {
                for decision in decisions(&event) {
                    let (_, losses) = fit(decision, &event, &Limits::default());
                    let weak = losses.iter().filter(|loss| loss.weakens()).map(Loss::to_string);
                    lines.extend(weak.collect::<Vec<_>>());
                }
            }
            let mut seen = Vec::new();
            lines.retain(|line| {
                !seen.contains(line) && {
                    seen.push(line.clone());
                    true
                }
            });
            let changes = Target::ALL.iter().all(|target| !row.can(Power::Change(*target)));
            if changes {
                let all = |line: &String| {
                    line.starts_with("required change of the") && line.contains("this event cannot change it")
                };
                let before = lines.len();
                lines.retain(|line| !all(line));
                if lines.len() < before {
                    lines.push("no required change can be made".to_owned());
                }
            }
            if !lines.is_empty() {
                let _ = writeln!(out, "  {}", row.key());
                for line in lines {
                    let _ = writeln!(out, "    {line}");
                }
            }
        }
    }
    out.trim_start().to_owned()
}
