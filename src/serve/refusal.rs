//! Refuses a call for which no verdict was reached.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use snaphook_adapters::model::{Reply, VerdictKind};
use snaphook_adapters::protocol::Native;
use snaphook_policy::OnFailure;

use super::records::RECORDING;
use super::service::Service;
use crate::engine::CallOutcome;

/// The reason why a call is refused without a verdict.
#[derive(Debug)]
pub(super) enum RefusalCause {
    /// The time is up. The policy chooses the answer.
    Late(String),
    /// The program failed or was stopped. The call is denied.
    Failed(String),
}

impl Service {
    /// Refuses a call that the calling thread has claimed, in the agent's own form, and records that. Returns
    /// the result of `answer`.
    ///
    /// `block` is the denial that was reached before the judging thread hung, if any. A call that must be
    /// recorded waits briefly for its record.
    pub(super) fn refuse<T>(
        &self,
        native: &Native,
        started: Instant,
        block: Option<&Reply>,
        cause: &RefusalCause,
        answer: impl FnOnce(&CallOutcome, &Reply) -> T,
    ) -> T {
        let late = if block.is_some() { OnFailure::Deny } else { self.failures().deadline };
        let refused = self.refusal(native, cause, late);
        if let Some(block) = block {
            return answer(&refused, block);
        }
        if !self.needs_record(&refused) {
            let answered = answer(&refused, &refused.reply.clone().unwrap_or_default());
            self.record_in_background(refused, native, started, drop);
            return answered;
        }
        // A call that must be recorded does not continue without its record.
        let (done, ready) = std::sync::mpsc::channel();
        self.record_in_background(refused, native, started, move |recorded| drop(done.send(recorded)));
        let (refused, reply) = ready.recv_timeout(RECORDING).unwrap_or_else(|_| {
            let what = "cannot write a record in time";
            let refused = self.failed(native, None, self.failures().audit, what);
            let reply = refused.reply.clone().unwrap_or_default();
            (refused, reply)
        });
        answer(&refused, &reply)
    }

    /// Returns true if a refusal that lets the call continue may wait for its record.
    pub(super) fn may_wait_for_record(&self) -> bool {
        let failures = self.failures();
        failures.audit != OnFailure::Pass && failures.deadline != OnFailure::Deny
    }

    fn needs_record(&self, refused: &CallOutcome) -> bool {
        refused.gates() && !refused.wanted.blocks() && self.failures().audit != OnFailure::Pass
    }

    fn refusal(&self, native: &Native, cause: &RefusalCause, late: OnFailure) -> CallOutcome {
        let refused = catch_unwind(AssertUnwindSafe(|| match cause {
            RefusalCause::Late(what) => self.failed(native, None, late, what),
            RefusalCause::Failed(what) => {
                let refused = self.failed(native, None, OnFailure::Deny, &format!("{what}: denied"));
                CallOutcome { failure: Some(what.clone()), ..refused }
            }
        }));
        refused.unwrap_or_else(|_| CallOutcome {
            wanted: VerdictKind::Deny,
            ..CallOutcome::reply_only(Reply::blocked("snaphook: internal error: denied"))
        })
    }
}
