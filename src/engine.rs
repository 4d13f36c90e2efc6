//! Processes one call from message to reply: parse, decide, fit, format. Does no input or output.

use snaphook_adapters::fit::{Fitted, Limits, Loss, fit};
use snaphook_adapters::model::{Decision, HookEvent, Incoming, Reply, VerdictKind};
use snaphook_adapters::protocol::{Fault, HookProtocol, Native, ParseError, Transport};

use snaphook_policy::{Cause, Failures, Folders, OnFailure, PartVerdict, PolicyFault};

use crate::decide::{Deciders, HandlerTime, Judgement, Waived, decide, folders_of, restricts, waive};
use crate::overrides::once;
use crate::policy::LoadedPolicy;
use crate::sandbox::Confinement;

/// The result of processing one message.
#[derive(Debug)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The reply; `None` for a notification, which gets no reply.
    pub reply: Option<Reply>,
    /// The event; `None` if it could not be parsed.
    pub event: Option<HookEvent>,
    /// The kind of the decided verdict, before it was fitted.
    pub wanted: VerdictKind,
    /// The verdict that was not enforced; it is not the decided one.
    pub waived: Option<Waived>,
    /// The digest of a blocked call, by which a person can let it pass once.
    pub fingerprint: Option<String>,
    /// The decision fitted to the event; `None` if the event is unknown.
    pub fitted: Option<Fitted>,
    /// The losses of fitting.
    pub losses: Vec<Loss>,
    /// The rules and handlers that contributed to the verdict.
    pub causes: Vec<Cause>,
    /// Problems that did not change the verdict, and the reason why no rule allows the call.
    pub remarks: Vec<String>,
    /// The part of a command that could not be analysed; `None` if all of it was.
    pub not_understood: Option<String>,
    /// The verdict of the rules on each part of a compound command.
    pub parts: Vec<PartVerdict>,
    /// The time that each handler and each command of a `[[respond]]` took.
    pub handlers: Vec<HandlerTime>,
    /// The failure, if the verdict comes from the policy's `[failure]` table.
    pub failure: Option<String>,
    /// A command that ran outside of the required sandbox, as the agent reported afterwards.
    pub incident: Option<String>,
    /// True if the command of the call runs in the sandbox after this reply. `None` if the call runs no command, is
    /// blocked, or the policy has no sandbox for this agent.
    pub isolated: Option<bool>,
    /// True if the message exceeded the size limit.
    pub over_limit: bool,
    /// The modes that a long-lived agent named in its handshake; `None` if the message is not a handshake.
    pub greeting: Option<Option<Vec<String>>>,
}

impl CallOutcome {
    /// Returns true if the event gates an action, or is unknown.
    pub fn gates(&self) -> bool {
        self.event.as_ref().is_none_or(|event| event.row.gates())
    }

