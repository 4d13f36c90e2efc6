//! The agents with their fixtures and accounts.

#![allow(dead_code, reason = "each test uses some of these")]

use std::path::{Path, PathBuf};

use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::Suite;
use snaphook_hosts::{Account, account};

/// The folder of an agent's fixtures.
pub(crate) fn fixtures(id: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters").join(id.replace('-', "_")).join("fixtures")
}

/// Every registered agent with its fixtures.
pub(crate) fn suites() -> Vec<Suite> {
    Registry::standard().iter().map(|protocol| Suite::read(protocol, &fixtures(protocol.agent().id))).collect()
}

/// Every registered agent that has a data file, with its fixtures.
pub(crate) fn verified() -> Vec<(Suite, &'static Account)> {
    let with_account = |suite: Suite| account(suite.protocol().agent().id).map(|account| (suite, account));
    suites().into_iter().filter_map(with_account).collect()
}
