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
    /// The meaning of the event.
    pub kind: EventKind,
    /// The messages to which this row applies.
    pub selector: RowSelector,
    /// The hosts that have this row: versions and modes of the agent.
    pub hosts: &'static [&'static str],
    /// True if the reply decides whether something happens, so a failure must block.
    pub gating: bool,
    /// The powers of a reply.
    pub can: &'static [Power],
    /// The contents of a reply.
    pub content: ReplyContent,
    /// The agent's behaviour when the hook fails.
    pub failure: HookFailure,
    /// True if a failure reported by this event means that the tool did not run.
    pub did_not_run: bool,
    /// The member with the error of a tool that failed; absent: the event has a result.
    pub error: Option<&'static str>,
    /// True if each reply adds the text for a session, because the agent keeps it for one turn only.
    pub repeats_session_context: bool,
    /// The limits of this event that a hook cannot close.
    pub known_limits: &'static [KnownLimit],
    /// Writes the reply.
    pub reply: ReplyWriter,
}

/// The messages of an event to which one of its rows applies, and the registration that brings them.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RowSelector {
    /// The dialects; empty: all.
    pub dialects: &'static [&'static str],
    /// The roles of a registered command line; empty: all.
    pub roles: &'static [Role],
    /// Selects one of several rows of the same name by the contents of the message; absent: the usual row.
    pub case: Option<&'static str>,
    /// The member whose absence from the message is the case; absent: the adapter determines the case.
    pub without: Option<&'static str>,
    /// The name in a registration that subscribes to the event; absent: the event's own name.
    pub subscribed_as: Option<&'static str>,
    /// The tool whose calls the event is about; absent: each message names its tool.
    pub tool: Option<ToolOfEvent>,
}

/// The tool whose calls an event is about, for messages that do not name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOfEvent {
    /// The name in the table of tools.
    pub name: &'static str,
    /// True if the arguments are members of the message itself.
    pub is_flat: bool,
}

/// The contents of a reply beside its verdict, and what the agent rejects of them.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ReplyContent {
    /// The native members that [`Decision::extra`](crate::model::Decision) may set, as a list of lists.
    pub extra: &'static [&'static [Extra]],
    /// True if the reply on stdout is text instead of a JSON document.
    pub plain_text: bool,
    /// Returns the reason for which the agent would ignore a change. It is called for the targets that the event can
    /// change, with a value of the type that every agent expects.
    pub rejects: Option<fn(&HookEvent, &Change) -> Option<&'static str>>,
    /// Returns true if the agent accepts a response; absent: every response is accepted.
    pub accepts_response: Option<fn(&HookEvent, &Response) -> bool>,
    /// Writes a result that contains only the reason for which the real result is withheld; absent: the text part of
    /// the real result is replaced. Returns `None` if no such result can be written.
    pub withheld_result: Option<fn(&HookEvent, &str) -> Option<Raw>>,
}

/// The agent's behaviour when the hook crashes, is killed, prints invalid output or exceeds the time limit.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct HookFailure {
    /// The effect on the event.
    pub effect: Fails,
    /// The agent's default time limit; absent: not known.
    pub timeout: Option<Duration>,
}

/// A limit of an event that a hook cannot close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownLimit {
    /// The limit, as a sentence.
    pub sentence: &'static str,
    /// The hosts that have the limit; empty: all hosts of the row.
    pub hosts: &'static [&'static str],
}

impl KnownLimit {
    /// Describes a limit on all hosts of a row.
    pub const fn new(sentence: &'static str) -> Self {
        Self { sentence, hosts: &[] }
    }

    /// Describes a limit on some hosts.
    pub const fn on(hosts: &'static [&'static str], sentence: &'static str) -> Self {
        Self { sentence, hosts }
    }
}

