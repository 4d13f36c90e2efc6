//! If several gates judge one call, their replies together enforce the decision (V2).

use snaphook_adapters::Raw;
use snaphook_adapters::fit::{Limits, fit};
use snaphook_adapters::model::{Change, Decision, Detail, EventKind, HookEvent, Incoming, Response, Target, Verdict};
use snaphook_adapters::protocol::{EventRow, HookProtocol, Host, Native, Power, RegisteredLine, Role};
use snaphook_adapters::testing::{REASON, Suite, describe, new_value, place, show};

use crate::{Account, Effect};

/// Finds sequences of gates that together let a denied call run, gates of a host that its rows do not have, and gates
/// that leave the question to a later gate that does not exist.
///
/// Every gate judges the call as it arrives there, with the same decision.
pub fn sequence(suite: &Suite, account: &Account) -> Vec<String> {
    let agent = suite.protocol().agent();
    let mut found = Vec::new();
    for row in agent.events.iter().filter(|row| row.can(Power::AskLater)) {
        if !row.selector.roles.iter().all(|role| has_later_gate(agent.hosts, row, *role))
            || row.selector.roles.is_empty()
        {
            found.push(format!("{} {}: leaves asking to a later gate, but no host has one", agent.id, row.key()));
        }
    }
    let judges = agent.events.iter().any(|row| row.kind == EventKind::PreTool && row.gates());
    if judges && agent.hosts.iter().all(|host| host.gates.is_empty()) {
        found.push(format!("{}: no host says which gates a tool call meets", agent.id));
    }
    for host in agent.hosts.iter().filter(|host| !host.gates.is_empty()) {
        let gates: Option<Vec<_>> = host
            .gates
            .iter()
            .map(|(native, role)| host.gate(agent, native, *role).map(|(row, id)| GateOfHost { row, role: *role, id }))
            .collect();
        let Some(gates) = gates else {
            found.push(format!("{} {}: has no row for one of {:?}", agent.id, host.id, host.gates));
            continue;
        };
        let pasted = !agent.registration.blocks.is_empty();
        for gate in gates.iter().filter(|gate| pasted && !agent.is_registered_for(gate.row)) {
            found.push(format!("{} {}: no registration brings {}", agent.id, host.id, gate.row.key()));
        }
        let first = |event: &HookEvent| gates.first().is_some_and(|gate| std::ptr::eq(gate.row, event.row));
        let role = gates.first().map(|gate| gate.role);
        let mut walked = false;
        for (fixture, event) in suite.judged() {
            if !first(&event) || event.call().is_none() || Some(fixture.native.line.role) != role {
                continue;
            }
            walked = true;
            let walk = GateSequence { protocol: suite.protocol(), account, gates: &gates };
            for decision in walks(&event) {
                if let Some(fault) = walk.fault(&fixture.native, &event, &decision) {
                    let at = place(&event, fixture);
                    found.push(format!("{at} on {}: {}: {fault}", host.id, describe(&decision)));
                }
            }
        }
        if !walked {
            found.push(format!("{} {}: no fixture goes through its gates", agent.id, host.id));
        }
    }
    found
}

fn has_later_gate(hosts: &[Host], row: &EventRow, role: Role) -> bool {
    let leads = |host: &Host| {
        let at = host.gates.iter().position(|(native, of)| *native == row.native && *of == role);
        at.is_some_and(|at| at + 1 < host.gates.len())
    };
    hosts.iter().any(leads)
}

/// One gate of a host.
struct GateOfHost {
    row: &'static EventRow,
    role: Role,
    id: &'static str,
}

/// Returns the decisions that every gate of a call makes.
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

struct GateSequence<'a> {
    protocol: &'a dyn HookProtocol,
    account: &'a Account,
    gates: &'a [GateOfHost],
}

impl GateSequence<'_> {
    fn fault(&self, native: &Native, first: &HookEvent, decision: &Decision) -> Option<String> {
        let mut input = first.call()?.input.clone();
        let (mut asked, mut approved) = (false, true);
        let tool = &first.call()?.name;
        for GateOfHost { row, role, id } in self.gates.iter().filter(|gate| gate.row.is_about(tool)) {
            let event = match self.reach(native, first, row, *role, &input) {
                Ok(event) => event,
                Err(fault) => return Some(format!("{}: {fault}", row.key())),
            };
            let (fitted, _) = fit(decision.clone(), &event, &Limits::default());
            let reply = self.protocol.format(&event, &fitted);
            let outcome = self.account.interpret(&event, id, &reply);
            if outcome.effect == Effect::Unmeasured {
                return Some(format!("{}: unmeasured; {}", row.key(), show(&reply)));
            }
            if outcome.effect.blocks() {
                return None;
            }
            asked |= outcome.effect == Effect::Asks || (row.can(Power::SilenceAsks) && outcome.effect == Effect::Flow);
            approved &= outcome.effect == Effect::Approves;
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
                .filter(|want| !want.means(&input))
                .map(|want| format!("the call runs with {input:?} instead of {want:?}")),
        }
    }

    /// Returns the same call as it arrives at a gate.
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
        let sent = Native::new(self.account.present(&event))
            .line(RegisteredLine::default().event(row.native).role(role))
            .connection(native.connection.clone());
        match self.protocol.parse(&sent) {
            Ok(Incoming::Event(event)) if event.row.key() == row.key() => Ok(*event),
            Ok(other) => Err(format!("the presented call is read as {other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }
}
