//! What the events share that a policy judges together.

use std::sync::{Arc, OnceLock};

use super::protect::Guarded;
use crate::path::SharedLookups;

/// What was found out about the files of the machine. Events may share it if the same user's policy judges them and all of
/// them had arrived before anything was looked up: each result was then true at some time between the arrival of an event
/// and its verdict.
#[derive(Debug, Default)]
pub struct SharedFacts {
    pub(crate) lookups: Arc<SharedLookups>,
    /// The protected files.
    pub(super) guarded: OnceLock<Vec<Guarded>>,
    /// True if one of them may also be reached under another name.
    pub(super) has_protected_links: OnceLock<bool>,
}
