//! Runs the handlers in configured order (C5, V5).

use snaphook_adapters::model::{EventKind, HookEvent, Verdict};

use super::additions::{Additions, changed};
use super::verdict::Opinion;
use super::{Deciders, Judging, cause};
use crate::policy::Cause;
use crate::policy::load::{HandlerRule, PolicyFile};
use crate::policy::rule::Side;

/// The event kinds that `match` of a handler accepts.
pub(crate) const KINDS: &[&str] = &[
    "PreTool",
    "PermissionRequest",
    "PostTool",
    "Prompt",
    "SessionStart",
    "SessionEnd",
    "PreModel",
    "PostModel",
    "Compact",
    "Notification",
    "TurnEnd",
    "SubagentStart",
    "Question",
    "Setup",
    "Observed",
];

/// The words that select an event kind. All gates of a call are selected together (V2).
pub(crate) fn words_of(kind: EventKind) -> &'static [&'static str] {
    match kind {
        EventKind::PreTool => &["PreTool"],
        EventKind::Permission => &["PreTool", "PermissionRequest"],
        EventKind::PostTool | EventKind::ToolOutput => &["PostTool"],
        EventKind::Prompt => &["Prompt"],
        EventKind::SessionStart => &["SessionStart"],
        EventKind::SessionEnd => &["SessionEnd"],
        EventKind::PreModel => &["PreModel"],
        EventKind::PostModel => &["PostModel"],
        EventKind::PreCompact | EventKind::PostCompact => &["Compact"],
        EventKind::Notification => &["Notification"],
        EventKind::TurnEnd | EventKind::SubagentEnd => &["TurnEnd"],
        EventKind::SubagentStart => &["SubagentStart"],
        EventKind::Question => &["Question"],
        EventKind::Setup => &["Setup"],
        EventKind::Error | EventKind::Observed => &["Observed"],
        _ => &[],
    }
}

impl Judging<'_> {
    /// Runs all handlers that match; each one sees the changes of those before it.
    pub(super) fn handlers(
        &mut self,
        event: &HookEvent,
        deciders: &mut dyn Deciders,
        additions: &mut Additions,
    ) -> Vec<Opinion> {
        let mut opinions = Vec::new();
        let mut seen: Option<HookEvent> = None;
        let policy = self.policy;
        for (file, one) in policy.full_files().flat_map(|file| file.handlers.iter().map(move |one| (file, one))) {
            if !self.is_asked(file, one, event) {
                continue;
            }
            let name = &one.handler.name;
            let asked = deciders.handler(&one.handler, seen.as_ref().unwrap_or(event));
            self.remarks.extend(deciders.remarks());
            let taken = asked.and_then(|decision| {
                let opinion = opinion(file, one, decision.verdict.clone());
                let changes = decision.changes.clone();
                let named = |why| format!("handler `{name}`: {why}");
                additions.take(decision).map_err(named)?;
                for change in &changes {
                    seen = Some(changed(seen.as_ref().unwrap_or(event), change).map_err(named)?);
                }
                Ok(opinion)
            });
            match taken {
                Ok(opinion) => opinions.push(opinion),
                Err(why) => opinions.extend(self.failed(&why)),
            }
        }
        opinions
    }

    fn is_asked(&self, file: &PolicyFile, one: &HandlerRule, event: &HookEvent) -> bool {
        let words = words_of(event.kind());
        if !one.kinds.iter().any(|kind| words.contains(kind)) {
            return false;
        }
        if !one.is_for(event.agent.id) {
            return false;
        }
        if one.rules.is_empty() {
            return true;
        }
        let Some(call) = event.call() else { return false };
        let scene = self.scene(event, call);
        let atoms = self.facts.atoms(call);
        let own = file.own.as_ref();
        let found =
            one.rules.iter().any(|rule| atoms.list.iter().any(|atom| scene.matches(rule, Side::Guard, atom, own)));
        // One that cannot be told is asked.
        found || atoms.cut || self.context.budget().is_spent()
    }
}

/// The opinion of a handler, with a default reason.
fn opinion(file: &PolicyFile, one: &HandlerRule, verdict: Verdict) -> Opinion {
    let cause: Cause = cause(file, &one.handler.name, file.source.line(one.at), verdict.kind(), None);
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

#[cfg(test)]
mod tests {
    use snaphook_adapters::registry::Registry;

    use super::{KINDS, words_of};

    #[test]
    fn a_handler_can_match_every_event_of_every_agent() {
        for agent in Registry::standard().iter().map(snaphook_adapters::protocol::HookProtocol::agent) {
            for row in agent.events {
                let words = words_of(row.kind);
                assert!(!words.is_empty(), "{}: {}", agent.id, row.key());
                assert!(words.iter().all(|word| KINDS.contains(word)), "{words:?}");
            }
        }
    }
}
