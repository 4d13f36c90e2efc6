//! Judges one call for one agent: sends it to each gate in order, and interprets the answers.

use std::path::Path;
use std::sync::Arc;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Detail, EventKind, HookEvent, Target, ToolCall, VerdictKind};
use snaphook_adapters::protocol::{
    Agent, Connection, EventRow, HookProtocol, Host, Native, Power, RegisteredLine, Role,
};
use snaphook_adapters::registry::Registry;
use snaphook_hosts::{Account, Effect, Mark, Outcome, account};
use snaphook_policy::{Folders, PolicyFault};

use super::super::{pause, unverified};
use super::dry::Dry;
use super::{TrialPolicy, Tried};
use crate::engine::{CallOutcome, judge};
use crate::policy::{LoadedPolicy, UserPolicy};

/// The result of a call for one version of an agent.
pub(super) struct Walk {
    /// The version; absent if the message does not show it.
    pub(super) host: Option<&'static Host>,
    pub(super) steps: Vec<GateStep>,
    /// The final effect, without the answers of gates that are asked only as a last resort.
    pub(super) does: Option<Effect>,
    /// The arguments with which the call runs, if they were changed.
    pub(super) input: Option<Raw>,
}

/// One gate of a call.
pub(super) struct GateStep {
    pub(super) row: &'static EventRow,
    pub(super) role: Role,
    pub(super) result: StepResult,
}

pub(super) enum StepResult {
    /// A message was sent and judged.
    Sent(Box<Sent>),
    /// No message was sent, for this reason.
    Not(&'static str),
}

pub(super) struct Sent {
    pub(super) judged: CallOutcome,
    pub(super) outcome: Option<Outcome>,
    /// The handlers that would be called and were not.
    pub(super) skipped_handlers: Vec<String>,
}

impl Walk {
    /// Returns true if the call does not run. Every version refuses a message whose event cannot be read.
    pub(super) fn blocks(&self) -> bool {
        let refused = |sent: &Sent| sent.judged.event.is_none() && sent.judged.failure.is_some();
        self.does.is_some_and(Effect::blocks) || self.sent().any(refused)
    }

    /// Returns the weakest evidence for the effects, if any was not measured.
    pub(super) fn evidence(&self) -> Option<Mark> {
        let marks = self.sent().filter_map(|sent| sent.outcome.as_ref()?.mark);
        marks.max().filter(|mark| !mark.is_measured())
    }

    pub(super) fn sent(&self) -> impl Iterator<Item = &Sent> {
        self.steps.iter().filter_map(|step| match &step.result {
            StepResult::Sent(sent) => Some(&**sent),
            StepResult::Not(_) => None,
        })
    }
}

impl GateStep {
    pub(super) fn is_last_resort(&self) -> bool {
        is_last_resort(self.row)
    }
}

/// Returns true if the agent calls the gate only before it asks the person. Such a gate can only answer for the
/// person.
fn is_last_resort(row: &EventRow) -> bool {
    row.kind == EventKind::Permission && row.can(Power::Allow)
}

pub(super) struct TrialRunner<'a> {
    pub(super) registry: &'a Registry,
    pub(super) user: &'a Result<UserPolicy, PolicyFault>,
    pub(super) cwd: &'a Path,
    pub(super) version: Option<&'a str>,
}

