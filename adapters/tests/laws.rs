//! Every registered agent keeps every law; no agent is named here.

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
fn the_registry_is_in_order() {
    assert_eq!(testing::registry(&Registry::standard()), Vec::<String>::new());
}

#[test]
fn an_agent_that_is_not_measured_is_named() {
    let unmeasured = Registry::standard();
    let unmeasured: Vec<_> = unmeasured.iter().filter(|p| p.host().is_none()).map(|p| p.agent().id).collect();
    assert_eq!(unmeasured, Vec::<&str>::new(), "the laws about what an agent does cannot be checked for these");
}
