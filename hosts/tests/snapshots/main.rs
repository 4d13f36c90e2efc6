//! The pages for review: one for each row, one for each fixture, and two about all agents. They are in `snapshots/`;
//! `cargo insta review` shows the differences.

#![allow(clippy::panic, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;
mod fixture_page;
mod form;
mod matrix;
#[path = "../../../tests/common/pages.rs"]
mod pages;
mod replies;
mod row_page;
mod text;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pages::{are_all, folder, holds};
use snaphook_adapters::testing::Suite;
use snaphook_hosts::account;

/// Every page, by its name below the folder.
static PAGES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let suites = common::suites();
    let mut pages = BTreeMap::from([
        ("matrix".to_owned(), matrix::matrix()),
        ("unenforceable".to_owned(), matrix::unenforceable(&suites)),
    ]);
    pages.extend(suites.iter().flat_map(of_agent));
    pages
});

fn of_agent(suite: &Suite) -> BTreeMap<String, String> {
    let agent = suite.protocol().agent();
    let messages = row_page::messages(suite);
    let fixtures = messages.iter().map(|message| {
        let page = fixture_page::page(message);
        (format!("{}/fixtures/{}", agent.id, message.fixture.stem), page)
    });
    let rows = row_page::rows(agent, &messages).into_iter().map(|(row, messages)| {
        let page = row_page::page(suite.protocol(), row, &messages, account(agent.id));
        (format!("{}/rows/{}", agent.id, row_page::name(row)), page)
    });
    fixtures.chain(rows).collect()
}

#[test]
fn every_page_equals_its_reviewed_snapshot() {
    let mut differ = Vec::new();
    for (name, page) in &*PAGES {
        let (below, name) = name.rsplit_once('/').unwrap_or(("", name));
        if !holds(&folder().join(below), || insta::assert_snapshot!(name, page)) {
            differ.push(format!("{below}/{name}"));
        }
    }
    assert!(differ.is_empty(), "{} pages differ: see `cargo insta review`: {differ:?}", differ.len());
}

#[test]
fn every_row_and_fixture_has_a_page_and_every_page_has_one() {
    let wanted: BTreeSet<_> = PAGES.keys().map(|name| format!("{name}.snap")).collect();
    are_all(&folder(), &wanted, "setup/");
}

#[test]
fn no_page_contains_debug_output() {
    let mut found = Vec::new();
    for (name, page) in &*PAGES {
        found.extend(page.lines().filter(|line| text::is_debug(line)).map(|line| format!("{name}: {line}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_section_of_a_page_repeats_a_line() {
    let mut found = Vec::new();
    for (name, page) in &*PAGES {
        for section in page.split("\n\n") {
            let mut seen = BTreeSet::new();
            found.extend(section.lines().filter(|line| !seen.insert(*line)).map(|line| format!("{name}: {line}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
