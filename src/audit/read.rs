//! Finds records in the log.

use std::io;

use serde::Deserialize;
use snaphook_adapters::model::VerdictKind;

use super::Log;
use crate::policy::{Cause, PartSaid};

/// Holds one record as it is read back; fields of later versions are ignored.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of Record")]
#[non_exhaustive]
pub struct Entry {
    pub time: String,
    pub id: String,
    pub agent: String,
    #[serde(default)]
    pub dialect: String,
    pub event: String,
    pub session: Option<String>,
    pub tool: Option<String>,
    pub input: Option<String>,
    pub wanted: VerdictKind,
    pub sent: VerdictKind,
    pub form: String,
    #[serde(default)]
    pub changed: Vec<String>,
    #[serde(default)]
    pub losses: Vec<String>,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub causes: Vec<Cause>,
    #[serde(default)]
    pub remarks: Vec<String>,
    #[serde(default)]
    pub not_understood: bool,
    pub word: Option<String>,
    #[serde(default)]
    pub parts: Vec<PartSaid>,
    pub failure: Option<String>,
    pub incident: Option<String>,
    pub isolated: Option<bool>,
    pub policy: String,
    pub ms: f64,
}

impl Entry {
    /// Reads one line of the log; `None`: it is no record.
    pub fn of(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// Finds the newest record with this id; lines that are no records are passed over.
///
/// # Errors
/// The log cannot be read.
pub fn find(log: &Log, id: &str) -> io::Result<Option<Entry>> {
    let needle = format!("\"{id}\"");
    for line in log.backwards() {
        let line = line?;
        let named = memchr::memmem::find(&line.bytes, needle.as_bytes()).is_some();
        let found = named.then(|| Entry::of(&line.bytes)).flatten().filter(|entry| entry.id == id);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
