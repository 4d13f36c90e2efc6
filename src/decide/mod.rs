//! Decides one event: asks the rules of the policy and the handlers, and combines what they say with the texts for the session.

mod additions;
#[cfg(test)]
mod tests;
mod waiver;

use std::sync::Arc;
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Change, Decision, Detail, EventKind, HookEvent, Need, ToolCall, Verdict, VerdictKind};
use snaphook_adapters::protocol::{Agent, ParseError, Power};
use snaphook_policy::{
    CallFacts, Cause, CombinedVerdict, CommandDetails, Folders, Handler, Judging, Opinion, PartVerdict, PolicyCall,
    RuledCall,
};

use self::additions::Additions;
pub(crate) use self::additions::changed;
pub use self::waiver::{Waived, WaivedBy};
pub(crate) use self::waiver::{restricts, waive};
use crate::policy::LoadedPolicy;

/// The decision about one event, and its causes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Judgement {
    /// The decision.
    pub decision: Decision,
    /// The rules and handlers that contributed to the verdict, the deciding one first.
    pub causes: Vec<Cause>,
    /// Problems that did not change the verdict, such as a missing context file or an untrusted project file, and the reason why
    /// no rule allows the call.
    pub remarks: Vec<String>,
    /// The part of a command that could not be analysed; `None` if all of it was.
    pub not_understood: Option<String>,
    /// The verdict of the rules on each part of a compound command; empty for other calls.
    pub parts: Vec<PartVerdict>,
    /// The time that each handler and each command of a `[[respond]]` took, in the order in which they ran.
    pub handlers: Vec<HandlerTime>,
}

/// The time that a handler, or the command of a `[[respond]]`, took for one event.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct HandlerTime {
    /// The name of the handler, or `respond` and the rule of the response.
    pub name: String,
    /// The time in milliseconds, also if it failed.
    pub ms: f64,
}

impl HandlerTime {
    pub(crate) fn new(name: &str, took: Duration) -> Self {
        Self { name: name.to_owned(), ms: milliseconds(took) }
    }
}

/// A time in milliseconds, to the microsecond.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Runs what a policy decides outside of the process.
pub trait Deciders {
    /// Runs a `[[handler]]`.
    ///
    /// # Errors
    /// The failure, on one line. The policy's `[failure] handler` then applies.
    fn handler(&mut self, handler: &Handler, event: &HookEvent) -> Result<Decision, String>;

    /// Returns what the log has to say about the last handler besides its decision.
    fn remarks(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Returns true if the permission of a person for a single call may be used up. In a trial it may not.
    fn uses_permissions(&self) -> bool {
        false
    }

    /// Runs the command of a `[[respond]]` and returns its output.
    ///
    /// # Errors
    /// The failure, on one line.
    fn respond(&mut self, command: &[String], deadline_ms: u64, event: &HookEvent) -> Result<String, String>;
}

impl LoadedPolicy {
    /// Judges one event with rules, handlers and the session context.
    ///
    /// Rules and handlers apply before a tool runs and when the agent asks for permission. All other events use
    /// handlers and the session context only.
    /// A call is denied if its arguments are not as a `[[tool]]` describes them. A verdict that `mode = "monitor"` would not
    /// enforce is returned all the same.
    pub fn judge(&self, event: &HookEvent, deciders: &mut dyn Deciders) -> Judgement {
        let mut event = event.clone();
        match self.teach(&mut event) {
            Ok(()) => decide(&self.facts(folders_of(&event)), &event, deciders),
            Err(error) => Decision::deny(error.to_string()).into(),
        }
    }

    /// Adds what the policy says about the arguments of a call to the event.
    ///
    /// # Errors
    /// An argument is not as described.
    pub(crate) fn teach(&self, event: &mut HookEvent) -> Result<(), ParseError> {
        match event.call().and_then(|call| self.described(event.agent.id, &call.name, &call.actions)) {
            Some(tool) => event.teach(Arc::new(tool)),
            None => Ok(()),
        }
    }
}

/// The folders of an event.
pub(crate) fn folders_of(event: &HookEvent) -> Folders<'_> {
    Folders::new(event.project.as_deref(), event.cwd.as_deref(), event.process.as_deref())
}

/// What the rules see of a call.
pub(crate) fn policy_call<'c>(agent: &'c Agent, call: &'c ToolCall) -> PolicyCall<'c> {
    let mut seen = PolicyCall::new(agent.id, &call.name, &call.input, &call.actions);
    seen.suggested_actions = &call.suggested_actions;
    seen.skill = call.skill.as_ref();
    seen.keys = agent.keys;
    seen.null_keeps_earlier_value = agent.null_keeps_earlier_value;
    seen
}

/// Judges one event by the facts about it.
pub(crate) fn decide(facts: &CallFacts<'_>, event: &HookEvent, deciders: &mut dyn Deciders) -> Judgement {
    Deciding {
        facts,
        judging: facts.judging(event.row.gates()),
        event,
        deciders,
        additions: Additions::default(),
        handlers: Vec::new(),
    }
    .decide()
}

struct Deciding<'a> {
    facts: &'a CallFacts<'a>,
    judging: Judging<'a>,
    event: &'a HookEvent,
    deciders: &'a mut dyn Deciders,
    additions: Additions,
    handlers: Vec<HandlerTime>,
}

