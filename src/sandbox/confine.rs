//! Adds the rewrite of the sandbox to a decision (C7, R5-R7, R10, R11).

use std::borrow::Cow;
use std::cell::Cell;

use snaphook_adapters::Raw;
use snaphook_adapters::fit::{Fitted, Loss};
use snaphook_adapters::model::{
    Action, Change, Command, Decision, Detail, EventKind, HookEvent, Need, ShellKind, Target, ToolCall, Verdict,
    VerdictKind,
};
use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_policy::{CallFacts, Cause, Launcher, Network, PathContext, SandboxPath, SandboxPolicy};

use super::wrap::CommandWrapper;
use crate::decide::{changed, folders_of, policy_call};
use crate::policy::LoadedPolicy;
use crate::watchdog::before_waiting;

/// Isolates the commands of one agent.
#[derive(Debug)]
pub(crate) struct Confinement<'p> {
    policy: &'p LoadedPolicy,
    facts: &'p CallFacts<'p>,
    sandbox: SandboxPolicy<'p>,
    wrapper: Result<CommandWrapper, String>,
    agent: &'static Agent,
}

/// The effect of the sandbox on a decision.
#[derive(Debug, Default)]
pub(crate) struct Confined {
    /// The block, if the sandbox itself blocked the call.
    pub(crate) cause: Option<Cause>,
    /// The loss, if an optional rewrite was not possible.
    pub(crate) loss: Option<Loss>,
    /// The report of a command that ran outside of the required sandbox (R11).
    pub(crate) incident: Option<String>,
    /// True if the call runs a command and the policy has a sandbox.
    runs: bool,
    /// The arguments with which every command of the call runs in the sandbox.
    inside: Option<Raw>,
}

impl Confined {
    /// Returns true if the command runs in the sandbox after this reply; `None` if the call runs no command, is blocked, or
    /// the policy has no sandbox.
    pub(crate) fn isolates(&self, event: &HookEvent, sent: &Fitted) -> Option<bool> {
        if !self.runs || sent.verdict().kind().blocks() {
            return None;
        }
        let input = sent.change(Target::Input).or_else(|| event.call().map(|call| &call.input));
        Some(self.inside.as_ref().zip(input).is_some_and(|(inside, input)| inside.means(input)))
    }
}

impl<'p> Confinement<'p> {
    /// Returns how the command of an event is isolated, or `None` if the policy does not ask for it.
    pub(crate) fn of(policy: &'p LoadedPolicy, facts: &'p CallFacts<'p>, event: &HookEvent) -> Option<Self> {
        let agent = event.agent;
        let sandbox = policy.sandbox(Some(agent.id))?;
        before_waiting();
        let trust = policy.places().trust.as_deref().filter(|_| sandbox.of_project);
        let wrapper = CommandWrapper::new(agent, policy.places(), policy.user_file(), trust, event.project.as_deref());
        Some(Self { policy, facts, sandbox, wrapper, agent })
    }

    /// The event with our own wrapper taken off, for the judges; `None`: there is none (R6, R7).
    pub(crate) fn bared(&self, protocol: &dyn HookProtocol, event: &HookEvent) -> Option<HookEvent> {
        let bare = self.bare(protocol, event, event.call()?)?;
        let mut event = event.clone();
        match &mut event.detail {
            Detail::Tool(call) | Detail::Answered { call, .. } | Detail::ToolDone { call, .. } => *call = bare,
            _ => return None,
        }
        Some(event)
    }

    fn bare(&self, protocol: &dyn HookProtocol, event: &HookEvent, call: &ToolCall) -> Option<ToolCall> {
        let wrapper = self.wrapper.as_ref().ok()?;
        let ours = Cell::new(false);
        // A call may have several commands, of which only some are wrapped.
        let bare = |command: &Command| {
            let inner = wrapper.inner(command);
            ours.set(ours.get() || inner.is_some());
            Some(inner.unwrap_or_else(|| command.clone()))
        };
        let inner = protocol.rewrite(call, &bare)?;
        if ours.get() { call.with_input(event.agent, inner.value) } else { None }
    }

    /// Returns true if the policy isolates the commands of a call: all commands, or those that `match` selects.
    fn is_for(&self, protocol: &dyn HookProtocol, event: &HookEvent, call: &ToolCall) -> bool {
        let Some((rules, own)) = self.sandbox.only else { return true };
        if call.row.is_some_and(|row| row.unseen) {
            return true;
        }
        let bare = self.bare(protocol, event, call);
        self.facts.concerns(rules, own, &policy_call(event.agent, bare.as_ref().unwrap_or(call)))
    }

