//! Every registered agent with a data file obeys every law about effects. No agent is named here.

mod common;

use std::fmt::Write as _;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Change, Decision, Detail, HookEvent, Response, Target, Verdict};
use snaphook_adapters::testing::{Fixture, REASON, Suite, report, with_additions};
use snaphook_hosts::testing::{check, monotone, weaker};

#[test]
fn every_agent_keeps_every_law() {
    let mut reports = String::new();
    for (suite, account) in common::described() {
        let violations = check(&suite, account);
        if !violations.is_empty() {
            let _ = writeln!(reports, "\n== {}\n{}", suite.protocol().agent().id, report(&violations));
        }
    }
    assert!(reports.is_empty(), "{reports}");
}

/// Tests values of types that the agent does not accept, with every verdict.
#[test]
fn a_change_to_an_unusual_value_is_never_weaker_than_the_decision() {
    let mut found = Vec::new();
    for (suite, account) in common::described() {
        found.extend(weaker(&suite, account, odd_changes));
    }
    // An agent that cannot call a tool with such arguments blocks the call, which is stricter.
    found.retain(|fault| !fault.contains(" was said, but the agent blocks"));
    found.truncate(20);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// An agent takes the last of several members with the same name, and the answer repeats all of them.
#[test]
fn a_request_with_a_member_twice_is_sent_back_as_it_was() {
    let mut tried = 0;
    for (suite, account) in common::described() {
        let protocol = suite.protocol();
        for (fixture, event) in suite.judged() {
            let Detail::Request { request } = &event.detail else { continue };
            let Some(open) = request.as_str().strip_suffix('}') else { continue };
            let Some(twice) = event.raw.replace(request, &format!("{open},\"twice\":1,\"twice\":2}}")) else {
                continue;
            };
            let mut native = fixture.native.clone();
            native.body = twice;
            let suite = Suite::of(protocol, vec![Fixture::new("twice", native)]);
            let faults = monotone(&suite, account);
            assert!(faults.is_empty(), "{}", faults.join("\n"));
            tried += 1;
        }
    }
    assert!(tried > 3, "{tried}");
}

fn odd_changes(event: &HookEvent) -> Vec<Decision> {
    let reason = || REASON.to_owned();
    let verdicts = [
        Verdict::Pass,
        Verdict::Allow { reason: String::new() },
        Verdict::Ask { reason: reason() },
        Verdict::Deny { reason: reason() },
        Verdict::Respond(Response::new(REASON)),
        Verdict::Abort { reason: reason() },
        Verdict::HardAbort { reason: reason() },
        Verdict::KeepGoing { reason: reason() },
    ];
    let mut decisions = Vec::new();
    for target in Target::ALL {
        for odd in ["{\"odd\":1}", "7", "\"text\"", "[1]", "[]"] {
            let value = Raw::document(odd);
            for change in [Change::required(target, value.clone()), Change::optional(target, value)] {
                for verdict in &verdicts {
                    let decision = Decision::from(verdict.clone()).change(change.clone());
                    decisions.push(with_additions(event, decision.clone()));
                    decisions.push(decision);
                }
            }
        }
    }
    decisions
}
