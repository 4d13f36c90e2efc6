//! The other side of the wire: what an agent would send, and what it does with an answer.

use crate::Raw;
use crate::model::{HookEvent, Reply, Target};
use crate::protocol::EventRow;
use crate::raw::Keys;

/// Plays an agent: sends what it would send, and does what it was seen to do with an answer.
pub trait HostSide {
    /// Writes the event as this agent would send it, from the model alone.
    fn present(&self, event: &HookEvent) -> String;

    /// Says what the agent does with an answer, from the effects of the event's row.
    ///
    /// `host` is one of the row's hosts. An answer that matches no effect is
    /// [`Does::Unmeasured`], never guessed.
    fn interpret(&self, event: &HookEvent, host: &str, reply: &Reply) -> Outcome {
        interpret(event, host, reply)
    }
}

/// Names what an agent does after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Does {
    /// No opinion was heard: its own permission flow goes on.
    Flow,
    /// It goes on without asking.
    Approves,
    /// It asks the person.
    Asks,
    /// It does not do it; the turn goes on.
    Blocks,
    /// It takes our text in the tool's place.
    Responds,
    /// It does not do it and ends the turn.
    Stops,
    /// It does not do it, ends the turn and undoes it.
    StopsHard,
    /// It does it, and ends the turn afterwards.
    RunsThenStops,
    /// It goes on working at the end of a turn.
    Continues,
    /// It does not start.
    RefusesStart,
    /// Nobody has seen what it does with such an answer.
    Unmeasured,
}

impl Does {
    /// Whether what was judged does not happen.
    pub fn blocks(self) -> bool {
        matches!(self, Self::Blocks | Self::Responds | Self::Stops | Self::StopsHard | Self::RefusesStart)
    }

    /// The word of the outcome tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flow => "flow",
            Self::Approves => "approves",
            Self::Asks => "asks",
            Self::Blocks => "blocks",
            Self::Responds => "responds",
            Self::Stops => "stops",
            Self::StopsHard => "stops_hard",
            Self::RunsThenStops => "runs_then_stops",
            Self::Continues => "continues",
            Self::RefusesStart => "refuses_start",
            Self::Unmeasured => "unmeasured",
        }
    }
}

/// Holds what an agent does after an answer, and what of the answer it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// What it does.
    pub does: Does,
    /// New values that it takes over.
    pub changes: Vec<(Target, Raw)>,
    /// Texts that it passes on: to the model, the user, or as a reason.
    pub texts: Vec<(Rider, String)>,
    /// How the cell was learnt; absent: unmeasured.
    pub mark: Option<Mark>,
}

impl Outcome {
    /// The new value of a target.
    pub fn change(&self, target: Target) -> Option<&Raw> {
        self.changes.iter().find(|(of, _)| *of == target).map(|(_, value)| value)
    }

    /// A text that it passes on.
    pub fn text(&self, rider: Rider) -> Option<&str> {
        self.texts.iter().find(|(of, _)| *of == rider).map(|(_, text)| text.as_str())
    }
}

/// Describes one measured effect: an answer that looks like this does that.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Effect {
    /// The hosts it holds for; empty: all of the row.
    pub hosts: &'static [&'static str],
    /// The exit code; absent: any.
    pub exit: Option<u8>,
    /// What the answer says; all must hold.
    pub says: &'static [(&'static str, Want)],
    /// What the agent does.
    pub does: Does,
    /// How this was learnt.
    pub mark: Mark,
    /// Whether the agent throws the whole answer away: nothing else in it takes effect.
    pub void: bool,
}

impl Effect {
    /// An answer at exit 0 in which all of this holds.
    pub const fn says(says: &'static [(&'static str, Want)], does: Does, mark: Mark) -> Self {
        Self { hosts: &[], exit: Some(0), says, does, mark, void: false }
    }

    /// Any answer with this exit code in which all of this holds.
    pub const fn exit(exit: u8, says: &'static [(&'static str, Want)], does: Does, mark: Mark) -> Self {
        Self { hosts: &[], exit: Some(exit), says, does, mark, void: false }
    }

    /// An answer in which all of this holds, whatever the exit code.
    pub const fn any(says: &'static [(&'static str, Want)], does: Does, mark: Mark) -> Self {
        Self { hosts: &[], exit: None, says, does, mark, void: false }
    }

    /// Every answer that no earlier effect describes.
    pub const fn otherwise(does: Does, mark: Mark) -> Self {
        Self { hosts: &[], exit: None, says: &[], does, mark, void: false }
    }

    /// Says that nothing else in such an answer takes effect.
    #[must_use]
    pub const fn void(mut self) -> Self {
        self.void = true;
        self
    }

    /// Limits the effect to some hosts.
    #[must_use]
    pub const fn on(mut self, hosts: &'static [&'static str]) -> Self {
        self.hosts = hosts;
        self
    }
}

