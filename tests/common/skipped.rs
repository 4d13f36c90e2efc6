//! Reports checks that this machine cannot make.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// Prints a skipped check as `SKIPPED: what: why`, once per test program. The line goes past the test harness, which
/// hides the output of tests that pass.
pub(crate) fn skipped(text: &str) {
    static SHOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SHOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned()) {
        let _ = std::io::stderr().write_all(format!("SKIPPED: {text}\n").as_bytes());
    }
}