    /// Adds the rewrite to a decision, or blocks the call if the rewrite is required but not possible.
    pub(crate) fn confine(&self, protocol: &dyn HookProtocol, event: &HookEvent, decision: &mut Decision) -> Confined {
        match (event.kind(), &event.detail) {
            (EventKind::PreTool | EventKind::Permission, Detail::Tool(call)) => {
                self.before(protocol, event, call, decision)
            }
            (EventKind::PostTool, Detail::ToolDone { call, .. }) => self.after(protocol, event, call, decision),
            (EventKind::SessionStart, _) => {
                let text = self.description(event);
                decision.context = Some(match decision.context.take() {
                    Some(before) => format!("{before}\n{text}"),
                    None => text,
                });
                Confined::default()
            }
            _ => Confined::default(),
        }
    }

    fn before(
        &self,
        protocol: &dyn HookProtocol,
        event: &HookEvent,
        call: &ToolCall,
        decision: &mut Decision,
    ) -> Confined {
        if decision.verdict.kind().blocks() {
            return Confined::default();
        }
        let mut wanted = decision.changes.iter_mut().find(|change| change.target == Target::Input);
        if let Some(change) = wanted.as_mut().filter(|_| self.sandbox.required && runs_something(call)) {
            // What follows is about the changed call, so the other one must not run.
            change.need = Need::Required;
        }
        let tool = wanted.as_ref().and_then(|change| change.tool.clone());
        let changed = wanted.and_then(|change| changed(event, change, self.facts.policy()).ok());
        let last = changed.as_ref().and_then(HookEvent::call).unwrap_or(call);
        let skill = last.skill.as_ref().is_some_and(|skill| self.facts.runs_commands(skill));
        if !skill && !runs_something(last) {
            return Confined::default();
        }
        if !self.is_for(protocol, event, last) {
            return Confined { runs: true, ..Confined::default() };
        }
        let rewritten = if skill {
            Err(format!("{} runs the commands of a skill itself; run them as separate commands", self.agent.name))
        } else {
            self.rewritten(protocol, last)
        };
        match rewritten {
            Ok(mut change) => {
                change.tool = tool;
                let inside = Some(change.value.clone());
                if changed.is_some() || !change.value.means(&call.input) {
                    decision.changes.retain(|change| change.target != Target::Input);
                    decision.changes.push(change);
                }
                Confined { runs: true, inside, ..Confined::default() }
            }
            Err(why) if self.sandbox.required => {
                let reason = format!("commands have to run in the sandbox, but {why}");
                decision.verdict = Verdict::Deny { reason };
                decision.changes.clear();
                Confined { cause: Some(Cause::new(VerdictKind::Deny, "sandbox")), ..Confined::default() }
            }
            Err(_) => Confined {
                loss: Some(Loss::Change {
                    target: Target::Input,
                    need: Need::Optional,
                    why: "the command cannot be put into the sandbox",
                    blocked: false,
                }),
                runs: true,
                ..Confined::default()
            },
        }
    }

    /// The change that wraps the commands of a call; the same input if they are already wrapped.
    fn rewritten(&self, protocol: &dyn HookProtocol, call: &ToolCall) -> Result<Change, String> {
        if call.row.is_some_and(|row| row.unseen) {
            return Err(format!("no hook sees the commands that {} runs; call the tools one by one", call.name));
        }
        let wrapper = self.wrapper.as_ref().map_err(Clone::clone)?;
        let foreign = |action: &Action| matches!(action, Action::Shell { shell, .. } if *shell != ShellKind::Posix);
        if call.actions.iter().any(foreign) {
            return Err("commands of this shell cannot be wrapped; use a POSIX shell".to_owned());
        }
        if call.suggested_actions.iter().any(is_command) {
            return Err(format!(
                "the commands of the tool {} cannot be wrapped; use the agent's own shell, or describe the tool in the policy",
                call.name
            ));
        }
        if call.actions.iter().any(|action| matches!(action, Action::ShellInput { .. })) {
            return Err("the input of a running shell cannot be wrapped; start a new command".to_owned());
        }
        if self.agent.wrapping.patches && self.facts.applies_patch(&policy_call(self.agent, call)) {
            return Err(format!(
                "{} applies a patch in a shell command itself, outside of the sandbox; call the tool apply_patch",
                self.agent.name
            ));
        }
        if self.sandbox.is_relative() && !wrapper.has_project() && call.actions.iter().any(starts_elsewhere) {
            return Err(
                "the call sets its working directory, and the paths of the sandbox are relative to it; leave the \
                                    directory out, or use absolute paths in sandbox.write and sandbox.hide"
                    .to_owned(),
            );
        }
        let failed = std::cell::OnceCell::new();
        let wrap = |command: &Command| match wrapper.wrapped(command) {
            Ok(command) => Some(command),
            Err(why) => {
                let _ = failed.set(why);
                None
            }
        };
        let Some(change) = protocol.rewrite(call, &wrap) else {
            let other = || "the command in the arguments of this call cannot be rewritten".to_owned();
            return Err(failed.into_inner().unwrap_or_else(other));
        };
        let shape = command(call).map(|text| wrapper.shape(&text)).unwrap_or_default();
        let change = if self.sandbox.required { change } else { Change::optional(Target::Input, change.value) };
        Ok(change.remedy(format!("in the sandbox it runs as: {shape}")))
    }

