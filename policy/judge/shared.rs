//! Facts that several events share.

use std::sync::{Arc, OnceLock};

use super::protect::Guarded;
use crate::path::SharedLookups;

/// Facts about the files of the machine, for events that are judged by the policy of the same user. Events may share them only
/// if all of these events arrived before the first lookup: each fact was then true between the arrival of every event and its
/// verdict.
#[derive(Debug, Default)]
pub struct SharedFacts {
    pub(crate) lookups: Arc<SharedLookups>,
    /// The protected files.
    pub(super) guarded: OnceLock<Vec<Guarded>>,
    /// True if one of them may also be reached under another name.
    pub(super) has_protected_links: OnceLock<bool>,
}
