//! The fixtures of the agents.

use std::path::{Path, PathBuf};

use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::Suite;

/// Returns the fixture folder of an agent.
pub(crate) fn fixtures(id: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(id.replace('-', "_")).join("fixtures")
}

/// Returns every registered agent with its fixtures.
pub(crate) fn suites() -> Vec<Suite> {
    Registry::standard().iter().map(|protocol| Suite::read(protocol, &fixtures(protocol.agent().id))).collect()
}
