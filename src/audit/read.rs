//! Finds records in the log.

use std::io;

use serde::Deserialize;
use snaphook_adapters::model::VerdictKind;
use snaphook_policy::{Cause, PartVerdict};

use super::Log;
use crate::decide::HandlerTime;

/// One record as read from the log. Fields of later versions are ignored.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of Record")]
#[non_exhaustive]
pub struct AuditEntry {
    pub time: String,
    pub id: String,
    pub agent: String,
    #[serde(default)]
    pub dialect: String,
    pub event: String,
    pub session: Option<String>,
    pub tool: Option<String>,
    pub digest: Option<String>,
    pub fingerprint: Option<String>,
    pub input: Option<String>,
    pub cwd: Option<String>,
    pub wanted: VerdictKind,
    pub would: Option<VerdictKind>,
    pub waived: Option<String>,
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
    pub parts: Vec<PartVerdict>,
    #[serde(default)]
    pub handlers: Vec<HandlerTime>,
    pub failure: Option<String>,
    pub incident: Option<String>,
    pub isolated: Option<bool>,
    pub policy: String,
    pub ms: f64,
}

impl AuditEntry {
    /// Parses one line of the log. Returns `None` if the line is not a valid record.
    pub fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// The verdict of the policy, enforced or not.
    pub fn decided(&self) -> VerdictKind {
        self.would.unwrap_or(self.wanted)
    }
}

/// Finds the newest record with this id. Invalid lines are skipped.
///
/// # Errors
/// The log cannot be read.
pub fn find(log: &Log, id: &str) -> io::Result<Option<AuditEntry>> {
    let needle = format!("\"{id}\"");
    for line in log.lines_backward() {
        let line = line?;
        let named = memchr::memmem::find(&line.bytes, needle.as_bytes()).is_some();
        let found = named.then(|| AuditEntry::parse(&line.bytes)).flatten().filter(|entry| entry.id == id);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
