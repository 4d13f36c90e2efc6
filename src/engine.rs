//! One call from message to answer: parse, decide, fit, format. No input or output of its own.

use snaphook_adapters::fit::{Fitted, Limits, Loss, fit};
use snaphook_adapters::model::{Decision, HookEvent, Incoming, Reply, VerdictKind};
use snaphook_adapters::protocol::{Fault, HookProtocol, Native, ParseError, Transport};

use crate::policy::{Cause, Deciders, Failures, Folders, Judgement, OnFailure, PartSaid, Policy, PolicyFault};

/// Holds everything that came of one message.
#[derive(Debug)]
#[non_exhaustive]
pub struct Judged {
    /// The answer; absent: a notification, which gets none.
    pub reply: Option<Reply>,
    /// The event, as far as it was understood.
    pub event: Option<HookEvent>,
    /// What was decided, before it was fitted.
    pub wanted: VerdictKind,
    /// What the event could express; absent where not even the event was known.
    pub fitted: Option<Fitted>,
    /// What was lost between the two.
    pub losses: Vec<Loss>,
    /// The rules and handlers that spoke.
    pub causes: Vec<Cause>,
    /// What went wrong on the way.
    pub remarks: Vec<String>,
    /// What made a command one that is not understood; absent: all of it was.
    pub not_understood: Option<String>,
    /// What the rules say about each piece of a command that has several.
    pub parts: Vec<PartSaid>,
    /// What failed, where the verdict comes from the policy's `[failure]` table.
    pub failure: Option<String>,
    /// What was to be isolated and ran without, as the agent reports it afterwards.
    pub incident: Option<String>,
    /// Whether the command of a call runs in the sandbox with this answer; absent: it runs nothing, is blocked,
    /// or the policy has no sandbox for this agent.
    pub isolated: Option<bool>,
    /// The message was over the limit.
    pub over_limit: bool,
    /// The modes that a long-lived agent named in its greeting; absent: this was none.
    pub greeting: Option<Option<Vec<String>>>,
}

impl Judged {
    /// Whether the answer decides if something happens.
    pub fn gates(&self) -> bool {
        self.event.as_ref().is_none_or(|event| event.row.gates())
    }

    pub(crate) fn reply_only(reply: Reply) -> Self {
        Self {
            reply: Some(reply),
            event: None,
            wanted: VerdictKind::Pass,
            fitted: None,
            losses: Vec::new(),
            causes: Vec::new(),
            remarks: Vec::new(),
            not_understood: None,
            parts: Vec::new(),
            failure: None,
            incident: None,
            isolated: None,
            over_limit: false,
            greeting: None,
        }
    }
}

