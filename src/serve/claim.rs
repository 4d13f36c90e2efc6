//! Decides which thread answers a call: the one that judges it, or the one that watches the time.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use snaphook_adapters::model::Reply;

use crate::engine::Judged;

/// Lets exactly one thread answer a call, and keeps a block that was reached before its record is made.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    answered: AtomicBool,
    block: OnceLock<Reply>,
}

impl Claim {
    /// Claims the answer. `false`: another thread has it.
    pub(crate) fn take(&self) -> bool {
        self.answered.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Returns true if a thread has claimed the answer: whatever else is judged counts no more.
    pub(crate) fn is_taken(&self) -> bool {
        self.answered.load(Ordering::Acquire)
    }

    /// Keeps the answer if it blocks. A log that hangs afterwards must not weaken it.
    pub(crate) fn reached(&self, judged: &Judged) {
        if judged.gates() && judged.wanted.blocks() {
            let _ = self.block.set(judged.reply.clone().unwrap_or_default());
        }
    }

    /// The block that was reached, if any.
    pub(crate) fn block(&self) -> Option<&Reply> {
        self.block.get()
    }
}
