//! One event of one agent, as data.

use std::time::Duration;

use super::{Role, Want};
use crate::Raw;
use crate::fit::Fitted;
use crate::model::{Change, EventKind, HookEvent, Reply, Response, Target, VerdictKind};

/// A function that writes a fitted decision in the agent's own form.
pub type ReplyWriter = fn(&HookEvent, &Fitted) -> Reply;

/// One event of one agent: its meaning, its powers, and the effect of a failure.
///
/// Built with [`EventRow::new`] and one setter per property. All are `const`, so a table is a `static`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EventRow {
    /// The agent's own name of the event.
    pub native: &'static str,
    /// The dialects to which this row applies; empty: all.
    pub dialects: &'static [&'static str],
    /// The roles of a registered command line to which this row applies; empty: all.
    pub roles: &'static [Role],
    /// Selects one of several rows of the same name by the contents of the message; absent: the usual row.
    pub case: Option<&'static str>,
    /// The hosts that have this row: versions and modes of the agent.
    pub hosts: &'static [&'static str],
    /// The meaning of the event.
    pub kind: EventKind,
    /// True if the reply decides whether something happens, so a failure must block.
    pub gating: bool,
    /// The powers of a reply.
    pub can: &'static [Power],
    /// The agent's behaviour when the hook fails.
    pub fails: Fails,
    /// The agent's default time limit; absent: not known.
    pub timeout: Option<Duration>,
    /// The native members of a reply that [`Decision::extra`](crate::model::Decision) may set, as a list of lists.
    pub extra: &'static [&'static [Extra]],
    /// Returns the reason for which the agent would ignore a change, for events whose changes the agent accepts.
    pub drops: Option<fn(&HookEvent, &Change) -> Option<&'static str>>,
    /// Returns true if the agent accepts a response; absent: every response is accepted.
    pub answers: Option<fn(&HookEvent, &Response) -> bool>,
    /// Writes a result that contains only the reason for which the real result is withheld; absent: the text part of
    /// the real result is replaced. Returns `None` if no such result can be written.
    pub withhold: Option<fn(&HookEvent, &str) -> Option<Raw>>,
    /// True if the reply on stdout is a line of text instead of a JSON document.
    pub plain: bool,
    /// True if a failure reported by this event means that the tool did not run.
    pub unrun: bool,
    /// The limits of this event that a hook cannot close, one sentence each.
    pub open: &'static [&'static str],
    /// The limits that a hook cannot close on some of the hosts.
    pub open_on: &'static [(&'static [&'static str], &'static str)],
    /// The name in a registration that subscribes to this event; empty: the event's own name.
    pub brought_by: &'static str,
    /// Writes the reply.
    pub reply: ReplyWriter,
}

impl EventRow {
    /// Creates the row of an event that is not a gate: the agent fails open and a reply has no powers.
    pub const fn new(native: &'static str, kind: EventKind, reply: ReplyWriter) -> Self {
        Self {
            native,
            dialects: &[],
            roles: &[],
            case: None,
            hosts: &[],
            kind,
            gating: false,
            can: &[],
            fails: Fails::Open,
            timeout: None,
            extra: &[],
            drops: None,
            answers: None,
            withhold: None,
            plain: false,
            unrun: false,
            open: &[],
            open_on: &[],
            brought_by: "",
            reply,
        }
    }

    /// Marks the event as a gate: the reply decides whether something happens.
    #[must_use]
    pub const fn gate(mut self) -> Self {
        self.gating = true;
        self
    }

    /// Sets the powers of a reply.
    #[must_use]
    pub const fn can_do(mut self, powers: &'static [Power]) -> Self {
        self.can = powers;
        self
    }