/// Judges one message.
///
/// `policy` gives the policy that applies to the folders of an event; `id` is named in block reasons so
/// that the user can ask why (absent: nothing is recorded).
pub fn judge(
    protocol: &dyn HookProtocol,
    native: &Native,
    policy: &dyn Fn(Folders<'_>) -> Result<Policy, PolicyFault>,
    deciders: &mut dyn Deciders,
    id: Option<&str>,
) -> Judged {
    judge_parsed(protocol, native, protocol.parse(native), policy, deciders, id)
}

/// Judges one message that was parsed.
pub(crate) fn judge_parsed(
    protocol: &dyn HookProtocol,
    native: &Native,
    parsed: Result<Incoming, ParseError>,
    policy: &dyn Fn(Folders<'_>) -> Result<Policy, PolicyFault>,
    deciders: &mut dyn Deciders,
    id: Option<&str>,
) -> Judged {
    match parsed {
        Ok(Incoming::Event(mut event)) => {
            event.project = protocol.agent().project_of(&event, &native.line);
            event.process.clone_from(&native.line.process);
            match policy(Folders::from(&*event)) {
                Ok(policy) => event_judged(protocol, *event, &policy, deciders, id),
                Err(fault) => failed(protocol, native, Some(*event), fault.on_failure, &fault.in_a_sentence()),
            }
        }
        Ok(Incoming::Handshake { reply, modes }) => Judged { greeting: Some(modes), ..Judged::reply_only(reply) },
        Ok(Incoming::Observed(event)) => {
            Judged { reply: None, event: Some(*event), ..Judged::reply_only(Reply::silent()) }
        }
        Ok(_) => failed(protocol, native, None, OnFailure::Deny, "a kind of message that this version does not know"),
        Err(error) => unreadable(protocol, native, policy, &error),
    }
}

/// Answers where something of ours went wrong: as `[failure]` says on an event that gates
/// something, as no opinion elsewhere (V10).
pub fn failed(
    protocol: &dyn HookProtocol,
    native: &Native,
    event: Option<HookEvent>,
    on: OnFailure,
    what: &str,
) -> Judged {
    let reason = format!("snaphook: {what}");
    let Some(event) = event.or_else(|| protocol.agent().bare_event(native)) else {
        let reply = protocol.refuse(native, &reason);
        let wanted = VerdictKind::Deny;
        return Judged { wanted, failure: Some(what.to_owned()), ..Judged::reply_only(reply) };
    };
    let decision = match on {
        _ if !event.row.gates() => Decision::pass(),
        OnFailure::Deny => Decision::deny(reason),
        OnFailure::Ask => Decision::ask(reason),
        OnFailure::Pass => Decision::pass(),
    };
    let wanted = decision.verdict.kind();
    let (fitted, losses) = fit(decision, &event, &Limits::default());
    let reply = protocol.format(&event, &fitted);
    Judged {
        event: Some(event),
        wanted,
        fitted: Some(fitted),
        losses,
        failure: Some(what.to_owned()),
        ..Judged::reply_only(reply)
    }
}

fn unreadable(
    protocol: &dyn HookProtocol,
    native: &Native,
    policy: &dyn Fn(Folders<'_>) -> Result<Policy, PolicyFault>,
    error: &ParseError,
) -> Judged {
    let failures =
        policy(Folders::default()).map_or_else(|fault| Failures::all(fault.on_failure), |policy| policy.failures());
    let on = match error.fault() {
        Fault::Unknown => failures.unknown,
        _ => failures.input,
    };
    match error {
        ParseError::Method { .. } => Judged {
            failure: Some(error.to_string()),
            ..Judged::reply_only(protocol.refuse(native, &error.to_string()))
        },
        // The event of a stranger is not ours, so its form means nothing to who reads the answer; an
        // exit code means a block to nearly everybody (J9).
        ParseError::Stranger { .. } if protocol.agent().transport == Transport::OneShot => Judged {
            wanted: VerdictKind::Deny,
            failure: Some(error.to_string()),
            ..Judged::reply_only(Reply::blocked(&format!("snaphook: {error}")))
        },
        _ => failed(protocol, native, None, on, &error.to_string()),
    }
}

fn event_judged(
    protocol: &dyn HookProtocol,
    event: HookEvent,
    policy: &Policy,
    deciders: &mut dyn Deciders,
    id: Option<&str>,
) -> Judged {
    let confinement = policy.confinement(&event);
    let bared = confinement.as_ref().and_then(|confinement| confinement.bared(protocol, &event));
    let judgement = policy.judge(bared.as_ref().unwrap_or(&event), deciders);
    let Judgement { mut decision, mut causes, remarks, not_understood, parts } = judgement;
    let confined = confinement.map(|confinement| confinement.confine(protocol, &event, &mut decision));
    let mut confined = confined.unwrap_or_default();
    causes.splice(..0, confined.cause.take());
    let wanted = decision.verdict.kind();
    let why = id.map(|id| format!("; snaphook why {id}")).unwrap_or_default();
    let limits = Limits::new(policy.limits().reason, policy.limits().text).signed("snaphook: ", why);
    let (fitted, mut losses) = fit(decision, &event, &limits);
    losses.extend(confined.loss.take());
    let reply = protocol.format(&event, &fitted);
    Judged {
        isolated: confined.isolates(&event, &fitted),
        incident: confined.incident,
        event: Some(event),
        wanted,
        fitted: Some(fitted),
        losses,
        causes,
        remarks,
        not_understood,
        parts,
        ..Judged::reply_only(reply)
    }
}
