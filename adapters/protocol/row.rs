//! One event of one agent, as data.

use super::Role;
use crate::Raw;
use crate::fit::Fitted;
use crate::host::{Carry, Effect, Want};
use crate::model::{Change, EventKind, HookEvent, Reply, Response, Target, VerdictKind};

/// Writes a fitted decision in the agent's own form.
pub type ReplyWriter = fn(&HookEvent, &Fitted) -> Reply;

/// Describes one event of one agent: what it means, what an answer can do, what failure does.
///
/// Built with [`EventRow::new`] and one setter per fact, all `const`, so that a table is a `static`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EventRow {
    /// The agent's own name of the event.
    pub native: &'static str,
    /// The dialects that have this row; empty: all.
    pub dialects: &'static [&'static str],
    /// The roles of a registered line that use this row; empty: all.
    pub roles: &'static [Role],
    /// Which of several rows of the same name, chosen by the payload; empty: the usual one.
    pub case: &'static str,
    /// The measured hosts whose effects this row carries.
    pub hosts: &'static [&'static str],
    /// What the event means.
    pub kind: EventKind,
    /// Whether something happens or not by our answer, so that failure must block.
    pub gating: bool,
    /// What an answer can do.
    pub can: &'static [Power],
    /// What the agent does when our hook fails.
    pub fails: Fails,
    /// The agent's default time limit in milliseconds; 0: none.
    pub timeout_ms: u32,
    /// Native members of an answer that [`Decision::extra`](crate::model::Decision) may set, list by
    /// list.
    pub extra: &'static [&'static [Extra]],
    /// Says why the agent would ignore a change, where it takes such changes at all.
    pub drops: Option<fn(&HookEvent, &Change) -> Option<&'static str>>,
    /// Which texts the agent takes as an answer; absent: any.
    pub answers: Option<fn(&HookEvent, &Response) -> bool>,
    /// Writes the result that says only why the real one is withheld; absent: the real one with its
    /// text part replaced. `None` where no such result can be written.
    pub withhold: Option<fn(&HookEvent, &str) -> Option<Raw>>,
    /// Whether the answer on stdout is a line of text instead of a JSON document.
    pub plain: bool,
    /// Whether a failure that is reported here says that the tool did not run.
    pub unrun: bool,
    /// What no hook can stop here, one sentence each.
    pub open: &'static [&'static str],
    /// What no hook can stop on some of the hosts only.
    pub open_on: &'static [(&'static [&'static str], &'static str)],
    /// What the agent does with an answer, most specific first.
    pub effects: &'static [Effect],
    /// Which members of an answer take effect beside the verdict.
    pub carries: &'static [Carry],
    /// Every member the agent accepts, where one more voids the answer; empty: it ignores others.
    pub knows: &'static [&'static str],
    /// The word in a registration that brings this event; empty: its own name.
    pub brought_by: &'static str,
    /// Writes the answer.
    pub reply: ReplyWriter,
}

impl EventRow {
    /// Describes an event that blocks nothing: the agent fails open, an answer can do nothing.
    pub const fn new(native: &'static str, kind: EventKind, reply: ReplyWriter) -> Self {
        Self {
            native,
            dialects: &[],
            roles: &[],
            case: "",
            hosts: &[],
            kind,
            gating: false,
            can: &[],
            fails: Fails::Open,
            timeout_ms: 0,
            extra: &[],
            drops: None,
            answers: None,
            withhold: None,
            plain: false,
            unrun: false,
            open: &[],
            open_on: &[],
            effects: &[],
            carries: &[],
            knows: &[],
            brought_by: "",
            reply,
        }
    }

    /// Says that our answer decides whether something happens.
    #[must_use]
    pub const fn gate(mut self) -> Self {
        self.gating = true;
        self
    }

    /// Lists what an answer can do.
    #[must_use]
    pub const fn can_do(mut self, powers: &'static [Power]) -> Self {
        self.can = powers;
        self
    }

