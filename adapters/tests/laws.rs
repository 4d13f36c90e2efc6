//! Every registered agent keeps every law. No agent is named here.

mod common;

use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing;

#[test]
fn every_agent_keeps_every_law() {
    let mut reports = String::new();
    for suite in common::suites() {
        let violations = suite.check();
        if !violations.is_empty() {
            reports.extend(["\n== ", suite.protocol().agent().id, "\n", &testing::report(&violations)]);
        }
    }
    assert!(reports.is_empty(), "{reports}");
}

#[test]
fn the_registry_is_sorted_by_id() {
    assert_eq!(testing::registry(&Registry::standard()), Vec::<String>::new());
}