    /// Reports a command that ran outside of the required sandbox.
    fn after(
        &self,
        protocol: &dyn HookProtocol,
        event: &HookEvent,
        call: &ToolCall,
        decision: &mut Decision,
    ) -> Confined {
        let unseen = call.row.is_some_and(|row| row.unseen);
        let refused = event.row.did_not_run && event.result().is_some_and(|result| result.is_error == Some(true));
        if !self.sandbox.required || !self.agent.wrapping.shows || unseen || refused || !runs_something(call) {
            return Confined::default();
        }
        let ours = |command: &Command| self.wrapper.as_ref().ok()?.inner(command);
        if protocol.rewrite(call, &ours).is_some() || !self.is_for(protocol, event, call) {
            return Confined::default();
        }
        let incident = format!("a command of {} ran outside of the sandbox that the policy requires", call.name);
        let notice = format!("snaphook: {incident}");
        decision.notice = Some(match decision.notice.take() {
            Some(before) => format!("{before}\n{notice}"),
            None => notice,
        });
        Confined { incident: Some(incident), ..Confined::default() }
    }

    /// The description of the sandbox for the model at the start of a session (R10).
    fn description(&self, event: &HookEvent) -> String {
        let places = self.policy.places();
        let context = PathContext::new(folders_of(event), self.policy.machine());
        let mut text = match self.sandbox.only {
            None => String::from("snaphook runs every shell command in a separate sandbox. "),
            Some((rules, _)) => {
                let rules: Vec<_> = rules.iter().map(|rule| &*rule.text).collect();
                let rules = rules.join(", ");
                format!(
                    "snaphook runs a shell command in a separate sandbox if it matches, or may match, one of these \
                                         rules: {rules}. "
                )
            }
        };
        if matches!(self.sandbox.launcher, Launcher::Template(_)) {
            text.push_str("Access to files and the network is restricted. ");
        } else {
            let written = match self.sandbox.write {
                None => "the project and the temporary folders".to_owned(),
                Some((write, own)) => {
                    let shown = |place: &SandboxPath| match place.resolve(&context, own) {
                        Some(path) => places.shown(&path),
                        None => place.text.clone(),
                    };
                    let all: Vec<_> = write.iter().map(shown).collect();
                    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
                }
            };
            text.push_str("It can write to ");
            text.push_str(&written);
            text.push_str(" and nowhere else, and some files with secrets cannot be read. ");
            if self.sandbox.network == Network::Off {
                text.push_str("There is no network. ");
            }
        }
        text.push_str(
            "`cd`, exported variables, functions and aliases do not last beyond one command. Background jobs may end with \
                         it, and a later command may be unable to stop them. A failure with `Permission denied`, \
                         `Operation not permitted`, `Read-only file system` or exit code 126 is caused by the sandbox: do not try to work around it, say what \
                         access is needed.",
        );
        text
    }
}

fn runs_something(call: &ToolCall) -> bool {
    call.row.is_some_and(|row| row.unseen) || call.actions.iter().chain(&call.suggested_actions).any(is_command)
}

fn is_command(action: &Action) -> bool {
    matches!(action, Action::Shell { .. } | Action::ShellInput { .. })
}

/// Returns true if a call runs its command in another folder than the agent's. Even a folder below it may be a link
/// that a command created.
fn starts_elsewhere(action: &Action) -> bool {
    matches!(action, Action::Shell { cwd: Some(cwd), .. } if !matches!(cwd.as_str(), "" | "." | "./"))
}

fn command(call: &ToolCall) -> Option<Cow<'_, str>> {
    call.actions.iter().find_map(|action| match action {
        Action::Shell { command: Command::Text(text), .. } => Some(text.start().into()),
        Action::Shell { command: Command::Argv(words), .. } => Some(words.join(" ").into()),
        _ => None,
    })
}
