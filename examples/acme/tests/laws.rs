//! Acme keeps the laws that need no data file of the agent.

use snaphook_adapters::testing;
use snaphook_example_acme::Acme;

#[test]
fn acme_keeps_every_law() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
    let violations = testing::check(&Acme, fixtures.as_ref());
    assert!(violations.is_empty(), "{}", testing::report(&violations));
}
