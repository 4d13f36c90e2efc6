//! The pages that are reviewed: one for each fixture, one for all rows, one for what cannot be
//! enforced. They lie in `snapshots/`; `cargo insta review` shows what changed.

#[path = "../common/mod.rs"]
mod common;
mod matrix;
mod page;
mod words;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[test]
fn every_fixture_has_its_page() {
    let mut differ = Vec::new();
    for suite in common::suites() {
        let id = suite.protocol().agent().id;
        for fixture in suite.fixtures() {
            let page = page::page(suite.protocol(), fixture);
            if !holds(&common::root().join("snapshots").join(id), &fixture.stem, &page) {
                differ.push(format!("{id}/{}", fixture.stem));
            }
        }
    }
    assert!(differ.is_empty(), "{} pages differ: see `cargo insta review`: {differ:?}", differ.len());
}

#[test]
fn the_matrix_shows_every_row() {
    assert!(holds(&common::root().join("snapshots"), "matrix", &matrix::matrix()));
}

#[test]
fn what_cannot_be_enforced_is_on_one_page() {
    assert!(holds(&common::root().join("snapshots"), "unenforceable", &matrix::unenforceable(&common::suites())));
}

#[test]
fn no_page_is_without_its_fixture() {
    let mut wanted: BTreeSet<String> = ["matrix.snap", "unenforceable.snap"].map(str::to_owned).into();
    for suite in common::suites() {
        let id = suite.protocol().agent().id;
        wanted.extend(suite.fixtures().iter().map(|fixture| format!("{id}/{}.snap", fixture.stem)));
    }
    let mut there = BTreeSet::new();
    files(&common::root().join("snapshots"), "", &mut there);
    // What waits for review shows up as a page that differs.
    there.retain(|name| !name.ends_with(".snap.new"));
    let orphans: Vec<_> = there.difference(&wanted).collect();
    let missing: Vec<_> = wanted.difference(&there).collect();
    assert!(orphans.is_empty() && missing.is_empty(), "pages without a fixture: {orphans:?}; missing: {missing:?}");
}

/// Compares a page with the stored one; the difference is printed, and is kept for review unless
/// `INSTA_UPDATE=no`.
fn holds(folder: &Path, name: &str, page: &str) -> bool {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| catch_unwind(AssertUnwindSafe(|| insta::assert_snapshot!(name, page))).is_ok())
}

fn files(folder: &Path, prefix: &str, out: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), out);
        } else {
            out.insert(name);
        }
    }
}