impl Deciding<'_> {
    fn decide(mut self) -> Judgement {
        let event = self.event;
        let judged = matches!(event.kind(), EventKind::PreTool | EventKind::Permission);
        let (outcome, details) = match &event.detail {
            Detail::Answered { text, .. } => (answered(text), CommandDetails::default()),
            Detail::Tool(call) if judged => self.call(call),
            _ => {
                self.session();
                let opinions = self.handlers();
                (CombinedVerdict::of_event(&opinions), CommandDetails::default())
            }
        };
        let passes = outcome.verdict.kind() == VerdictKind::Pass;
        self.judging.remarks.extend(details.withheld.filter(|_| passes));
        Judgement {
            decision: self.additions.attach_to(outcome.verdict.into()),
            causes: outcome.causes,
            remarks: self.judging.remarks,
            not_understood: details.not_understood,
            parts: details.parts,
            handlers: self.handlers,
        }
    }

    fn call(&mut self, call: &ToolCall) -> (CombinedVerdict, CommandDetails) {
        let agent = self.event.agent;
        let seen = policy_call(agent, call);
        let ruled = match self.rules(&seen) {
            Ok(ruled) => ruled,
            Err(outcome) => return (*outcome, CommandDetails::default()),
        };
        let opinions = self.handlers();
        let first = self.judging.combine(&seen, &ruled, opinions);
        let is_new = |change: &&Change| change.other_tool(call).is_some() || !change.value.means(&call.input);
        let Some(change) = self.additions.input().filter(is_new) else {
            return (first, ruled.details(&seen));
        };
        let changed = match changed(self.event, change, self.facts.policy()) {
            Ok(changed) => changed,
            Err(why) => {
                let outcome = self.judging.ambiguous(&why);
                return (first.or_stricter(outcome), CommandDetails::default());
            }
        };
        let Some(call) = changed.call() else { return (first, ruled.details(&seen)) };
        let seen = policy_call(agent, call);
        match self.rules(&seen) {
            Ok(ruled) => {
                let second = self.judging.combine(&seen, &ruled, Vec::new());
                (first.or_stricter(second), ruled.details(&seen))
            }
            Err(outcome) => (first.or_stricter(*outcome), CommandDetails::default()),
        }
    }

    /// Asks the rules, and for the response in place of the tool.
    fn rules(&mut self, call: &PolicyCall<'_>) -> Result<RuledCall, Box<CombinedVerdict>> {
        let mut ruled = self.judging.rules(call)?;
        let Self { judging, deciders, event, handlers, .. } = self;
        judging.respond(call, &mut ruled, &mut |rule, command, deadline_ms| {
            let started = Instant::now();
            let said = deciders.respond(command, deadline_ms, event);
            handlers.push(HandlerTime::new(&format!("respond {rule}"), started.elapsed()));
            said
        });
        Ok(ruled)
    }

    /// Runs all handlers that match; each one sees the changes of those before it (V5).
    fn handlers(&mut self) -> Vec<Opinion> {
        let event = self.event;
        let call = event.call().map(|call| policy_call(event.agent, call));
        let mut opinions = Vec::new();
        let mut seen: Option<HookEvent> = None;
        for asked in self.judging.handlers(event.kind(), event.agent.id, call.as_ref()) {
            let name = &asked.handler().name;
            let started = Instant::now();
            let said = self.deciders.handler(asked.handler(), seen.as_ref().unwrap_or(event));
            self.handlers.push(HandlerTime::new(name, started.elapsed()));
            self.judging.remarks.extend(self.deciders.remarks());
            let taken = said.and_then(|mut decision| {
                if leave_out_other_tool(event, &mut decision) {
                    let why = "the agent runs only the tool that was called, so the optional change is left out";
                    self.judging.remarks.push(format!("handler `{name}`: {why}"));
                }
                let opinion = asked.opinion(decision.verdict.clone());
                let changes = decision.changes.clone();
                let named = |why| format!("handler `{name}`: {why}");
                self.additions.take(decision).map_err(named)?;
                for change in &changes {
                    seen = Some(changed(seen.as_ref().unwrap_or(event), change, self.facts.policy()).map_err(named)?);
                }
                Ok(opinion)
            });
            match taken {
                Ok(opinion) => opinions.push(opinion),
                Err(why) => opinions.extend(self.judging.failed(&why)),
            }
        }
        opinions
    }

    /// Adds the texts for the model and the user at the start of a session.
    fn session(&mut self) {
        let is_start = self.event.kind() == EventKind::SessionStart;
        if !is_start && !self.event.row.takes_session_context() {
            return;
        }
        let policy = self.facts.policy();
        let (context, missing) = policy.session_context();
        for text in context {
            self.additions.context(text);
        }
        if !is_start {
            return;
        }
        for notice in missing.into_iter().chain(policy.notices()) {
            self.judging.remarks.push(notice.clone());
            self.additions.notice(notice);
        }
    }
}

/// Leaves out an optional change that names another tool, if the agent cannot run it: the rules, the sandbox and the next
/// handler judge the call that runs. Returns true if there was one.
fn leave_out_other_tool(event: &HookEvent, decision: &mut Decision) -> bool {
    let Some(call) = event.call().filter(|_| !event.row.can(Power::ChangeTool)) else { return false };
    let before = decision.changes.len();
    decision.changes.retain(|change| change.need == Need::Required || change.other_tool(call).is_none());
    decision.changes.len() < before
}

/// Denies a call that was already answered in place of the tool and that the agent is about to run anyway.
fn answered(text: &str) -> CombinedVerdict {
    let reason = format!("this call was already answered in the tool's place: {text}");
    CombinedVerdict::one(Verdict::Deny { reason }, Cause::new(VerdictKind::Deny, "answered"))
}

/// A judgement that contains only a decision.
impl From<Decision> for Judgement {
    fn from(decision: Decision) -> Self {
        let (causes, remarks, parts, handlers) = Default::default();
        Self { decision, causes, remarks, not_understood: None, parts, handlers }
    }
}
