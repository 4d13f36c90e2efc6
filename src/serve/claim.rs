//! Decides which thread answers a call: the judging thread or the watchdog.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use snaphook_adapters::model::Reply;

use crate::engine::CallOutcome;

/// Lets exactly one thread answer a call. Also keeps a blocking answer that was reached before its record is
/// written.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    answered: AtomicBool,
    block: OnceLock<Reply>,
}

impl Claim {
    /// Claims the answer. Returns false if another thread has already claimed it.
    pub(crate) fn take(&self) -> bool {
        self.answered.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Returns true if a thread has claimed the answer; later results are discarded.
    pub(crate) fn is_taken(&self) -> bool {
        self.answered.load(Ordering::Acquire)
    }

    /// Keeps the answer if it blocks. A log that hangs afterwards must not weaken it.
    pub(crate) fn reached(&self, judged: &CallOutcome) {
        if judged.gates() && judged.wanted.blocks() {
            let _ = self.block.set(judged.reply.clone().unwrap_or_default());
        }
    }

    /// Returns the stored blocking answer, if any.
    pub(crate) fn block(&self) -> Option<&Reply> {
        self.block.get()
    }
}
