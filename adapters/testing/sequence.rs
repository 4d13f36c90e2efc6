//! Where one call meets several of our lines, all of them together keep the decision (V2).

use super::decisions::{describe, new_value};
use super::monotone::show;
use super::{REASON, Suite, place};
use crate::Raw;
use crate::fit::{Limits, fit};
use crate::host::{Does, HostSide};
use crate::model::{Change, Decision, Detail, HookEvent, Incoming, Response, Target, Verdict};
use crate::protocol::{EventRow, HookProtocol, Line, Native, Power, Role};

/// Finds sequences of gates that let through together what was not to run, and lines that leave
/// asking to a second gate which no sequence has.
///
/// Every gate judges the call as it reaches it, with the same decision.
pub fn sequence(suite: &Suite) -> Vec<String> {
    let agent = suite.protocol().agent();
    let mut found = Vec::new();
    for row in agent.events.iter().filter(|row| row.can(Power::AskLater)) {
        if !row.roles.iter().all(|role| has_later_gate(agent.sequences, row, *role)) || row.roles.is_empty() {
            found.push(format!("{} {}: leaves asking to a later gate, but no sequence has one", agent.id, row.key()));
        }
    }
    let Some(side) = suite.protocol().host() else { return found };
    for gates in agent.sequences {
        let Some((first, role)) = gates.first() else { continue };
        let starts = |event: &HookEvent| event.row.native == *first && event.call().is_some();
        let mut walked = false;
        for (fixture, event) in suite.judged().filter(|(f, event)| f.native.line.role == *role && starts(event)) {
            let row = |native: &str, role, case| agent.row(native, event.dialect, role, case);
            let rows: Option<Vec<_>> = gates
                .iter()
                .map(|(native, role)| row(native, *role, event.row.case).or_else(|| row(native, *role, "")))
                .collect();
            let Some(rows) = rows else { continue };
            for host in event.row.hosts {
                let hosts: Option<Vec<_>> = rows.iter().map(|row| lane(row, host)).collect();
                let Some(hosts) = hosts else { continue };
                walked = true;
                let walk = Walk { protocol: suite.protocol(), side, hosts: &hosts, gates, rows: &rows };
                for decision in walks(&event) {
                    if let Some(fault) = walk.fault(&fixture.native, &event, &decision) {
                        found.push(format!("{} on {host}: {}: {fault}", place(&event, fixture), describe(&decision)));
                    }
                }
            }
        }
        if !walked {
            found.push(format!("{} {gates:?}: no fixture and host go through this sequence", agent.id));
        }
    }
    found
}

fn has_later_gate(sequences: &[&[(&str, Role)]], row: &EventRow, role: Role) -> bool {
    let leads = |gates: &&[(&str, Role)]| {
        gates
            .iter()
            .position(|(native, of)| *native == row.native && *of == role)
            .is_some_and(|at| at + 1 < gates.len())
    };
    sequences.iter().any(leads)
}

/// The host under which a row knows a program: a lane of `host` is named `host-lane`.
fn lane(row: &EventRow, host: &str) -> Option<&'static str> {
    let of =
        |lane: &str, host: &str| lane.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    row.hosts.iter().copied().find(|here| of(here, host) || of(host, here))
}

/// The decisions about a call that its gates make alike.
fn walks(event: &HookEvent) -> Vec<Decision> {
    let plain = [
        Decision::pass(),
        Decision::allow(),
        Decision::ask(REASON),
        Decision::deny(REASON),
        Decision::respond(Response::new(REASON)),
        Verdict::Abort { reason: REASON.to_owned() }.into(),
        Verdict::HardAbort { reason: REASON.to_owned() }.into(),
    ];
    let value = new_value(event, Target::Input);
    let changed = plain.iter().take(3).flat_map(|decision| {
        value.iter().map(|value| decision.clone().change(Change::required(Target::Input, value.clone())))
    });
    plain.iter().cloned().chain(changed).collect()
}

struct Walk<'a> {
    protocol: &'a dyn HookProtocol,
    side: &'a dyn HostSide,
    hosts: &'a [&'static str],
    gates: &'a [(&'static str, Role)],
    rows: &'a [&'static EventRow],
}

impl Walk<'_> {
    fn fault(&self, native: &Native, first: &HookEvent, decision: &Decision) -> Option<String> {
        let mut input = first.call()?.input.clone();
        let (mut asked, mut approved) = (false, true);
        for (((_, role), row), host) in self.gates.iter().zip(self.rows).zip(self.hosts) {
            let event = match self.reach(native, first, row, *role, &input) {
                Ok(event) => event,
                Err(fault) => return Some(format!("{}: {fault}", row.key())),
            };
            let (fitted, _) = fit(decision.clone(), &event, &Limits::default());
            let reply = self.protocol.format(&event, &fitted);
            let outcome = self.side.interpret(&event, host, &reply);
            if outcome.does == Does::Unmeasured {
                return Some(format!("{}: unmeasured; {}", row.key(), show(&reply)));
            }
            if outcome.does.blocks() {
                return None;
            }
            asked |= outcome.does == Does::Asks || (row.can(Power::SilenceAsks) && outcome.does == Does::Flow);
            approved &= outcome.does == Does::Approves;
            if let Some(changed) = outcome.change(Target::Input) {
                input = changed.clone();
            }
        }
        let wanted = decision.verdict.kind();
        let want = decision.changes.iter().find(|change| change.target == Target::Input).map(|change| &change.value);
        match decision.verdict {
            _ if wanted.blocks() => Some("no gate blocked".to_owned()),
            Verdict::Ask { .. } if !asked => Some("no gate asked or blocked".to_owned()),
            Verdict::Pass if approved => Some("every gate approved".to_owned()),
            _ => want
                .filter(|want| **want != input)
                .map(|want| format!("the call runs with {input:?} instead of {want:?}")),
        }
    }

    /// The same call, as it arrives at a gate.
    fn reach(
        &self,
        native: &Native,
        first: &HookEvent,
        row: &'static EventRow,
        role: Role,
        input: &Raw,
    ) -> Result<HookEvent, String> {
        let mut event = first.clone();
        event.row = row;
        row.native.clone_into(&mut event.native);
        if let Some(call) = first.call() {
            let mut call = call.clone();
            call.input = input.clone();
            event.detail = Detail::Tool(call);
        }
        let sent = Native::new(self.side.present(&event))
            .line(Line::default().event(row.native).role(role))
            .connection(native.connection.clone());
        match self.protocol.parse(&sent) {
            Ok(Incoming::Event(event)) if event.row.key() == row.key() => Ok(*event),
            Ok(other) => Err(format!("the presented call is read as {other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }
}
