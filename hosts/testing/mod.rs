//! The laws about the effects of replies, for every agent with a data file.

mod mirror;
mod monotone;
mod reasons;
mod refused;
mod sequence;

pub use mirror::mirror;
pub use monotone::{monotone, weaker};
pub use reasons::reasons;
pub use refused::refused;
pub use sequence::sequence;
use snaphook_adapters::testing::{Suite, Violation};

use crate::Account;

/// A law, and the function that checks it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct HostLaw {
    /// A short name, as in reports.
    pub name: &'static str,
    /// The statement of the law.
    pub says: &'static str,
    /// Returns the violations; each names agent, row, fixture, host and observation.
    pub check: fn(&Suite, &Account) -> Vec<String>,
}

/// Every law about one agent and its data file.
pub const HOST_LAWS: [HostLaw; 6] = [
    HostLaw { name: "effects", says: "the effects on each host of each row are known", check: effects },
    HostLaw { name: "monotone", says: "what the agent does is at least as strict as the decision", check: monotone },
    HostLaw { name: "sequence", says: "the same holds for gates that one call meets in turn", check: sequence },
    HostLaw { name: "refused", says: "a refusal blocks at a gate and passes at the end of a turn", check: refused },
    HostLaw { name: "reasons", says: "a block and a question come with their reason", check: reasons },
    HostLaw { name: "mirror", says: "what the agent would send for an event is read as that event", check: mirror },
];

/// Checks every law for one agent.
#[must_use]
pub fn check(suite: &Suite, account: &Account) -> Vec<Violation> {
    let found = |law: HostLaw| {
        (law.check)(suite, account).into_iter().map(move |what| Violation::new(law.name, law.says, what))
    };
    HOST_LAWS.into_iter().flat_map(found).collect()
}

/// Finds rows without effects, gates without a host, and tables of rows that the agent does not have.
fn effects(suite: &Suite, account: &Account) -> Vec<String> {
    let agent = suite.protocol().agent();
    let mut found = Vec::new();
    for row in agent.events {
        let at = format!("{} {}", agent.id, row.key());
        if row.gates() && row.hosts.is_empty() {
            found.push(format!("{at}: a gate without a host"));
        }
        match account.row(row) {
            None => found.push(format!("{at}: no table describes the row")),
            Some(event) => {
                let unknown = row.hosts.iter().filter(|host| event.effects_on(host).next().is_none());
                found.extend(unknown.map(|host| format!("{at}: no effect on {host}")));
            }
        }
    }
    let unknown = account.rows().filter(|key| !agent.events.iter().any(|row| row.key() == **key));
    found.extend(unknown.map(|key| format!("{} {key}: the agent has no such row", agent.id)));
    found
}
