//! The powers of an agent's gates, from the adapter's rows.

use snaphook_adapters::model::EventKind;
use snaphook_adapters::protocol::{Agent, EventRow, Power, Registration, Role};
use snaphook_adapters::registry::Registry;
use snaphook_hosts::{Effect, account};

use crate::agents::{self, Driver};

/// The rows that one version of an agent has.
#[derive(Debug)]
pub(crate) struct Powers {
    pub(crate) agent: &'static Agent,
    pub(crate) driver: &'static Driver,
    /// The measured host that represents the version.
    pub(crate) host: &'static str,
    /// The rows of the gates that a tool call passes before it runs, in order.
    pub(crate) gates: Vec<Gate>,
}

/// One gate that a tool call passes.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) row: &'static EventRow,
    pub(crate) role: Role,
    /// The version or mode, as in the data files of `hosts/`.
    pub(crate) host: &'static str,
}

impl Powers {
    /// The powers of a version; absent if the agent or the version is unknown.
    pub(crate) fn of(id: &str, version: &str) -> Option<Self> {
        let agent = Registry::standard().get(id)?.agent();
        let host = agent.hosts.iter().find(|host| !host.gates.is_empty() && host.fits(version))?;
        let gate = |(event, role): &(&str, Role)| {
            let (row, host) = host.gate(agent, event, *role)?;
            Some(Gate { row, role: *role, host })
        };
        let gates = host.gates.iter().filter_map(gate).collect();
        Some(Self { agent, driver: agents::find(id)?, host: host.id, gates })
    }

    /// The registration of an agent.
    pub(crate) fn registration(id: &str) -> Option<&'static Registration> {
        Some(&Registry::standard().get(id)?.agent().registration)
    }

    /// Returns true if a row of this kind has the power.
    pub(crate) fn at(&self, kind: EventKind, power: Power) -> bool {
        let rows = self.agent.events.iter();
        rows.filter(|row| row.kind == kind && row.hosts.contains(&self.host)).any(|row| row.can(power))
    }

    /// Returns true if the first gate has the power. Without the power, it denies or leaves the change out.
    pub(crate) fn gate(&self, power: Power) -> bool {
        self.gates.first().is_some_and(|gate| gate.row.can(power))
    }

    /// Returns true if one of the gates can ask a person.
    pub(crate) fn asks(&self) -> bool {
        self.gates.iter().any(|gate| gate.row.can(Power::Ask))
    }

    /// Returns true if one of the gates can approve a call, so that the person is not asked.
    pub(crate) fn approves(&self) -> bool {
        let Some(account) = account(self.agent.id) else { return false };
        self.gates.iter().any(|gate| {
            let mut rules = account.row(gate.row).into_iter().flat_map(|event| event.effects_on(gate.host));
            rules.any(|rule| rule.effect == Effect::Approves)
        })
    }
}

/// A version as numbers, so that 0.10 comes after 0.9.
pub(crate) fn numbers(version: &str) -> Vec<u32> {
    version.trim_start_matches('v').split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_selects_its_measured_host_and_gates() {
        for (agent, version, host, gates) in [
            ("claude-code", "2.1.400", "2.1.329", 2),
            ("picoclaw", "0.2.5", "v0.2.4", 2),
            ("picoclaw", "0.2.10", "head", 2),
            ("docker-agent", "1.32.3", "a", 1),
        ] {
            let powers = Powers::of(agent, version).unwrap();
            assert_eq!((powers.host, powers.gates.len()), (host, gates), "{agent} {version}");
        }
    }
}
