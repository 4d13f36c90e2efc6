//! Runs the registered commands as the agent would run them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Detail, EventKind, HookEvent, Incoming, Reply, ShellKind, ToolCall};
use snaphook_adapters::protocol::{Agent, EventRow, HookProtocol, Native, RegisteredLine, Transport};
use snaphook_adapters::registry::Registry;
use snaphook_hosts::{Account, account};
use snaphook_policy::{Folders, PolicyFault};

use super::super::try_it::dry::Dry;
use super::super::unverified;
use super::{CHECK_ONCE, Finding, FindingState, shown};
use crate::engine::judge;
use crate::policy::{LoadedPolicy, UserPolicy};
use crate::setup::guard;
use crate::setup::hooks::{RegisteredHook, our_hooks};
use crate::setup::run::{Said, run as run_program};
use crate::setup::state::RegistrationChecker;
use crate::setup::target::{Scope, SetupContext};

/// Runs every registered command of snaphook in the agent's files, and finds gates without one.
pub(super) fn registered(
    registry: &Registry,
    protocol: &'static dyn HookProtocol,
    checker: &RegistrationChecker<'_>,
) -> Vec<Finding> {
    let agent = protocol.agent();
    let (context, places) = (checker.context, &checker.context.places);
    let mut findings = Vec::new();
    let mut all = Vec::new();
    for path in context.files(agent) {
        let Ok(text) = crate::files::read_text(&path) else { continue };
        match our_hooks(&path, &text, agent.id) {
            Err(fault) => findings.push(Finding::bad(
                agent.id,
                format!("{}:{fault}", places.shown(&path)),
                "the agent cannot read it either; fix the file",
            )),
            Ok(hooks) => {
                if let Some(why) = unverified(agent.id).filter(|_| !hooks.is_empty()) {
                    let about = format!("{} in {}", agent.id, places.shown(&path));
                    let what = if account(agent.id).is_some() { why.to_owned() } else { format!("not tried; {why}") };
                    findings.push(Finding::odd(about, what, CHECK_ONCE));
                }
                for finding in hooks.iter().flat_map(|hook| checked(registry, protocol, hook, &path, checker)) {
                    // Several lines may name the same invalid policy.
                    if finding.state != FindingState::Bad || !findings.contains(&finding) {
                        findings.push(finding);
                    }
                }
                all.extend(hooks);
            }
        }
    }
    let written = checker.context.written(agent, Scope::User, checker.version).ok().filter(|_| !all.is_empty());
    let is_wanted = |row: &EventRow| written.iter().flatten().any(|target| target.block.serves(row));
    let mut missing: Vec<_> = agent.events.iter().filter(|row| row.gates() && is_wanted(row)).collect();
    missing.retain(|row| !all.iter().any(|hook| hook.serves(row)));
    missing.dedup_by_key(|row| row.native);
    findings.extend(missing.iter().map(|row| {
        Finding::bad(
            format!("{} {}", agent.id, row.native),
            "no entry calls snaphook for this event, so its calls are not judged",
            remedy(checker, agent, Scope::User),
        )
    }));
    findings
}

