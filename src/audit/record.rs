//! Builds the records of the log.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use sha2::{Digest, Sha256};
use snaphook_adapters::fit::{Fitted, Loss};
use snaphook_adapters::model::{Action, Command, HookEvent, Reply, Target, ToolCall, VerdictKind};

use snaphook_policy::{Cause, PartVerdict};

use crate::decide::{HandlerTime, milliseconds};

/// The record of one call. The fields are those of version 1 of the log.
#[derive(Debug, Serialize)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of the log")]
pub struct Record {
    /// The version of the record format.
    pub schema: u8,
    /// The time at which the reply was ready: RFC 3339 in UTC with milliseconds.
    pub time: String,
    /// The id of the call, seven characters, as passed to `snaphook why`.
    pub id: String,
    /// The id of the agent, from the registered command line.
    pub agent: String,
    /// True if no effect of an answer was measured on the agent's program.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unverified: bool,
    /// The dialect of the message; absent if the agent has only one or the message could not be parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<&'static str>,
    /// The native name of the event; empty if it could not be read.
    pub event: String,
    /// The session id of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The native name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The agent's id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// SHA-256 over the tool name and the actions, such as the command or the paths. For a tool with unknown
    /// arguments, over the arguments up to 1 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// SHA-256 over the agent, the folders, the tool and all arguments of a blocked call, by which `snaphook allow-once`
    /// recognises it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The arguments with secrets masked; only if the policy enables it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The working directory of the call; only if the policy enables inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The verdict that was decided.
    pub wanted: VerdictKind,
    /// The verdict that would have been decided, if it was not enforced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would: Option<VerdictKind>,
    /// Why it was not enforced: `monitor`, `pause` or `allow-once`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived: Option<&'static str>,
    /// The verdict that was sent, after fitting.
    pub sent: VerdictKind,
    /// The form of the reply: `stdout`, `exit 2` or `silent`.
    pub form: &'static str,
    /// The targets that the reply changes, such as the input of a call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Target>,
    /// The losses of fitting, as text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// The reason that was sent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The rules and handlers that contributed to the verdict, the deciding one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// Problems that did not change the verdict, and the reason why no rule allows the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// True if a command of the call could not be analysed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_understood: bool,
    /// The word that could not be analysed, with secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// The verdict of the rules on each part of a compound command, without its text unless the policy enables
    /// inputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartVerdict>,
    /// The time that each handler and each command of a `[[respond]]` took, in the order in which they ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handlers: Vec<HandlerTime>,
    /// The failure, if the verdict comes from the policy's `[failure]` table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The report that a command ran outside of the required sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident: Option<String>,
    /// True if the command runs in the sandbox after this reply; absent if the call runs no command, was blocked, or
    /// the policy has no sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolated: Option<bool>,
    /// The path of the policy file, or `starter`.
    pub policy: String,
    /// The time from start to reply, in milliseconds.
    pub ms: f64,
    /// True if a watched text contained a lone surrogate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// True if the message exceeded the size limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub over_limit: bool,
}

impl Record {
    /// Creates the record of a call from an agent.
    pub fn new(id: &str, agent: &str) -> Self {
        Self {
            schema: 1,
            time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
            id: id.to_owned(),
            agent: agent.to_owned(),
            unverified: !snaphook_hosts::is_verified(agent),
            dialect: None,
            event: String::new(),
            session: None,
            tool: None,
            call: None,
            digest: None,
            fingerprint: None,
            input: None,
            cwd: None,
            wanted: VerdictKind::Pass,
            would: None,
            waived: None,
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
            handlers: Vec::new(),
            ms: 0.0,
            lossy: false,
            over_limit: false,
        }
    }

    /// Adds the event.
    #[must_use]
    pub fn event(mut self, event: &HookEvent) -> Self {
        self.dialect = event.dialect;
        self.event.clone_from(&event.native);
        self.session.clone_from(&event.session);
        self.lossy = event.lossy;
        if let Some(call) = event.call() {
            self.tool = Some(call.name.clone());
            self.call.clone_from(&call.id);
            self.digest = Some(digest(call));
        }
        self
    }

    /// Adds the decision and the reply.
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

    /// Adds a failure and the reply to it.
    #[must_use]
    pub fn failed(mut self, what: impl Into<String>, reply: &Reply) -> Self {
        self.failure = Some(what.into());
        self.form = form(reply);
        self
    }

    /// Adds the processing time.
    #[must_use]
    pub fn took(mut self, took: Duration) -> Self {
        self.ms = milliseconds(took);
        self
    }
}

fn digest(call: &ToolCall) -> String {
    let mut hash = Sha256::new_with_prefix(&call.name);
    for action in &call.actions {
        for text in digested_texts(action, call) {
            hash.update([0]);
            hash.update(text.get(..1 << 20).unwrap_or(text));
        }
    }
    hex(&hash.finalize(), 16)
}

/// The texts of an action that go into the digest.
fn digested_texts<'a>(action: &'a Action, call: &'a ToolCall) -> Vec<&'a [u8]> {
    let texts: Vec<&str> = match action {
        Action::Shell { command: Command::Text(text), .. } | Action::ShellInput { text } => vec![text.start()],
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

/// Creates a random call id of seven characters that are easy to type.
pub fn new_id() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstvwxyz0123456789";
    let random = RandomState::new().hash_one(SystemTime::now());
    let letter = |n: usize| usize::try_from((random >> (5 * n)) & 31).ok().and_then(|at| LETTERS.get(at));
    (0..7).filter_map(letter).map(|&byte| char::from(byte)).collect()
}

/// Formats the first bytes of a digest as `digits` hexadecimal digits.
pub(crate) fn hex(bytes: &[u8], digits: usize) -> String {
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).filter_map(|n| char::from_digit(n.into(), 16)).take(digits).collect()
}
