//! The laws every adapter keeps, as functions to call from an adapter's own tests.
//!
//! No law names an agent: each reads the rows and the fixtures. The laws about the effect of a reply are in
//! `snaphook-hosts`, because they need a data file of the agent. An adapter of another crate needs one test:
//!
//! ```no_run
//! # fn demo(acme: &'static dyn snaphook_adapters::protocol::HookProtocol) {
//! use snaphook_adapters::testing;
//!
//! let violations = testing::check(acme, "fixtures".as_ref());
//! assert!(violations.is_empty(), "{}", testing::report(&violations));
//! # }
//! ```
//!
//! The laws cannot check that fixtures agree with the real program.

mod decisions;
mod fixture;
mod lowered;
mod mutate;
mod nulls;
mod refusal;
mod replies;
mod robust;
mod rows;
mod splice;

use std::fmt::{self, Write as _};
use std::path::Path;

pub use decisions::{REASON, blank, decisions, describe, new_value, other_tool, sample, value, with_additions};
pub use fixture::Fixture;
pub use lowered::lowered;
pub use nulls::nulls;
pub use refusal::{RefusedMessage, refusal, refusals};
pub use replies::{one_meaning, shape, show};
pub use robust::robust;
pub use rows::{registry, rows};
pub use splice::{raw_intact, rewrite};

use crate::model::{HookEvent, Incoming};
use crate::protocol::HookProtocol;

/// One law, and the function that checks it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Law {
    /// The short name, for reports.
    pub name: &'static str,
    /// The sentence that holds.
    pub says: &'static str,
    /// Finds violations; each text names the agent, the row, the fixture and the observation.
    pub check: fn(&Suite) -> Vec<String>,
}

/// Every law about one agent, in the order in which several violations are best read.
pub const LAWS: [Law; 8] = [
    Law { name: "rows", says: "every row has its facts and a fixture, every fixture is read by a row", check: rows },
    Law { name: "shape", says: "an answer is nothing or one document on one line, with exit 0 or 2", check: shape },
    Law { name: "lowered", says: "a gate loses nothing of a decision that blocks or changes", check: lowered },
    Law { name: "one meaning", says: "two fitted decisions never share an answer", check: one_meaning },
    Law {
        name: "refusal",
        says: "a refusal says something at a gate and nothing at the end of a turn",
        check: refusal,
    },
    Law { name: "robust", says: "a broken message is an error, never another meaning", check: robust },
    Law { name: "nulls", says: "a watched argument that is null is not taken for an absent one", check: nulls },
    Law { name: "raw intact", says: "unwatched bytes of a message survive", check: raw_intact_and_rewrite },
];

/// Checks every law for one agent, with the fixtures of a folder.
#[must_use]
pub fn check(protocol: &'static dyn HookProtocol, fixtures: &Path) -> Vec<Violation> {
    Suite::read(protocol, fixtures).check()
}

/// Formats violations for a reader: for each law the number of violations and the first few.
pub fn report(violations: &[Violation]) -> String {
    const SHOWN: usize = 12;
    let mut out = String::new();
    for group in violations.chunk_by(|a, b| a.law == b.law) {
        let Some(Violation { law, says, .. }) = group.first() else { continue };
        let _ = writeln!(out, "\n{law} ({} times): not true that {says}", group.len());
        for violation in group.iter().take(SHOWN) {
            let _ = writeln!(out, "  {}", violation.what);
        }
    }
    out
}

/// One violation of a law.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The name of the law.
    pub law: &'static str,
    /// The sentence that does not hold.
    pub says: &'static str,
    /// The agent, the row, the fixture and the observation.
    pub what: String,
}

impl Violation {
    /// Creates a violation.
    pub fn new(law: &'static str, says: &'static str, what: String) -> Self {
        Self { law, says, what }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.what)
    }
}

/// One agent with its fixtures.
pub struct Suite {
    protocol: &'static dyn HookProtocol,
    fixtures: Vec<Fixture>,
    faults: Vec<String>,
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Suite({}, {} fixtures)", self.protocol.agent().id, self.fixtures.len())
    }
}

impl Suite {
    /// Reads every fixture of a folder. An invalid fixture violates the law about rows.
    pub fn read(protocol: &'static dyn HookProtocol, folder: &Path) -> Self {
        let (fixtures, faults) = fixture::read(folder);
        Self { protocol, fixtures, faults }
    }

    /// Creates a suite from messages that are not in files.
    pub fn of(protocol: &'static dyn HookProtocol, fixtures: Vec<Fixture>) -> Self {
        Self { protocol, fixtures, faults: Vec::new() }
    }

    /// Returns the same fixtures with another protocol, such as a broken one.
    #[must_use]
    pub fn under(&self, protocol: &'static dyn HookProtocol) -> Self {
        Self { protocol, fixtures: self.fixtures.clone(), faults: self.faults.clone() }
    }

    /// Returns the agent.
    pub fn protocol(&self) -> &'static dyn HookProtocol {
        self.protocol
    }

    /// Returns the fixtures, sorted by name.
    pub fn fixtures(&self) -> &[Fixture] {
        &self.fixtures
    }

    /// Checks every law.
    #[must_use]
    pub fn check(&self) -> Vec<Violation> {
        let found = |law: Law| (law.check)(self).into_iter().map(move |what| Violation::new(law.name, law.says, what));
        LAWS.into_iter().flat_map(found).collect()
    }

    /// Returns every event that gets a reply, with its fixture.
    pub fn judged(&self) -> impl Iterator<Item = (&Fixture, HookEvent)> {
        self.fixtures.iter().filter_map(|fixture| match self.protocol.parse(&fixture.native) {
            Ok(Incoming::Event(event)) => Some((fixture, *event)),
            _ => None,
        })
    }

    fn id(&self) -> &'static str {
        self.protocol.agent().id
    }
}

fn raw_intact_and_rewrite(suite: &Suite) -> Vec<String> {
    [raw_intact(suite), rewrite(suite)].concat()
}

/// Returns the agent, the row and the fixture of an event, for reports.
pub fn place(event: &HookEvent, fixture: &Fixture) -> String {
    format!("{} {} [{}]", event.agent.id, event.row.key(), fixture.stem)
}
