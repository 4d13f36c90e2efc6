//! What a handler says about an event (C5).

use snaphook_adapters::model::Verdict;

use super::verdict::Opinion;
use crate::cause::Cause;
use crate::handler::Handler;
use crate::load::{HandlerRule, PolicyFile};

/// A handler whose `match` selects an event.
#[derive(Debug, Clone, Copy)]
pub struct AskedHandler<'p> {
    pub(super) file: &'p PolicyFile,
    pub(super) rule: &'p HandlerRule,
}

impl<'p> AskedHandler<'p> {
    /// What is started.
    pub fn handler(&self) -> &'p Handler {
        &self.rule.handler
    }

    /// The opinion of the handler, with a default reason.
    pub fn opinion(&self, verdict: Verdict) -> Opinion {
        opinion(self.file, self.rule, verdict)
    }
}

/// The opinion of a handler, with a default reason.
fn opinion(file: &PolicyFile, one: &HandlerRule, verdict: Verdict) -> Opinion {
    let cause: Cause = Cause::of(file, &one.handler.name, file.source.line(one.at), verdict.kind(), None);
    let name = &one.handler.name;
    let or = |reason: String, says: &str| if reason.trim().is_empty() { format!("{name} {says}") } else { reason };
    let verdict = match verdict {
        Verdict::Allow { reason } => Verdict::Allow { reason: or(reason, "allows") },
        Verdict::Ask { reason } => Verdict::Ask { reason: or(reason, "asks") },
        Verdict::Deny { reason } => Verdict::Deny { reason: or(reason, "denies") },
        Verdict::Abort { reason } => Verdict::Abort { reason: or(reason, "ends the turn") },
        Verdict::HardAbort { reason } => Verdict::HardAbort { reason: or(reason, "ends the turn") },
        Verdict::KeepGoing { reason } => Verdict::KeepGoing { reason: or(reason, "is not done") },
        verdict => verdict,
    };
    Opinion { verdict, cause }
}
