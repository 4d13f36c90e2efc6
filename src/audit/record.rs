//! One line of the log.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use sha2::{Digest, Sha256};
use snaphook_adapters::fit::{Fitted, Loss};
use snaphook_adapters::model::{Action, Command, HookEvent, Reply, Target, ToolCall, VerdictKind};

use crate::policy::{Cause, PartSaid};

/// Holds what one call was and what came of it. The fields are the log's, version 1.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// Version of this form.
    pub schema: u8,
    /// When the answer was ready, RFC 3339 in UTC with milliseconds.
    pub time: String,
    /// Seven characters that `snaphook why` takes.
    pub id: String,
    /// The agent on the registered line.
    pub agent: String,
    /// The dialect that the payload showed; absent: the agent has one, or it was not understood.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub dialect: &'static str,
    /// The agent's own name of the event; empty where it could not be read.
    pub event: String,
    /// The agent's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tool's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// SHA-256 of what was judged: the tool's name and its actions, such as the command or the paths; for
    /// a tool whose arguments only its server knows, the arguments up to the first MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The arguments with secrets masked; only where the policy asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What was decided.
    pub wanted: VerdictKind,
    /// What the event could express.
    pub sent: VerdictKind,
    /// The form of the answer: `stdout`, `exit 2`, `silent`.
    pub form: &'static str,
    /// What the answer replaces, such as the input of a call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Target>,
    /// What was lost between the two, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// The reason that was sent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The rules and handlers that spoke, the deciding one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// What went wrong on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// A command of the call was not understood.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_understood: bool,
    /// The word for which it was not, with secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// What the rules said about each piece of a command that has several; without its text, unless the
    /// policy asks for inputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartSaid>,
    /// What failed; the verdict then comes from the policy's `[failure]` table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// A command ran outside of the sandbox that the policy requires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident: Option<String>,
    /// Whether the command runs in the sandbox with this answer; absent: it runs nothing, was blocked, or there
    /// is no sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolated: Option<bool>,
    /// The policy's file, or `starter`.
    pub policy: String,
    /// Milliseconds from start to answer.
    pub ms: f64,
    /// A watched text held a lone surrogate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// The input was over its limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub over_limit: bool,
}

impl Record {
    /// Begins the record of a call to an agent.
    pub fn new(id: &str, agent: &str) -> Self {
        Self {
            schema: 1,
            time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
            id: id.to_owned(),
            agent: agent.to_owned(),
            dialect: "",
            event: String::new(),
            session: None,
            tool: None,
            digest: None,
            input: None,
            wanted: VerdictKind::Pass,
            sent: VerdictKind::Pass,
            form: "silent",
            changed: Vec::new(),
            losses: Vec::new(),
            reason: String::new(),
            causes: Vec::new(),
            remarks: Vec::new(),
            failure: None,
            incident: None,
            isolated: None,
            policy: String::new(),
            not_understood: false,
            word: None,
            parts: Vec::new(),
            ms: 0.0,
            lossy: false,
            over_limit: false,
        }
    }

    /// Adds what the event was.
    #[must_use]
    pub fn event(mut self, event: &HookEvent) -> Self {
        self.dialect = event.dialect;
        self.event.clone_from(&event.native);
        self.session.clone_from(&event.session);
        self.lossy = event.lossy;
        if let Some(call) = event.call() {
            self.tool = Some(call.name.clone());
            self.digest = Some(digest(call));
        }
        self
    }

    /// Adds what was decided and what was sent.
    #[must_use]
    pub fn answer(mut self, wanted: VerdictKind, fitted: &Fitted, losses: &[Loss], reply: &Reply) -> Self {
        self.wanted = wanted;
        self.sent = fitted.verdict().kind();
        fitted.verdict().reason().clone_into(&mut self.reason);
        self.changed = Target::ALL.into_iter().filter(|target| fitted.change(*target).is_some()).collect();
        self.losses = losses.iter().map(Loss::to_string).collect();
        self.form = form(reply);
        self
    }

    /// Adds a failure and the answer that was given for it.
    #[must_use]
    pub fn failed(mut self, what: impl Into<String>, reply: &Reply) -> Self {
        self.failure = Some(what.into());
        self.form = form(reply);
        self
    }

    /// Adds the time that it took.
    #[must_use]
    pub fn took(mut self, took: Duration) -> Self {
        self.ms = (took.as_secs_f64() * 1e6).round() / 1e3;
        self
    }
}

fn digest(call: &ToolCall) -> String {
    let mut hash = Sha256::new_with_prefix(&call.name);
    for action in &call.actions {
        for text in watched(action, call) {
            hash.update([0]);
            hash.update(text.get(..1 << 20).unwrap_or(text));
        }
    }
    hex(&hash.finalize(), 16)
}

/// The texts that say what an action is, beside the tool's name.
fn watched<'a>(action: &'a Action, call: &'a ToolCall) -> Vec<&'a [u8]> {
    let texts: Vec<&str> = match action {
        Action::Shell { command: Command::Text(text), .. } | Action::ShellInput { text } => vec![text],
        Action::Shell { command: Command::Argv(words), .. } => words.iter().map(String::as_str).collect(),
        Action::Read { path }
        | Action::Write { path }
        | Action::Edit { path }
        | Action::Delete { path }
        | Action::List { path } => vec![path],
        Action::Move { from, to } => vec![from, to],
        Action::Search { path, pattern } => vec![path, pattern.as_deref().unwrap_or_default()],
        Action::Fetch { url } => vec![url],
        Action::WebSearch { query } => vec![query],
        Action::Subagent { name } => vec![name.as_deref().unwrap_or_default()],
        _ => vec![call.input.as_str()],
    };
    texts.into_iter().map(str::as_bytes).collect()
}

fn form(reply: &Reply) -> &'static str {
    match (reply.stdout.is_empty(), reply.exit) {
        (_, 2) => "exit 2",
        (true, _) => "silent",
        (false, _) => "stdout",
    }
}

/// Makes the id of a call: seven characters that are easy to type.
pub fn new_id() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstvwxyz0123456789";
    let random = RandomState::new().hash_one(SystemTime::now());
    let letter = |n: usize| usize::try_from((random >> (5 * n)) & 31).ok().and_then(|at| LETTERS.get(at));
    (0..7).filter_map(letter).map(|&byte| char::from(byte)).collect()
}

/// The first bytes of a digest as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8], digits: usize) -> String {
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).filter_map(|n| char::from_digit(n.into(), 16)).take(digits).collect()
}