    pub(crate) fn reply_only(reply: Reply) -> Self {
        Self {
            reply: Some(reply),
            event: None,
            wanted: VerdictKind::Pass,
            waived: None,
            fingerprint: None,
            fitted: None,
            losses: Vec::new(),
            causes: Vec::new(),
            remarks: Vec::new(),
            not_understood: None,
            parts: Vec::new(),
            handlers: Vec::new(),
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
/// `policy` returns the policy that applies to the folders of an event. `id` is the id of the audit record; block
/// reasons name it so that the user can run `snaphook why`. It is `None` if nothing is recorded.
pub fn judge(
    protocol: &dyn HookProtocol,
    native: &Native,
    policy: &dyn Fn(Folders<'_>) -> Result<LoadedPolicy, PolicyFault>,
    deciders: &mut dyn Deciders,
    id: Option<&str>,
) -> CallOutcome {
    judge_parsed(protocol, native, protocol.parse(native), policy, deciders, id)
}

/// Judges one parsed message.
pub(crate) fn judge_parsed(
    protocol: &dyn HookProtocol,
    native: &Native,
    parsed: Result<Incoming, ParseError>,
    policy: &dyn Fn(Folders<'_>) -> Result<LoadedPolicy, PolicyFault>,
    deciders: &mut dyn Deciders,
    id: Option<&str>,
) -> CallOutcome {
    match parsed {
        Ok(Incoming::Event(event)) => judge_under_policy(protocol, native, *event, policy, deciders, id),
        Ok(Incoming::Handshake { reply, modes }) => {
            CallOutcome { greeting: Some(modes), ..CallOutcome::reply_only(reply) }
        }
        Ok(Incoming::Observed(event)) => {
            // Nothing is sent, so no verdict is recorded as sent, and no later message depends on it.
            let (reply, fitted, wanted, losses) = (None, None, VerdictKind::Pass, Vec::new());
            let judged = judge_under_policy(protocol, native, *event, policy, deciders, id);
            CallOutcome { reply, fitted, wanted, losses, isolated: None, fingerprint: None, waived: None, ..judged }
        }
        Ok(_) => failed(
            protocol,
            native,
            None,
            OnFailure::Deny,
            "unknown kind of message; this version of snaphook does not support it",
        ),
        Err(error) => unparsed(protocol, native, policy, &error),
    }
}

/// Replies to a call that snaphook failed to judge: with the verdict of `[failure]` if the event gates an action,
/// with pass otherwise (V10).
pub fn failed(
    protocol: &dyn HookProtocol,
    native: &Native,
    event: Option<HookEvent>,
    on: OnFailure,
    what: &str,
) -> CallOutcome {
    let reason = format!("snaphook: {what}");
    let Some(event) = event.or_else(|| protocol.agent().bare_event(native)) else {
        let reply = protocol.refuse(native, &reason);
        let wanted = VerdictKind::Deny;
        return CallOutcome { wanted, failure: Some(what.to_owned()), ..CallOutcome::reply_only(reply) };
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
    CallOutcome {
        event: Some(event),
        wanted,
        fitted: Some(fitted),
        losses,
        failure: Some(what.to_owned()),
        ..CallOutcome::reply_only(reply)
    }
}

fn unparsed(
    protocol: &dyn HookProtocol,
    native: &Native,
    policy: &dyn Fn(Folders<'_>) -> Result<LoadedPolicy, PolicyFault>,
    error: &ParseError,
) -> CallOutcome {
    let failures =
        policy(Folders::default()).map_or_else(|fault| Failures::all(fault.on_failure), |policy| policy.failures());
    let on = match error.fault() {
        Fault::Unknown => failures.unknown,
        _ => failures.input,
    };
    let ends_turn = || protocol.agent().bare_event(native).is_some_and(|event| event.kind().ends_turn());
    match error {
        ParseError::Method { .. } => CallOutcome {
            failure: Some(error.to_string()),
            ..CallOutcome::reply_only(protocol.refuse(native, &error.to_string()))
        },
        // The message came from another agent, which would not understand this agent's reply. Nearly every agent
        // treats exit code 2 as a block (J9); at the end of a turn, it would make the agent continue (V10).
        ParseError::ForeignSender { .. } if protocol.agent().transport == Transport::OneShot && !ends_turn() => {
            CallOutcome {
                wanted: VerdictKind::Deny,
                failure: Some(error.to_string()),
                ..CallOutcome::reply_only(Reply::blocked(&format!("snaphook: {error}")))
            }
        }
        _ => failed(protocol, native, None, on, &error.to_string()),
    }
}

fn judge_under_policy(
    protocol: &dyn HookProtocol,
    native: &Native,
    mut event: HookEvent,
    policy: &dyn Fn(Folders<'_>) -> Result<LoadedPolicy, PolicyFault>,
    deciders: &mut dyn Deciders,
    id: Option<&str>,
) -> CallOutcome {
    event.project = protocol.agent().project_of(&event, &native.line);
    event.process.clone_from(&native.line.process);
    match policy(folders_of(&event)) {
        Ok(policy) => match policy.teach(&mut event) {
            Err(error) if event.row.gates() => {
                failed(protocol, native, Some(event), policy.failures().input, &error.to_string())
            }
            _ => judge_event(protocol, event, &policy, deciders, id),
        },
        Err(fault) => failed(protocol, native, Some(event), fault.on_failure, &fault.in_a_sentence()),
    }
}

fn judge_event(
    protocol: &dyn HookProtocol,
    event: HookEvent,
    policy: &LoadedPolicy,
    deciders: &mut dyn Deciders,
    id: Option<&str>,
) -> CallOutcome {
    let facts = policy.facts(folders_of(&event));
    let confinement = Confinement::of(policy, &facts, &event);
    let bared = confinement.as_ref().and_then(|confinement| confinement.bared(protocol, &event));
    let seen = bared.as_ref().unwrap_or(&event);
    let mut judgement = decide(&facts, seen, deciders);
    let fingerprint = restricts(judgement.decision.verdict.kind()).then(|| once::digest(seen)).flatten();
    let waived = waive(policy, seen, fingerprint.as_deref(), deciders, &mut judgement);
    let fingerprint = fingerprint.filter(|_| restricts(judgement.decision.verdict.kind()));
    let Judgement { mut decision, mut causes, remarks, not_understood, parts, handlers } = judgement;
    let confined = confinement.map(|confinement| confinement.confine(protocol, &event, &mut decision));
    let mut confined = confined.unwrap_or_default();
    causes.splice(..0, confined.cause.take());
    let wanted = decision.verdict.kind();
    let why = id.map(|id| format!(" (snaphook why {id})")).unwrap_or_default();
    let limits = Limits::new(policy.limits().reason, policy.limits().text).signed("snaphook: ", why);
    let (fitted, mut losses) = fit(decision, &event, &limits);
    losses.extend(confined.loss.take());
    let reply = protocol.format(&event, &fitted);
    CallOutcome {
        isolated: confined.isolates(&event, &fitted),
        incident: confined.incident,
        event: Some(event),
        wanted,
        waived,
        fingerprint,
        fitted: Some(fitted),
        losses,
        causes,
        remarks,
        not_understood,
        parts,
        handlers,
        ..CallOutcome::reply_only(reply)
    }
}
