//! The pages for review: one for each fixture, one for all rows, one for the decisions that cannot be enforced. They
//! are in `snapshots/`; `cargo insta review` shows the differences.

#[path = "../common/mod.rs"]
mod common;
mod matrix;
mod page;
#[path = "../../../tests/common/pages.rs"]
mod pages;
mod words;

use std::collections::BTreeSet;

use pages::{are_all, folder, holds};

#[test]
fn every_fixture_has_its_page() {
    let mut differ = Vec::new();
    for suite in common::suites() {
        let id = suite.protocol().agent().id;
        for fixture in suite.fixtures() {
            let page = page::page(suite.protocol(), fixture);
            if !holds(&folder().join(id), &fixture.stem, &page) {
                differ.push(format!("{id}/{}", fixture.stem));
            }
        }
    }
    assert!(differ.is_empty(), "{} pages differ: see `cargo insta review`: {differ:?}", differ.len());
}

#[test]
fn the_matrix_shows_every_row() {
    assert!(holds(&folder(), "matrix", &matrix::matrix()));
}

#[test]
fn decisions_that_cannot_be_enforced_are_on_one_page() {
    assert!(holds(&folder(), "unenforceable", &matrix::unenforceable(&common::suites())));
}

#[test]
fn every_page_has_its_fixture() {
    let mut wanted: BTreeSet<String> = ["matrix.snap", "unenforceable.snap"].map(str::to_owned).into();
    for suite in common::suites() {
        let id = suite.protocol().agent().id;
        wanted.extend(suite.fixtures().iter().map(|fixture| format!("{id}/{}.snap", fixture.stem)));
    }
    are_all(&folder(), &wanted, "setup/");
}