/// What an answer must say at a place: a JSON pointer into stdout, or `stdout` or `stderr` whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Want {
    /// Exactly this text.
    Word(&'static str),
    /// Any text that is not blank.
    Text,
    /// Any value but `null`.
    Some,
    /// An object.
    Object,
    /// Nothing, or `null`; for `stdout` and `stderr`: blank.
    Nothing,
    /// This truth value.
    Bool(bool),
    /// The name of the event.
    EventName,
    /// The request's id, as the same number.
    SameId,
    /// Arguments with which the event's tool cannot be called: one that it requires is missing or of
    /// another type.
    Misfit,
    /// Whatever the other does not describe; that nothing is there too.
    Not(&'static Self),
    /// What one of these describes.
    Any(&'static [Self]),
    /// An array with something in it.
    Filled,
    /// An array in which everything is what the other describes.
    Each(&'static Self),
    /// Text that begins as an object and is not one JSON object.
    Broken,
    /// Text that does not begin as an object.
    Plain,
}

impl Want {
    /// Whether this is what stands at a place in an answer to the event.
    pub fn describes(self, value: Option<&Raw>, event: &HookEvent) -> bool {
        let text = || value.and_then(Raw::text).map(|text| text.value);
        match self {
            Self::Word(word) => text().as_deref() == Some(word),
            Self::Text => text().is_some_and(|text| !text.trim().is_empty()),
            Self::Some => value.is_some(),
            Self::Object => value.is_some_and(|value| value.object().is_ok()),
            Self::Nothing => value.is_none(),
            Self::Bool(is) => value.and_then(Raw::bool) == Some(is),
            Self::EventName => text().as_deref() == Some(&event.native),
            Self::SameId => value.is_some() && value == event.raw.at("/id").as_ref(),
            Self::Misfit => value
                .zip(event.call())
                .is_some_and(|(input, call)| call.with_input(event.agent, input.clone()).is_none()),
            Self::Not(other) => !other.describes(value, event),
            Self::Any(others) => others.iter().any(|other| other.describes(value, event)),
            Self::Filled => value.is_some_and(|value| value.array().is_ok_and(|items| !items.is_empty())),
            Self::Each(other) => value
                .and_then(|value| value.array().ok())
                .is_some_and(|items| items.iter().all(|item| other.describes(Some(item), event))),
            Self::Broken => text().is_some_and(|text| text.starts_with('{') && Raw::document(text).object().is_err()),
            Self::Plain => text().is_some_and(|text| !text.starts_with('{')),
        }
    }
}

/// Describes a member of an answer that takes effect beside the verdict.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Carry {
    /// JSON pointer into stdout, or `stderr`.
    pub at: &'static str,
    /// What becomes of it.
    pub rider: Rider,
    /// Only where this holds too.
    pub only: &'static [(&'static str, Want)],
    /// Only on these hosts; empty: all of the row.
    pub hosts: &'static [&'static str],
    /// Only beside these exit codes.
    pub exit: Exit,
}

impl Carry {
    /// A member that takes effect wherever it stands.
    pub const fn new(at: &'static str, rider: Rider) -> Self {
        Self { at, rider, only: &[], hosts: &[], exit: Exit::Any }
    }

    /// Limits it to answers with some exit codes.
    #[must_use]
    pub const fn with(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Limits it to answers that say something else too.
    #[must_use]
    pub const fn only(mut self, only: &'static [(&'static str, Want)]) -> Self {
        self.only = only;
        self
    }

    /// Limits it to some hosts.
    #[must_use]
    pub const fn on(mut self, hosts: &'static [&'static str]) -> Self {
        self.hosts = hosts;
        self
    }
}

/// Names the exit codes beside which a member of an answer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "success, failure, or one code")]
pub enum Exit {
    /// Whatever the code is.
    Any,
    /// 0 only.
    Zero,
    /// Any but 0.
    Failing,
    /// This one.
    Is(u8),
}

impl Exit {
    fn takes(self, exit: u8) -> bool {
        match self {
            Self::Any => true,
            Self::Zero => exit == 0,
            Self::Failing => exit != 0,
            Self::Is(code) => exit == code,
        }
    }
}

/// Names what an agent takes from an answer beside the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rider {
    /// A new value.
    Change(Target),
    /// Text for the model.
    Context,
    /// Text for the user.
    Notice,
    /// The summary of a shortened conversation.
    Summary,
    /// The reason given with the verdict.
    Reason,
}

