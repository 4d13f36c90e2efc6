//! The agents with their fixtures and accounts.

#![allow(dead_code, clippy::expect_used, reason = "tests; each uses some of these")]

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

/// Every agent with its fixtures and its account.
pub(crate) fn described() -> Vec<(Suite, &'static Account)> {
    let with_account = |suite: Suite| {
        let account = account(suite.protocol().agent().id).expect("every standard agent has a data file");
        (suite, account)
    };
    suites().into_iter().map(with_account).collect()
}