    /// Limits the row to some dialects.
    #[must_use]
    pub const fn dialects(mut self, dialects: &'static [&'static str]) -> Self {
        self.dialects = dialects;
        self
    }

    /// Limits the row to some roles of the registered line.
    #[must_use]
    pub const fn roles(mut self, roles: &'static [Role]) -> Self {
        self.roles = roles;
        self
    }

    /// Names the case of the payload that chooses this row.
    #[must_use]
    pub const fn case(mut self, case: &'static str) -> Self {
        self.case = case;
        self
    }

    /// Lists the measured hosts.
    #[must_use]
    pub const fn hosts(mut self, hosts: &'static [&'static str]) -> Self {
        self.hosts = hosts;
        self
    }

    /// Says what the agent does when our hook fails.
    #[must_use]
    pub const fn fails(mut self, fails: Fails) -> Self {
        self.fails = fails;
        self
    }

    /// Sets the agent's default time limit.
    #[must_use]
    pub const fn timeout_ms(mut self, timeout_ms: u32) -> Self {
        self.timeout_ms = timeout_ms;
        self
    }

    /// Lists the native members that a decision's `extra` may set, list by list.
    #[must_use]
    pub const fn extra(mut self, lists: &'static [&'static [Extra]]) -> Self {
        self.extra = lists;
        self
    }

    /// Says which changes the agent ignores.
    #[must_use]
    pub const fn drops(mut self, drops: fn(&HookEvent, &Change) -> Option<&'static str>) -> Self {
        self.drops = Some(drops);
        self
    }

    /// Says which texts the agent takes as an answer in the tool's or the person's place.
    #[must_use]
    pub const fn answers(mut self, answers: fn(&HookEvent, &Response) -> bool) -> Self {
        self.answers = Some(answers);
        self
    }

    /// Says how a result is withheld, where replacing its text part would leave something of it.
    #[must_use]
    pub const fn withhold(mut self, withhold: fn(&HookEvent, &str) -> Option<Raw>) -> Self {
        self.withhold = Some(withhold);
        self
    }

    /// Says that the answer on stdout is a line of text.
    #[must_use]
    pub const fn plain(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Says that a failure that is reported here is that of a tool that did not run.
    #[must_use]
    pub const fn unrun(mut self) -> Self {
        self.unrun = true;
        self
    }

    /// Says what stays open.
    #[must_use]
    pub const fn open(mut self, sentences: &'static [&'static str]) -> Self {
        self.open = sentences;
        self
    }

    /// Says what stays open on some of the hosts.
    #[must_use]
    pub const fn open_on(mut self, sentences: &'static [(&'static [&'static str], &'static str)]) -> Self {
        self.open_on = sentences;
        self
    }

    /// Gives the measured effects.
    #[must_use]
    pub const fn effects(mut self, effects: &'static [Effect], carries: &'static [Carry]) -> Self {
        self.effects = effects;
        self.carries = carries;
        self
    }

    /// Lists every member the agent accepts.
    #[must_use]
    pub const fn knows(mut self, pointers: &'static [&'static str]) -> Self {
        self.knows = pointers;
        self
    }

    /// Says which word in a registration brings this event, where that is not its own name.
    #[must_use]
    pub const fn brought_by(mut self, word: &'static str) -> Self {
        self.brought_by = word;
        self
    }

    /// Whether an answer can do this.
    pub fn can(&self, power: Power) -> bool {
        self.can.contains(&power)
    }

    /// Whether a refusal must block here: gates do, the end of a turn never (V10).
    pub fn gates(&self) -> bool {
        self.gating && !self.kind.ends_turn()
    }

    /// What no hook can stop here, on whichever host.
    pub fn opens(&self) -> impl Iterator<Item = &'static str> {
        self.opens_where(|_| true)
    }

    /// What no hook can stop here on one of the hosts for which `is_meant` holds.
    pub fn opens_where(&self, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
        let somewhere = self.hosts.is_empty() || self.hosts.iter().any(|id| is_meant(id));
        let on = self.open_on.iter().filter(move |(hosts, _)| hosts.iter().any(|id| is_meant(id)));
        on.map(|(_, sentence)| *sentence).chain(self.open.iter().copied().filter(move |_| somewhere))
    }

    /// The native members that an answer may have.
    pub fn extras(&self) -> impl Iterator<Item = &'static Extra> {
        self.extra.iter().copied().flatten()
    }

    /// A name that is unique among the rows of one agent.
    pub fn key(&self) -> String {
        let roles: Vec<_> = self.roles.iter().map(|role| format!("{role:?}").to_lowercase()).collect();
        [self.native, &self.dialects.join("+"), &roles.join("+"), self.case]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(".")
    }
}

/// Describes a native member of an answer: one that the model has no word for, and that a decision
/// for this agent can set as [`Decision::extra`](crate::model::Decision).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Extra {
    /// Where it stands in the answer, as a JSON pointer; the last step is the key.
    pub at: &'static str,
    /// The values that the agent takes; with another it would throw the whole answer away.
    pub takes: Want,
    /// The verdicts beside which it is said; empty: all that do not block.
    pub with: &'static [VerdictKind],
    /// Whether it is said only where the answer says nothing else.
    pub alone: bool,
}

impl Extra {
    /// A member that is said beside every verdict that does not block.
    pub const fn new(at: &'static str, takes: Want) -> Self {
        Self { at, takes, with: &[], alone: false }
    }

    /// Says beside which verdicts it is said.
    #[must_use]
    pub const fn with(mut self, verdicts: &'static [VerdictKind]) -> Self {
        self.with = verdicts;
        self
    }

    /// Says that the agent ignores the rest of an answer with this member.
    #[must_use]
    pub const fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    /// The name by which a decision sets it.
    pub fn key(&self) -> &'static str {
        self.at.rsplit('/').next().unwrap_or_default()
    }

    /// Whether it is said beside this verdict.
    pub fn goes_with(&self, verdict: VerdictKind) -> bool {
        if self.with.is_empty() { !verdict.blocks() } else { self.with.contains(&verdict) }
    }
}

/// Names one thing that an answer can do on an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Power {
    /// Approve, so that the agent does not ask the person.
    Allow,
    /// Have the person asked.
    Ask,
    /// No opinion means that the person is asked: the event fires because the agent is about to.
    SilenceAsks,
    /// Leave asking to the second gate behind this line.
    AskLater,
    /// Block, the turn goes on.
    Deny,
    /// Give a result in the tool's place.
    Respond,
    /// Give it with text for the user, silence, error flag, media and the handled mark.
    RespondDetails,
    /// End the turn.
    Abort,
    /// End the turn and undo it.
    HardAbort,
    /// Make the agent go on at the end of a turn.
    KeepGoing,
    /// Replace what the event is about.
    Change(Target),
    /// A change of the input is taken only together with an approval.
    ChangeNeedsAllow,
    /// An approval is taken only together with a change of the input.
    AllowNeedsChange,
    /// Give the model text, beside a verdict that does not block.
    Context,
    /// Give the model text beside a block too.
    ContextOnBlock,
    /// Give the model text at the end of a turn, where it goes on because we said so.
    ContextOnKeepGoing,
    /// Show the user text, beside a verdict that does not block.
    Notice,
    /// Show the user text beside a block too.
    NoticeOnBlock,
    /// Provide the summary of a shortened conversation.
    Summary,
}

/// Says what the agent does when our hook crashes, is killed, prints rubbish or is too slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "it goes on or it does not")]
pub enum Fails {
    /// It goes on as if there were no hook.
    Open,
    /// It blocks.
    Closed,
}