/// The gates on tool calls for which a hook is started.
fn rows(agent: &'static Agent, hook: &RegisteredHook) -> Vec<&'static EventRow> {
    let is_asked = |row: &&EventRow| row.gates() && matches!(row.kind, EventKind::PreTool | EventKind::Permission);
    let mut rows: Vec<_> = agent.events.iter().filter(|row| is_asked(row) && hook.serves(row)).collect();
    let mut met: Vec<&str> = Vec::new();
    rows.retain(|row| {
        !met.contains(&row.native) && {
            met.push(row.native);
            true
        }
    });
    rows
}

fn checked(
    registry: &Registry,
    protocol: &'static dyn HookProtocol,
    hook: &RegisteredHook,
    path: &Path,
    checker: &RegistrationChecker<'_>,
) -> Vec<Finding> {
    let (agent, context, places) = (protocol.agent(), checker.context, &checker.context.places);
    let scope = context.scope_of(agent, path);
    let Some(host) = account(agent.id) else { return Vec::new() };
    // Every policy denies a write to itself, unless it turns `[protect]` off.
    let named = hook.policies(context);
    let policy = named.first().cloned().or_else(|| places.user_files().into_iter().next());
    let policy = policy.unwrap_or_default().display().to_string();
    let denied = [Action::Write { path: policy.clone() }, shell(format!("rm {}", guard::word(&policy)))];
    let mut findings = Vec::new();
    let gone = named.iter().find(|policy| !policy.is_file());
    if let Some(gone) = gone {
        findings.push(Finding::bad(
            format!("{} in {}", agent.id, places.shown(path)),
            format!(
                "an entry names the policy {}, which does not exist: every gated call is denied",
                places.shown(gone)
            ),
            format!("restore the file, or run {}", checker.command("install", agent, scope)),
        ));
    }
    let expectation = Expectation::of(hook, context, registry);
    for row in rows(agent, hook) {
        let (folder, remedy) = (context.cwd.display().to_string(), remedy(checker, agent, scope));
        let probe = Probe { protocol, host, hook, row, folder, remedy };
        let about = format!("{} {} in {}", agent.id, row.native, places.shown(path));
        let Some(call) = probe.calls(&denied).next() else { continue };
        findings.push(probe.must_block(&call, &about));
        match &expectation {
            // It is reported above.
            Err(_) if gone.is_some() => {}
            Err(fault) => {
                let what = format!("the policy that the entry names is invalid: {fault}");
                findings.push(Finding::bad(about, what, "fix it: until then, every gated call is denied"));
            }
            Ok(expectation) => findings.extend(probe.must_pass(expectation, &about)),
        }
    }
    findings
}

fn shell(command: String) -> Action {
    Action::Shell { command: command.into(), cwd: None, shell: ShellKind::Posix }
}

/// The policy that a registered line names, which says what must pass.
struct Expectation<'a> {
    user: UserPolicy,
    registry: &'a Registry,
}

impl<'a> Expectation<'a> {
    fn of(hook: &RegisteredHook, context: &SetupContext, registry: &'a Registry) -> Result<Self, PolicyFault> {
        let mut places = context.places.clone();
        hook.policies(context).into_iter().for_each(|policy| places.add_policy(policy));
        places.trust = hook.line.trust().map(PathBuf::from);
        let user = UserPolicy::load(&places, registry)?;
        LoadedPolicy::compose(&user, Folders::at(context.cwd.to_str()), registry)?;
        Ok(Self { user, registry })
    }

    /// Returns true if the policy does not block a message, without regard to handlers, and the names of those.
    fn passes(&self, probe: &Probe<'_>, native: &Native) -> (bool, Vec<String>) {
        let policy = |folders: Folders<'_>| LoadedPolicy::compose(&self.user, folders, self.registry);
        let mut dry = Dry::default();
        let judged = judge(probe.protocol, native, &policy, &mut dry, None);
        let passes = match (&judged.event, &judged.reply) {
            (Some(event), Some(reply)) => !probe.blocked(event, reply).contains(&true),
            _ => false,
        };
        (passes, dry.handlers)
    }
}

/// A gate of a registered command.
struct Probe<'a> {
    protocol: &'static dyn HookProtocol,
    host: &'static Account,
    hook: &'a RegisteredHook,
    row: &'static EventRow,
    folder: String,
    /// What to do if the command does not work.
    remedy: String,
}

