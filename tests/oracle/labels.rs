//! The recorded result of running each case. It is stored with the test, so that the laws can be checked on
//! every machine.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Set to run every case.
const ALL: &str = "SNAPHOOK_ORACLE_ALL";
/// Set to write the labels instead of comparing them.
const WRITE: &str = "SNAPHOOK_WRITE_ORACLE";

/// The result of one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Label {
    pub(crate) case: String,
    pub(crate) text: String,
    /// The letters of the shells in which it happened; empty if none.
    pub(crate) seen: String,
}

/// The labels of one file, by the name of the case.
pub(crate) fn read(file: &str) -> BTreeMap<String, Label> {
    let text = std::fs::read_to_string(path(file)).unwrap_or_default();
    let one = |line: &str| serde_json::from_str::<Label>(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    text.lines().map(one).map(|label| (label.case.clone(), label)).collect()
}

/// Returns true if labels are written.
pub(crate) fn writing() -> bool {
    std::env::var_os(WRITE).is_some()
}

/// Returns true if every case is run.
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

/// Instructions for writing the labels.
pub(crate) fn remedy() -> String {
    format!("run `{WRITE}=1 cargo test --test oracle` and read what changed")
}

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracle").join(file)
}