impl TrialRunner<'_> {
    /// Sends a call to each version that differs.
    pub(super) fn call(&self, protocol: &'static dyn HookProtocol, call: &ToolCall) -> Tried {
        let agent = protocol.agent();
        let Some(account) = account(agent.id) else {
            return Tried::Not(format!("is not shown: {}", unverified(agent.id).unwrap_or_default()));
        };
        let hosts = agent.hosts.iter().filter(|host| !host.gates.is_empty() && self.is_wanted(host));
        Tried::Shown(hosts.map(|host| self.walk(protocol, account, host, call)).collect())
    }

    /// Judges a message for each version that may have sent it.
    pub(super) fn payload(&self, protocol: &'static dyn HookProtocol, text: &str) -> Tried {
        let native = Native::new(text).line(self.line_of(protocol.agent()));
        let protocol = self.registry.sender(protocol, &native);
        let agent = protocol.agent();
        let known = agent.bare_event(&native).map_or(agent.unknown, |event| event.row);
        let one = |host: Option<&'static Host>| {
            let sent = self.send(protocol, &native, host.map_or("", |host| host.id));
            let row = sent.judged.event.as_ref().map_or(known, |event| event.row);
            let outcome = sent.outcome.clone();
            let does = outcome.as_ref().map(|outcome| outcome.effect);
            let input = outcome.and_then(|outcome| outcome.change(Target::Input).cloned());
            let step = GateStep { row, role: Role::Alone, result: StepResult::Sent(Box::new(sent)) };
            Walk { host, steps: vec![step], does, input }
        };
        let first = one(None);
        let row = first.steps.first().map_or(known, |step| step.row);
        let hosts: Vec<_> =
            agent.hosts.iter().filter(|host| row.hosts.contains(&host.id) && self.is_wanted(host)).collect();
        let judged = first.sent().any(|sent| sent.judged.event.is_some());
        Tried::Shown(match hosts.as_slice() {
            hosts if judged && !hosts.is_empty() => hosts.iter().map(|host| one(Some(host))).collect(),
            _ => vec![first],
        })
    }

    /// The registered command for a message. If messages of the agent may not name their event, the command line names
    /// one: the first gate.
    fn line_of(&self, agent: &Agent) -> RegisteredLine {
        let names_event = agent.dialects.iter().all(|dialect| dialect.event_key.is_some());
        let gate = agent.hosts.iter().flat_map(|host| host.gates).next();
        match gate.filter(|_| !names_event) {
            Some((native, _)) => self.line().event(*native),
            None => self.line(),
        }
    }

    /// The registered command of an agent whose session was started in the directory of the trial.
    fn line(&self) -> RegisteredLine {
        RegisteredLine::default().folder(self.cwd.to_str().map(str::to_owned))
    }

    fn is_wanted(&self, host: &Host) -> bool {
        self.version.is_none_or(|version| host.fits(version))
    }

    /// The policy of the directory, with its errors, and with warnings that concern the agents of the trial.
    pub(super) fn policy(&self, tried: &[(&'static Agent, Tried)]) -> TrialPolicy {
        let folder = self.cwd.to_str();
        let composed = self.user.as_ref().map_err(PolicyFault::clone).and_then(|user| {
            let policy = LoadedPolicy::compose(user, Folders::at(folder), self.registry)?;
            let is_tried = |agent: &Agent| tried.iter().any(|(tried, _)| tried.id == agent.id);
            let concerns = |agent: &Agent| is_tried(agent) || policy.names(agent.id);
            let warnings = policy.warnings(folder, self.registry, &concerns);
            Ok((policy.notices(), warnings.iter().map(ToString::to_string).collect()))
        });
        let origin = match self.user {
            Ok(user) => user.origins(),
            Err(_) => "none".to_owned(),
        };
        match composed {
            Ok((mut notices, warnings)) => {
                notices.extend(self.user.as_ref().ok().and_then(|user| pause::notice(user.places())));
                TrialPolicy { origin, fault: None, notices, warnings }
            }
            Err(fault) => {
                TrialPolicy { origin, fault: Some(fault.to_string()), notices: Vec::new(), warnings: Vec::new() }
            }
        }
    }

    fn walk(
        &self,
        protocol: &'static dyn HookProtocol,
        account: &Account,
        host: &'static Host,
        call: &ToolCall,
    ) -> Walk {
        let agent = protocol.agent();
        // The modes with which a long-lived agent calls every registered gate.
        let mut connection = Connection::default();
        connection.modes = Some(["tool", "approve"].map(str::to_owned).to_vec());
        let mut walk = Walk { host: Some(host), steps: Vec::new(), does: Some(Effect::Flow), input: None };
        let rows = host.gates.iter().filter_map(|(native, role)| host.gate(agent, native, *role));
        let dialect = rows.flat_map(|(row, _)| row.selector.dialects).next().copied();
        let mut call = call.clone();
        for (native, role) in host.gates {
            let Some((row, id)) = host.gate(agent, native, *role) else { continue };
            if !row.is_about(&call.name) {
                continue;
            }
            let step = |result| GateStep { row, role: *role, result };
            let before = match walk.does {
                Some(does) if does.blocks() => Some("an earlier gate blocks it"),
                Some(Effect::Asks) if !is_last_resort(row) => Some("an earlier gate asks the person"),
                Some(Effect::Approves) => Some("an earlier gate approves it"),
                _ => None,
            };
            if let Some(why) = before {
                walk.steps.push(step(StepResult::Not(why)));
                continue;
            }
            let mut event = HookEvent::new(agent, row, Raw::document("{}"));
            event.dialect = dialect;
            event.session = Some("try".to_owned());
            event.cwd = Some(self.cwd.display().to_string());
            event.detail = Detail::Tool(call.clone());
            let native = Native::new(account.present(&event))
                .line(self.line().event(row.native).role(*role))
                .connection(Arc::new(connection.clone()));
            let sent = self.send(protocol, &native, id);
            if let (Some(event), Some(fitted)) = (&sent.judged.event, &sent.judged.fitted) {
                protocol.remember(&mut connection, event, fitted);
            }
            let outcome = sent.outcome.clone();
            let step = step(StepResult::Sent(Box::new(sent)));
            let last_resort = step.is_last_resort();
            walk.steps.push(step);
            let Some(outcome) = outcome.filter(|_| !last_resort) else { continue };
            if outcome.effect != Effect::Flow {
                walk.does = Some(outcome.effect);
            }
            if let Some(input) = outcome.change(Target::Input) {
                walk.input = Some(input.clone());
                call = call.with_input(agent, input.clone()).unwrap_or(call);
            }
        }
        if walk.blocks() {
            walk.input = None;
        }
        walk
    }

    /// Judges one message, and interprets the answer for one version.
    fn send(&self, protocol: &'static dyn HookProtocol, native: &Native, host: &str) -> Sent {
        let policy = |folders: Folders<'_>| {
            let user = self.user.as_ref().map_err(PolicyFault::clone)?;
            LoadedPolicy::compose(user, folders, self.registry)
        };
        let mut dry = Dry::default();
        let mut judged = judge(protocol, native, &policy, &mut dry, None);
        // A handler that was not called has no verdict.
        judged.causes.retain(|cause| cause.verdict != VerdictKind::Pass || !dry.handlers.contains(&cause.rule));
        judged.remarks.append(&mut dry.remarks);
        let outcome = match (account(protocol.agent().id), &judged.event, &judged.reply) {
            (Some(account), Some(event), Some(reply)) if event.row.hosts.contains(&host) => {
                Some(account.interpret(event, host, reply))
            }
            _ => None,
        };
        Sent { judged, outcome, skipped_handlers: dry.handlers }
    }
}