/// Says how a fact about an agent was learnt, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[expect(clippy::exhaustive_enums, reason = "the marks of the protocol pages")]
pub enum Mark {
    /// The whole program was driven.
    #[serde(rename = "prog")]
    Prog,
    /// Its hook code was run.
    #[serde(rename = "run")]
    Run,
    /// A transcription of its hook code was run.
    #[serde(rename = "run-t")]
    RunT,
    /// Its source was read.
    #[serde(rename = "src")]
    Src,
    /// Its documentation says so.
    #[serde(rename = "doc")]
    Doc,
    /// Nobody knows.
    #[serde(rename = "guess")]
    Guess,
}

/// What the effects of the event's row say.
pub(crate) fn interpret(event: &HookEvent, host: &str, reply: &Reply) -> Outcome {
    let row = event.row;
    let answer = Answer { event, reply, document: Raw::document(reply.stdout.as_str()) };
    let here = |hosts: &[&str]| hosts.is_empty() || hosts.contains(&host);
    let holds = |says: &[(&str, Want)]| says.iter().all(|(at, want)| answer.says(at, *want));
    let void = reply.exit == 0
        && !row.knows.is_empty()
        && answer.document.object().is_ok()
        && !known(row, &answer.document, "");
    let effect = row.effects.iter().find(|effect| {
        here(effect.hosts)
            && effect.exit.is_none_or(|exit| exit == reply.exit)
            && if void { effect.says.is_empty() && effect.exit.is_none() } else { holds(effect.says) }
    });
    let Some(effect) = effect else {
        return Outcome { does: Does::Unmeasured, changes: Vec::new(), texts: Vec::new(), mark: None };
    };
    let mut outcome = Outcome { does: effect.does, changes: Vec::new(), texts: Vec::new(), mark: Some(effect.mark) };
    let void = void || effect.void;
    let counts = |carry: &&Carry| {
        here(carry.hosts)
            && carry.exit.takes(reply.exit)
            && (carry.at != "stderr" || reply.exit != 0)
            && rides(carry.rider, effect.does)
            && holds(carry.only)
    };
    for carry in row.carries.iter().filter(|carry| !void && counts(carry)) {
        match (carry.rider, answer.value(carry.at)) {
            (Rider::Change(target), Some(value)) => outcome.changes.push((target, value)),
            (rider, Some(value)) => {
                let text = value.text().map_or_else(|| value.as_str().to_owned(), |text| text.value);
                outcome.texts.push((rider, text));
            }
            (_, None) => {}
        }
    }
    outcome
}

/// Whether a rider can take effect beside what the agent does: what does not happen is not changed,
/// and a reason goes with a verdict.
fn rides(rider: Rider, does: Does) -> bool {
    match rider {
        Rider::Change(Target::Result) | Rider::Context | Rider::Notice => true,
        Rider::Change(_) | Rider::Summary => !does.blocks(),
        Rider::Reason => !matches!(does, Does::Flow | Does::Approves),
    }
}

/// Whether every member of a document, at every level that the row describes, is one it knows.
fn known(row: &EventRow, document: &Raw, at: &str) -> bool {
    let Ok(object) = document.object() else { return true };
    object.members().all(|(key, value)| {
        let here = format!("{at}/{key}");
        let deeper = format!("{here}/");
        row.knows.contains(&here.as_str())
            || (row.knows.iter().any(|known| known.starts_with(&deeper)) && known(row, &value, &here))
    })
}

struct Answer<'a> {
    event: &'a HookEvent,
    reply: &'a Reply,
    document: Raw,
}

impl Answer<'_> {
    fn value(&self, at: &str) -> Option<Raw> {
        match at {
            "stdout" => Some(Raw::string(self.reply.stdout.trim())).filter(|_| !self.reply.stdout.trim().is_empty()),
            "stderr" => Some(Raw::string(self.reply.stderr.trim())).filter(|_| !self.reply.stderr.trim().is_empty()),
            pointer => self.at(pointer).filter(|value| !value.is_null()),
        }
    }

    /// Follows a pointer as the agent's own decoder reads keys.
    fn at(&self, pointer: &str) -> Option<Raw> {
        if self.event.agent.answer_keys == Keys::Exact {
            return self.document.at(pointer);
        }
        pointer.split('/').skip(1).try_fold(self.document.clone(), |here, step| match here.object() {
            Ok(object) => object.spelled(step).last(),
            Err(_) => here.at(&format!("/{step}")),
        })
    }

    fn says(&self, at: &str, want: Want) -> bool {
        want.describes(self.value(at).as_ref(), self.event)
    }
}
