//! `snaphook allow-once`: lets a call that was blocked pass once.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;

use super::log::filter::local_time;
use super::pause::{record, shown};
use super::reach::{OverrideCommand, RegisteredPolicy};
use super::why::NamedRecord;
use super::{Failure, ask, audit_log, one_line};
use crate::audit::AuditEntry;
use crate::overrides::{OverrideSpan, once};
use crate::policy::{Places, UserPolicy};
use crate::setup::command_line::{argument, policy_options};
use crate::setup::target::SetupContext;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook allow-once k3f9abc
  snaphook allow-once last
  snaphook allow-once k3f9abc --policy ~/team/policy.toml

The same call, by the same agent in the same folder with the same arguments, passes once within 10 minutes: the
agent's own rules decide. [protect], [sandbox] and the managed policy hold. If the agent's registered line reads a
policy in another folder, the command is shown. The question is asked only on your terminal, so that no agent can
answer it through a pipe.")]
pub(crate) struct AllowOnceArgs {
    #[command(flatten)]
    record: NamedRecord,
    /// The policy that the agent's registered line names; default: your own
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

pub(super) fn run(registry: &Registry, what: &AllowOnceArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let context = SetupContext::from_environment()?;
    let mut places = context.places.clone();
    places.policy = what.policy.clone().or(places.policy);
    let user = UserPolicy::load(&places, registry)?;
    user.can_allow_once()?;
    let (entry, log) = what.record.find(registry, places.policy.clone())?;
    let Some(call) = allowable(&entry) else {
        let text = "this call cannot be allowed once: it was not blocked, or not by a rule that a person can set aside";
        return Err(Failure(format!("{}: {text}; see `snaphook why {}`", entry.id, entry.id)));
    };
    let again = |policy: Option<&PathBuf>| command(registry, &entry, &log, policy, &places);
    let registered = RegisteredPolicy::all(&context, agent(registry, &entry));
    let reach = OverrideCommand { registry, check: UserPolicy::can_allow_once, again: &again };
    describe(&entry, out);
    reach.warn(&registered, &places, out);
    if !ask::confirmed(out, "Let this call pass once?")? {
        let _ = writeln!(out, "not allowed: `snaphook allow-once` asks for confirmation on a terminal");
        return Ok(ExitCode::from(1));
    }
    let now = SystemTime::now();
    let span = OverrideSpan::starting(now, once::LIFETIME);
    record(&user, "allow-once", &entry.id)?;
    once::grant(&places, call, span, now)?;
    let _ = writeln!(out, "the same call of {} passes once until {}", one_line(&entry.agent), shown(span));
    Ok(ExitCode::SUCCESS)
}

/// The command that lets the call of a record pass once, for registered lines that read this policy.
pub(super) fn command(
    registry: &Registry,
    entry: &AuditEntry,
    log: &Path,
    policy: Option<&PathBuf>,
    places: &Places,
) -> String {
    let of_policy = audit_log::path(registry, None, policy.cloned());
    let audit = match of_policy {
        Ok(path) if path == log => String::new(),
        _ => format!(" --audit {}", argument(log, places)),
    };
    format!("snaphook allow-once {}{audit}{}", entry.id, policy_options(policy, places))
}

/// The agent of a record.
pub(super) fn agent<'a>(registry: &'a Registry, entry: &AuditEntry) -> impl Iterator<Item = &'a Agent> {
    registry.get(&entry.agent).map(HookProtocol::agent).into_iter()
}

/// The digest of a call that can be allowed once.
pub(super) fn allowable(entry: &AuditEntry) -> Option<&str> {
    let is_protected = entry.causes.first().is_some_and(|cause| cause.rule.starts_with("protect."));
    let is_digest = |call: &&str| call.len() == 64 && call.bytes().all(|byte| byte.is_ascii_hexdigit());
    entry.fingerprint.as_deref().filter(is_digest).filter(|_| !is_protected)
}

/// Shows what is known of a call. The agent may have named the id of another call than it says.
fn describe(entry: &AuditEntry, out: &mut String) {
    let tool = entry.tool.as_deref().unwrap_or_default();
    let head = format!("{}  {}  {tool}", local_time(&entry.time), entry.agent);
    let _ = writeln!(out, "{}", one_line(head));
    if let Some(input) = &entry.input {
        let _ = writeln!(out, "input     {}", one_line(input));
    } else {
        let _ = writeln!(out, "input     not recorded; the policy can say `[audit] inputs = \"redacted\"`");
    }
    for cause in entry.causes.iter().take(1) {
        let action = cause.action.as_ref().map(|action| format!(" on {action}")).unwrap_or_default();
        let _ =
            writeln!(out, "{}", one_line(format!("because   {} says {}{action}", cause.rule, cause.verdict.word())));
    }
}