impl EventRow {
    /// Creates the row of an event that is not a gate: the agent fails open and a reply has no powers.
    pub const fn new(native: &'static str, kind: EventKind, reply: ReplyWriter) -> Self {
        Self {
            native,
            kind,
            selector: RowSelector {
                dialects: &[],
                roles: &[],
                case: None,
                without: None,
                subscribed_as: None,
                tool: None,
            },
            hosts: &[],
            gating: false,
            can: &[],
            content: ReplyContent {
                extra: &[],
                plain_text: false,
                rejects: None,
                accepts_response: None,
                withheld_result: None,
            },
            failure: HookFailure { effect: Fails::Open, timeout: None },
            did_not_run: false,
            error: None,
            repeats_session_context: false,
            known_limits: &[],
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
        self.selector.dialects = dialects;
        self
    }

    /// Restricts the row to some roles of the registered command line.
    #[must_use]
    pub const fn roles(mut self, roles: &'static [Role]) -> Self {
        self.selector.roles = roles;
        self
    }

    /// Sets the case of the message that selects this row.
    #[must_use]
    pub const fn case(mut self, case: &'static str) -> Self {
        self.selector.case = Some(case);
        self
    }

    /// Sets the case of a message that lacks a member.
    #[must_use]
    pub const fn case_without(mut self, case: &'static str, member: &'static str) -> Self {
        self.selector.case = Some(case);
        self.selector.without = Some(member);
        self
    }

    /// Sets the name in a registration that subscribes to this event, if it is not the event's own name.
    #[must_use]
    pub const fn subscribed_as(mut self, name: &'static str) -> Self {
        self.selector.subscribed_as = Some(name);
        self
    }

    /// Sets the tool whose calls the event is about. The messages have its arguments in the usual member.
    #[must_use]
    pub const fn of_tool(mut self, name: &'static str) -> Self {
        self.selector.tool = Some(ToolOfEvent { name, is_flat: false });
        self
    }

    /// Sets the tool whose calls the event is about. Its arguments are members of the message itself.
    #[must_use]
    pub const fn of_flat_tool(mut self, name: &'static str) -> Self {
        self.selector.tool = Some(ToolOfEvent { name, is_flat: true });
        self
    }

    /// Sets the measured hosts.
    #[must_use]
    pub const fn hosts(mut self, hosts: &'static [&'static str]) -> Self {
        self.hosts = hosts;
        self
    }

    /// Adds the text for a session to each reply, for an agent without an event for the start of a session.
    #[must_use]
    pub const fn repeats_session_context(mut self) -> Self {
        self.repeats_session_context = true;
        self
    }

    /// Returns true if a reply adds the text for a session.
    pub fn takes_session_context(&self) -> bool {
        (self.kind == EventKind::SessionStart || self.repeats_session_context) && self.can(Power::Context)
    }

    /// States that the agent blocks the event when the hook fails.
    #[must_use]
    pub const fn fails_closed(mut self) -> Self {
        self.failure.effect = Fails::Closed;
        self
    }

