//! If several gates judge one call, their replies together enforce the decision (V2).

use snaphook_adapters::fit::{Limits, fit};
use snaphook_adapters::model::{
    Change, Decision, Detail, EventKind, HookEvent, Incoming, Need, Response, Target, ToolCall, Verdict,
};
use snaphook_adapters::protocol::{EventRow, HookProtocol, Host, Native, Power, RegisteredLine, Role};
use snaphook_adapters::testing::{REASON, Suite, describe, new_value, other_tool, place, show};

use crate::{Account, AnswerPart, Effect};

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
    let changes: Vec<_> =
        value.into_iter().map(|value| Change::required(Target::Input, value)).chain(other_tool(event)).collect();
    let with_changes =
        plain.iter().take(3).flat_map(|decision| changes.iter().map(|change| decision.clone().change(change.clone())));
    plain.iter().cloned().chain(with_changes).collect()
}

struct GateSequence<'a> {
    protocol: &'a dyn HookProtocol,
    account: &'a Account,
    gates: &'a [GateOfHost],
}

impl GateSequence<'_> {
    fn fault(&self, native: &Native, first: &HookEvent, decision: &Decision) -> Option<String> {
        let mut call = first.call()?.clone();
        let (mut asked, mut approved) = (false, true);
        for GateOfHost { row, role, id } in self.gates {
            if !row.is_about(&call.name) {
                continue;
            }
            let event = match self.reach(native, first, row, *role, &call) {
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
                call.input = changed.clone();
            }
            if let Some(tool) = outcome.text(AnswerPart::Tool) {
                tool.clone_into(&mut call.name);
            }
        }
        let wanted = decision.verdict.kind();
        let want =
            decision.changes.iter().find(|change| change.target == Target::Input && change.need == Need::Required);
        match decision.verdict {
            _ if wanted.blocks() => Some("no gate blocked".to_owned()),
            Verdict::Ask { .. } if !asked => Some("no gate asked or blocked".to_owned()),
            Verdict::Pass if approved => Some("every gate approved".to_owned()),
            _ => want
                .filter(|want| !want.value.means(&call.input) || want.other_tool(&call).is_some())
                .map(|want| format!("{} runs with {:?} instead of {want:?}", call.name, call.input)),
        }
    }

    /// Returns the same call as it arrives at a gate.
    fn reach(
        &self,
        native: &Native,
        first: &HookEvent,
        row: &'static EventRow,
        role: Role,
        call: &ToolCall,
    ) -> Result<HookEvent, String> {
        let mut event = first.clone();
        event.row = row;
        row.native.clone_into(&mut event.native);
        event.detail = Detail::Tool(call.clone());
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
