//! What was seen when each case was run, kept beside the test so that every machine can ask the laws.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Has every case run, not only some.
const ALL: &str = "SNAPHOOK_ORACLE_ALL";
/// Has the labels written instead of compared.
const WRITE: &str = "SNAPHOOK_WRITE_ORACLE";

/// What one case did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Label {
    pub(crate) case: String,
    pub(crate) text: String,
    /// The shells in which it happened, by letter; empty: in none.
    pub(crate) seen: String,
}

/// The labels of one file, by the name of the case.
pub(crate) fn read(file: &str) -> BTreeMap<String, Label> {
    let text = std::fs::read_to_string(path(file)).unwrap_or_default();
    let one = |line: &str| serde_json::from_str::<Label>(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    text.lines().map(one).map(|label| (label.case.clone(), label)).collect()
}

/// Whether labels are to be written.
pub(crate) fn writing() -> bool {
    std::env::var_os(WRITE).is_some()
}

/// Whether every case is to be run.
pub(crate) fn all() -> bool {
    writing() || std::env::var_os(ALL).is_some()
}

pub(crate) fn write(file: &str, labels: &[Label]) {
    let mut text = String::new();
    for label in labels {
        text += &serde_json::to_string(label).unwrap();
        text.push('\n');
    }
    std::fs::write(path(file), text).unwrap();
}

/// How to have them written.
pub(crate) fn remedy() -> String {
    format!("run `{WRITE}=1 cargo test --test oracle` and read what changed")
}

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracle").join(file)
}
