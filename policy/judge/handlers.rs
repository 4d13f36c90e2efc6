//! Selects the handlers that are asked, in configured order (C5).

use snaphook_adapters::model::{EventKind, Verdict};

use super::verdict::Opinion;
use super::{Judging, cause};
use crate::load::{HandlerRule, PolicyFile};
use crate::rule::Side;
use crate::{Cause, Handler, PolicyCall};

/// The event kinds that `match` of a handler accepts.
pub const KINDS: &[&str] = &[
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
pub fn words_of(kind: EventKind) -> &'static [&'static str] {
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

/// A handler whose `match` selects an event.
#[derive(Debug, Clone, Copy)]
pub struct AskedHandler<'p> {
    file: &'p PolicyFile,
    rule: &'p HandlerRule,
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

impl<'a> Judging<'a> {
    /// The handlers that are asked about an event of an agent, which may be a call.
    pub fn handlers(&self, kind: EventKind, agent: &str, call: Option<&PolicyCall<'_>>) -> Vec<AskedHandler<'a>> {
        let all = self.policy.full_files().flat_map(|file| file.handlers.iter().map(move |rule| (file, rule)));
        let asked = all.filter(|(file, rule)| self.is_asked(file, rule, kind, agent, call));
        asked.map(|(file, rule)| AskedHandler { file, rule }).collect()
    }

    fn is_asked(
        &self,
        file: &PolicyFile,
        one: &HandlerRule,
        kind: EventKind,
        agent: &str,
        call: Option<&PolicyCall<'_>>,
    ) -> bool {
        let words = words_of(kind);
        if !one.kinds.iter().any(|kind| words.contains(kind)) {
            return false;
        }
        if !one.is_for(agent) {
            return false;
        }
        if one.rules.is_empty() {
            return true;
        }
        let Some(call) = call else { return false };
        let scene = self.scene(call);
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
