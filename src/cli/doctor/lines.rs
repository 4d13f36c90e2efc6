//! Runs the registered commands as the agent would run them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Command, Detail, EventKind, HookEvent, Incoming, Reply, ShellKind, ToolCall};
use snaphook_adapters::protocol::{Agent, EventRow, HookProtocol, Native, RegisteredLine, Transport};
use snaphook_hosts::account;

use super::super::unverified;
use super::{CHECK_ONCE, Finding, shown};
use crate::policy::Places;
use crate::setup::guard;
use crate::setup::hooks::{RegisteredHook, our_hooks};
use crate::setup::run::{Said, run as run_program};
use crate::setup::state::RegistrationChecker;
use crate::setup::target::{Scope, SetupContext};

/// Runs every registered command of snaphook in the agent's files, and finds gates without one.
pub(super) fn registered(protocol: &'static dyn HookProtocol, checker: &RegistrationChecker<'_>) -> Vec<Finding> {
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
                for hook in &hooks {
                    findings.extend(checked(protocol, hook, &path, context, places));
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
            format!("see snaphook status {0}; snaphook install {0}", agent.id),
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
    protocol: &'static dyn HookProtocol,
    hook: &RegisteredHook,
    path: &Path,
    context: &SetupContext,
    places: &Places,
) -> Vec<Finding> {
    let agent = protocol.agent();
    let Some(host) = account(agent.id) else { return Vec::new() };
    // Every policy denies a write to itself, unless it turns `[protect]` off.
    let policy = hook.line.policy().map(PathBuf::from).or_else(|| places.user_files().into_iter().next());
    let policy = policy.unwrap_or_default().display().to_string();
    let remove = Action::Shell {
        command: Command::Text(format!("rm {}", guard::word(&policy))),
        cwd: None,
        shell: ShellKind::Posix,
    };
    let calls = [Action::Write { path: policy }, remove];
    let calls: Vec<_> = calls.iter().filter_map(|action| ToolCall::sketch(agent, action)).collect();
    let mut findings = Vec::new();
    if let Some(gone) = hook.line.policy().map(Path::new).filter(|policy| !policy.is_file()) {
        findings.push(Finding::bad(
            format!("{} in {}", agent.id, places.shown(path)),
            format!(
                "an entry names the policy {}, which does not exist: every gated call is denied",
                places.shown(gone)
            ),
            format!("restore the file, or run snaphook install {}", agent.id),
        ));
    }
    for row in rows(agent, hook) {
        let Some(call) = calls.iter().find(|call| row.is_about(&call.name)) else { continue };
        let mut event = HookEvent::new(agent, row, Raw::document("{}"));
        event.dialect = row.selector.dialects.first().copied();
        event.session = Some("doctor".to_owned());
        event.cwd = Some(context.cwd.display().to_string());
        event.detail = Detail::Tool(call.clone());
        let about = format!("{} {} in {}", agent.id, row.native, places.shown(path));
        let began = Instant::now();
        let message = host.present(&event);
        let native =
            Native::new(message.as_str()).line(RegisteredLine::default().event(row.native).role(hook.line.role()));
        let Ok(Incoming::Event(event)) = protocol.parse(&native) else { continue };
        let said = run_program(&mut hook.start(agent), &format!("{message}\n"), Duration::from_secs(20));
        let took = began.elapsed();
        let remedy = format!("see snaphook status {0}; snaphook install {0}", agent.id);
        let said = match said {
            Ok(said) => said,
            Err(error) => {
                findings.push(Finding::bad(about, format!("the command cannot be run: {error}"), remedy));
                continue;
            }
        };
        let reply = answer(agent, &said);
        let blocked = reply
            .as_ref()
            .is_some_and(|reply| event.row.hosts.iter().all(|id| host.interpret(&event, id, reply).effect.blocks()));
        findings.push(if blocked {
            Finding::good(about, format!("blocks a call that must be denied ({} ms)", took.as_millis()))
        } else {
            Finding::bad(about, format!("does not block a call that must be denied: {}", shown(&said)), remedy)
        });
    }
    findings
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