impl Probe<'_> {
    fn agent(&self) -> &'static Agent {
        self.protocol.agent()
    }

    /// The calls of the agent for some actions at this gate.
    fn calls(&self, actions: &[Action]) -> impl Iterator<Item = ToolCall> {
        let (agent, row) = (self.agent(), self.row);
        actions.iter().filter_map(|action| ToolCall::sketch(agent, action)).filter(|call| row.is_about(&call.name))
    }

    fn message(&self, call: &ToolCall) -> String {
        let mut event = HookEvent::new(self.agent(), self.row, Raw::document("{}"));
        event.dialect = self.row.selector.dialects.first().copied();
        event.session = Some("doctor".to_owned());
        event.cwd = Some(self.folder.clone());
        event.detail = Detail::Tool(call.clone());
        self.host.present(&event)
    }

    fn native(&self, message: &str) -> Native {
        let line = RegisteredLine::default().event(self.row.native).role(self.hook.line.role());
        Native::new(message).line(line.folder(Some(self.folder.clone())))
    }

    /// For each version of the agent, whether a reply blocks there.
    fn blocked(&self, event: &HookEvent, reply: &Reply) -> Vec<bool> {
        event.row.hosts.iter().map(|id| self.host.interpret(event, id, reply).effect.blocks()).collect()
    }

    /// Starts the registered command with a message. Returns what it says, and its effect on each version.
    fn answered(&self, message: &str) -> Result<(Said, Option<Vec<bool>>), String> {
        let agent = self.agent();
        let Ok(Incoming::Event(event)) = self.protocol.parse(&self.native(message)) else {
            return Err("the message of the check cannot be parsed".to_owned());
        };
        let mut command = self.hook.unlogged(agent).start(agent);
        let said = run_program(&mut command, &format!("{message}\n"), Duration::from_secs(20))
            .map_err(|error| format!("the command cannot be run: {error}"))?;
        let blocked = answer(agent, &said).map(|reply| self.blocked(&event, &reply));
        Ok((said, blocked))
    }

    fn must_block(&self, call: &ToolCall, about: &str) -> Finding {
        let began = Instant::now();
        match self.answered(&self.message(call)) {
            Err(why) => Finding::bad(about, why, self.remedy.clone()),
            Ok((_, Some(blocked))) if blocked.iter().all(|blocked| *blocked) => {
                Finding::good(about, format!("blocks a call that must be denied ({} ms)", began.elapsed().as_millis()))
            }
            Ok((said, _)) => {
                let what = format!("does not block a call that must be denied: {}", shown(&said));
                Finding::bad(about, what, self.remedy.clone())
            }
        }
    }

    /// Sends a call that the policy lets pass.
    fn must_pass(&self, expectation: &Expectation<'_>, about: &str) -> Option<Finding> {
        let file = Path::new(&self.folder).join("README.md").display().to_string();
        let harmless = [shell("true".to_owned()), Action::Read { path: file.clone() }, Action::Write { path: file }];
        let mut tried = false;
        for call in self.calls(&harmless) {
            tried = true;
            let message = self.message(&call);
            let (passes, handlers) = expectation.passes(self, &self.native(&message));
            if !passes {
                continue;
            }
            return Some(match self.answered(&message) {
                Err(why) => Finding::bad(about, why, self.remedy.clone()),
                Ok((_, Some(blocked))) if !blocked.contains(&true) => {
                    Finding::good(about, "lets a call pass that the policy does not block")
                }
                Ok((said, _)) if !handlers.is_empty() => {
                    let what = format!("blocks a harmless call ({}): {}", handlers.join(", "), shown(&said));
                    Finding::odd(about, what, "see whether these handlers mean to block every call")
                }
                Ok((said, _)) => {
                    let what = format!("blocks a call that its policy lets pass: {}", shown(&said));
                    Finding::bad(about, what, self.remedy.clone())
                }
            });
        }
        let what = "its policy blocks every harmless call of the check, so it was not checked that calls can pass";
        tried.then(|| Finding::odd(about, what, "allow what your work needs: snaphook policy show"))
    }
}

/// What to do about entries that do not work.
fn remedy(checker: &RegistrationChecker<'_>, agent: &Agent, scope: Scope) -> String {
    let (status, install) = (checker.command("status", agent, Scope::User), checker.command("install", agent, scope));
    format!("see {status}; {install}")
}

/// The reply of a program, as the agent reads it.
fn answer(agent: &Agent, said: &Said) -> Option<Reply> {
    let exit = u8::try_from(said.code?).ok()?;
    let stdout = match agent.transport {
        Transport::Lines => said.stdout.lines().next()?.to_owned(),
        _ => said.stdout.clone(),
    };
    let mut reply = Reply::silent();
    (reply.stdout, reply.stderr, reply.exit) = (stdout, said.stderr.clone(), exit);
    Some(reply)
}