    /// Sets the agent's default time limit.
    #[must_use]
    pub const fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.failure.timeout = Some(Duration::from_millis(timeout_ms));
        self
    }

    /// Sets the native members that a decision's `extra` may set, as a list of lists.
    #[must_use]
    pub const fn extra(mut self, lists: &'static [&'static [Extra]]) -> Self {
        self.content.extra = lists;
        self
    }

    /// Sets the function that returns why the agent ignores a change.
    #[must_use]
    pub const fn rejects(mut self, reason: fn(&HookEvent, &Change) -> Option<&'static str>) -> Self {
        self.content.rejects = Some(reason);
        self
    }

    /// Sets the function that checks whether the agent accepts a response.
    #[must_use]
    pub const fn accepts_response(mut self, accepts: fn(&HookEvent, &Response) -> bool) -> Self {
        self.content.accepts_response = Some(accepts);
        self
    }

    /// Sets the function that withholds a result, for agents that show more of a result than its text part.
    #[must_use]
    pub const fn withheld_result(mut self, result: fn(&HookEvent, &str) -> Option<Raw>) -> Self {
        self.content.withheld_result = Some(result);
        self
    }

    /// Marks the reply on stdout as text.
    #[must_use]
    pub const fn plain_text(mut self) -> Self {
        self.content.plain_text = true;
        self
    }

    /// Marks a failure reported by this event as one of a tool that did not run.
    #[must_use]
    pub const fn did_not_run(mut self) -> Self {
        self.did_not_run = true;
        self
    }

    /// Sets the member with the error, for an event after a tool that failed.
    #[must_use]
    pub const fn error(mut self, key: &'static str) -> Self {
        self.error = Some(key);
        self
    }

    /// Sets the limits that a hook cannot close.
    #[must_use]
    pub const fn known_limits(mut self, limits: &'static [KnownLimit]) -> Self {
        self.known_limits = limits;
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

    /// Returns true if the agent reports calls of the tool with this name on the event.
    pub fn is_about(&self, tool: &str) -> bool {
        self.selector.tool.is_none_or(|of| of.name == tool)
    }

    /// Returns true if the row applies to a command line in this role.
    pub fn is_in_role(&self, role: Role) -> bool {
        self.selector.roles.is_empty() || self.selector.roles.contains(&role)
    }

    /// Returns the name in a registration that subscribes to the event.
    pub fn registered_name(&self) -> &'static str {
        self.selector.subscribed_as.unwrap_or(self.native)
    }

    /// Returns the limits of this event on every host, as sentences.
    pub fn all_limits(&self) -> impl Iterator<Item = &'static str> {
        self.limits_on_hosts(|_| true)
    }

    /// Returns the limits of this event on the hosts for which `is_meant` returns true, as sentences.
    pub fn limits_on_hosts(&self, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
        let applies = move |limit: &&KnownLimit| {
            let hosts = if limit.hosts.is_empty() { self.hosts } else { limit.hosts };
            hosts.is_empty() || hosts.iter().any(|id| is_meant(id))
        };
        self.known_limits.iter().filter(applies).map(|limit| limit.sentence)
    }

    /// Returns the native members that a reply may have.
    pub fn extras(&self) -> impl Iterator<Item = &'static Extra> {
        self.content.extra.iter().copied().flatten()
    }

    /// Returns a name that is unique among the rows of one agent.
    pub fn key(&self) -> String {
        let RowSelector { dialects, roles, case, .. } = self.selector;
        let roles: Vec<_> = roles.iter().map(|role| format!("{role:?}").to_lowercase()).collect();
        [self.native, &dialects.join("+"), &roles.join("+"), case.unwrap_or_default()]
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
    pub exclusive: bool,
}

impl Extra {
    /// Describes a member that is sent with every verdict that does not block.
    pub const fn new(at: &'static str, takes: Want) -> Self {
        Self { at, takes, with: &[], exclusive: false }
    }

    /// Sets the verdicts with which the member is sent.
    #[must_use]
    pub const fn with(mut self, verdicts: &'static [VerdictKind]) -> Self {
        self.with = verdicts;
        self
    }

    /// Marks a member that makes the agent ignore the rest of the reply.
    #[must_use]
    pub const fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Returns the key by which a decision sets the member.
    pub fn key(&self) -> &'static str {
        self.at.rsplit('/').next().unwrap_or_default()
    }

    /// Returns true if the member is sent with this verdict.
    pub fn allows_verdict(&self, verdict: VerdictKind) -> bool {
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
    /// Name another tool in a change of the input.
    ChangeTool,
    /// The agent accepts a change of the input only together with an approval.
    ChangeNeedsAllow,
    /// The agent accepts an approval only together with a change of the input.
    AllowNeedsChange,
    /// The agent drops a change of the input that comes together with a question to the user.
    AskDropsChange,
    /// Add text for the model to a verdict that does not block.
    Context,
    /// Add text for the model to a verdict that does not block, in a reply without a change.
    ContextWithoutChange,
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

/// The effect of a failed hook on the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "an agent continues or blocks")]
pub enum Fails {
    /// It continues as if there were no hook.
    Open,
    /// It blocks.
    Closed,
}
