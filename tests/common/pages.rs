//! Compares pages with the reviewed ones in `snapshots/`; `cargo insta review` shows the changes.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The folder of all pages, in the root of the workspace because tests of two packages use it.
pub(crate) fn folder() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = if package.ends_with("hosts") { package.join("..") } else { package.to_owned() };
    workspace.join("snapshots")
}

/// Compares a page with the stored one by `assert`, which calls `insta::assert_snapshot!`. The difference is printed,
/// and is kept for review unless `INSTA_UPDATE=no`.
pub(crate) fn holds(folder: &Path, assert: impl FnOnce()) -> bool {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| catch_unwind(AssertUnwindSafe(assert)).is_ok())
}

/// Asserts that the pages below a folder, except for those in `elsewhere`, are exactly these.
pub(crate) fn are_all(folder: &Path, wanted: &BTreeSet<String>, elsewhere: &str) {
    let mut there = BTreeSet::new();
    files(folder, "", &mut there);
    // A page that waits for review is reported as a difference.
    there.retain(|name| !name.ends_with(".snap.new") && (elsewhere.is_empty() || !name.starts_with(elsewhere)));
    let orphans: Vec<_> = there.difference(wanted).collect();
    let missing: Vec<_> = wanted.difference(&there).collect();
    assert!(orphans.is_empty() && missing.is_empty(), "pages without a test: {orphans:?}; missing: {missing:?}");
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