    /// Restricts the row to some dialects.
    #[must_use]
    pub const fn dialects(mut self, dialects: &'static [&'static str]) -> Self {
        self.dialects = dialects;
        self
    }

    /// Restricts the row to some roles of the registered command line.
    #[must_use]
    pub const fn roles(mut self, roles: &'static [Role]) -> Self {
        self.roles = roles;
        self
    }

    /// Sets the case of the message that selects this row.
    #[must_use]
    pub const fn case(mut self, case: &'static str) -> Self {
        self.case = Some(case);
        self
    }

    /// Sets the measured hosts.
    #[must_use]
    pub const fn hosts(mut self, hosts: &'static [&'static str]) -> Self {
        self.hosts = hosts;
        self
    }

    /// Sets the agent's behaviour when the hook fails.
    #[must_use]
    pub const fn fails(mut self, fails: Fails) -> Self {
        self.fails = fails;
        self
    }

    /// Sets the agent's default time limit.
    #[must_use]
    pub const fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.timeout = Some(Duration::from_millis(timeout_ms));
        self
    }

    /// Sets the native members that a decision's `extra` may set, as a list of lists.
    #[must_use]
    pub const fn extra(mut self, lists: &'static [&'static [Extra]]) -> Self {
        self.extra = lists;
        self
    }

    /// Sets the function that returns why the agent ignores a change.
    #[must_use]
    pub const fn drops(mut self, drops: fn(&HookEvent, &Change) -> Option<&'static str>) -> Self {
        self.drops = Some(drops);
        self
    }

    /// Sets the function that checks whether the agent accepts a response.
    #[must_use]
    pub const fn answers(mut self, answers: fn(&HookEvent, &Response) -> bool) -> Self {
        self.answers = Some(answers);
        self
    }

    /// Sets the function that withholds a result, for agents that show more of a result than its text part.
    #[must_use]
    pub const fn withhold(mut self, withhold: fn(&HookEvent, &str) -> Option<Raw>) -> Self {
        self.withhold = Some(withhold);
        self
    }

    /// Marks the reply on stdout as a line of text.
    #[must_use]
    pub const fn plain(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Marks a failure reported by this event as one of a tool that did not run.
    #[must_use]
    pub const fn unrun(mut self) -> Self {
        self.unrun = true;
        self
    }

    /// Sets the limits that a hook cannot close.
    #[must_use]
    pub const fn open(mut self, sentences: &'static [&'static str]) -> Self {
        self.open = sentences;
        self
    }

    /// Sets the limits that a hook cannot close on some of the hosts.
    #[must_use]
    pub const fn open_on(mut self, sentences: &'static [(&'static [&'static str], &'static str)]) -> Self {
        self.open_on = sentences;
        self
    }

    /// Sets the name in a registration that subscribes to this event, if it is not the event's own name.
    #[must_use]
    pub const fn brought_by(mut self, word: &'static str) -> Self {
        self.brought_by = word;
        self
    }

    /// Returns true if a reply has this power.
    pub fn can(&self, power: Power) -> bool {
        self.can.contains(&power)
    }

    /// Returns true if a refusal must block: on a gate, unless the event ends a turn (V10).
    pub fn gates(&self) -> bool {
        self.gating && !self.kind.ends_turn()
    }

    /// Returns the limits of this event on every host.
    pub fn opens(&self) -> impl Iterator<Item = &'static str> {
        self.opens_where(|_| true)
    }

    /// Returns the limits of this event on the hosts for which `is_meant` returns true.
    pub fn opens_where(&self, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
        let somewhere = self.hosts.is_empty() || self.hosts.iter().any(|id| is_meant(id));
        let on = self.open_on.iter().filter(move |(hosts, _)| hosts.iter().any(|id| is_meant(id)));
        on.map(|(_, sentence)| *sentence).chain(self.open.iter().copied().filter(move |_| somewhere))
    }

    /// Returns the native members that a reply may have.
    pub fn extras(&self) -> impl Iterator<Item = &'static Extra> {
        self.extra.iter().copied().flatten()
    }

    /// Returns a name that is unique among the rows of one agent.
    pub fn key(&self) -> String {
        let roles: Vec<_> = self.roles.iter().map(|role| format!("{role:?}").to_lowercase()).collect();
        [self.native, &self.dialects.join("+"), &roles.join("+"), self.case.unwrap_or_default()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(".")
    }
}

/// A native member of a reply: one that the model has no field for. A decision for this agent sets it in
/// [`Decision::extra`](crate::model::Decision).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Extra {
    /// JSON pointer to the member in the reply; the last segment is the key.
    pub at: &'static str,
    /// The values that the agent accepts; any other value would invalidate the whole reply.
    pub takes: Want,
    /// The verdicts with which the member is sent; empty: all that do not block.
    pub with: &'static [VerdictKind],
    /// True if the member is sent only in a reply that contains nothing else.
    pub alone: bool,
}

impl Extra {
    /// Describes a member that is sent with every verdict that does not block.
    pub const fn new(at: &'static str, takes: Want) -> Self {
        Self { at, takes, with: &[], alone: false }
    }

    /// Sets the verdicts with which the member is sent.
    #[must_use]
    pub const fn with(mut self, verdicts: &'static [VerdictKind]) -> Self {
        self.with = verdicts;
        self
    }

    /// Marks a member that makes the agent ignore the rest of the reply.
    #[must_use]
    pub const fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    /// Returns the key by which a decision sets the member.
    pub fn key(&self) -> &'static str {
        self.at.rsplit('/').next().unwrap_or_default()
    }

    /// Returns true if the member is sent with this verdict.
    pub fn goes_with(&self, verdict: VerdictKind) -> bool {
        if self.with.is_empty() { !verdict.blocks() } else { self.with.contains(&verdict) }
    }
}

/// One thing that a reply can do on an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Power {
    /// Approve, so that the agent does not ask the user.
    Allow,
    /// Make the agent ask the user.
    Ask,
    /// A reply without an opinion makes the agent ask the user: the event fires because the agent is about to ask.
    SilenceAsks,
    /// Leave the question to a second gate for the same call, which runs later.
    AskLater,
    /// Block; the turn continues.
    Deny,
    /// Provide a result in place of the tool.
    Respond,
    /// Provide a result with text for the user, silence, an error flag, media and the handled flag.
    RespondDetails,
    /// End the turn.
    Abort,
    /// End the turn and undo it.
    HardAbort,
    /// Make the agent continue at the end of a turn.
    KeepGoing,
    /// Replace a part of the event.
    Change(Target),
    /// The agent accepts a change of the input only together with an approval.
    ChangeNeedsAllow,
    /// The agent accepts an approval only together with a change of the input.
    AllowNeedsChange,
    /// Add text for the model to a verdict that does not block.
    Context,
    /// Add text for the model to a block.
    ContextOnBlock,
    /// Add text for the model at the end of a turn, if the reply makes the agent continue.
    ContextOnKeepGoing,
    /// Show text to the user with a verdict that does not block.
    Notice,
    /// Show text to the user with a block.
    NoticeOnBlock,
    /// Provide the summary of a compacted conversation.
    Summary,
}

/// The agent's behaviour when the hook crashes, is killed, prints invalid output or times out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "an agent continues or blocks")]
pub enum Fails {
    /// It continues as if there were no hook.
    Open,
    /// It blocks.
    Closed,
}
