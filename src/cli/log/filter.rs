//! The options that select a log and its records.

use std::path::PathBuf;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::registry::Registry;

use super::super::{Failure, audit_log};
use crate::audit::AuditEntry;

#[derive(clap::Args)]
pub(in crate::cli) struct LogFilter {
    /// Only calls of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only this event, in the agent's own spelling
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only this tool, in the agent's own spelling
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only calls decided or answered with this verdict: pass, allow, ask, deny, respond, abort, hard-abort,
    /// keep-going
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    verdict: Option<VerdictKind>,
    /// Only calls where the agent could not express the whole decision
    #[arg(long)]
    lost: bool,
    /// Only calls that failed, or that ran outside the sandbox although the policy requires it
    #[arg(long)]
    failed: bool,
    /// Only calls whose verdict was not enforced, because of `mode = "monitor"`, a pause or `allow-once`
    #[arg(long)]
    waived: bool,
    /// Only records since this time: 30m, 2h, 3days, 2026-11-22, '2026-11-22 08:00', 2026-11-22T08:00:00Z or
    /// 2026-11-22T10:00:00+02:00; local time if it names no zone
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Timestamp>,
}

/// The options that select a log.
#[derive(clap::Args)]
pub(in crate::cli) struct LogSource {
    /// The log to read; default: the one of the policy
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// The policy that names the log
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
}

impl LogFilter {
    pub(super) fn takes(&self, entry: &AuditEntry) -> bool {
        let is = |wanted: &Option<String>, is: Option<&str>| wanted.as_deref().is_none_or(|wanted| Some(wanted) == is);
        is(&self.agent, Some(&entry.agent))
            && is(&self.event, Some(&entry.event))
            && is(&self.tool, entry.tool.as_deref())
            && is(&self.session, entry.session.as_deref())
            && self.verdict.is_none_or(|verdict| [entry.decided(), entry.wanted, entry.sent].contains(&verdict))
            && (!self.lost || !entry.losses.is_empty())
            && (!self.failed || entry.failure.is_some() || entry.incident.is_some())
            && (!self.waived || entry.waived.is_some())
            && self.since.is_none_or(|since| entry.time.parse::<Timestamp>().is_ok_and(|at| at >= since))
    }
}

impl LogSource {
    pub(in crate::cli) fn path(&self, registry: &Registry) -> Result<PathBuf, Failure> {
        audit_log::path(registry, self.audit.clone(), self.policy.clone())
    }
}

fn verdict(text: &str) -> Result<VerdictKind, String> {
    let word = |kind: VerdictKind| kind.word().replace(' ', "-");
    let known = VerdictKind::ALL.into_iter().find(|kind| word(*kind).eq_ignore_ascii_case(text));
    known.ok_or_else(|| format!("unknown verdict; expected one of {}", VerdictKind::ALL.map(word).join(", ")))
}

fn since(text: &str) -> Result<Timestamp, String> {
    if let Ok(ago) = humantime::parse_duration(text) {
        let at = SystemTime::now().checked_sub(ago).and_then(|at| Timestamp::try_from(at).ok());
        return Ok(at.unwrap_or(Timestamp::MIN));
    }
    // A date with a zone also parses as one without, which would ignore the zone.
    let with_zone = text.parse::<Timestamp>().ok();
    let has_zone = || text.ends_with(['Z', 'z']) || text.get(10..).is_some_and(|time| time.contains(['+', '-']));
    let local = || {
        let time = text.parse::<DateTime>().or_else(|_| text.parse::<Date>().map(DateTime::from)).ok()?;
        Some(time.to_zoned(TimeZone::system()).ok()?.timestamp())
    };
    with_zone.or_else(|| if has_zone() { None } else { local() }).ok_or_else(|| {
        "expected a duration (30m, 2h, 3days) or a date (2026-11-22, 2026-11-22T08:00:00Z, 2026-11-22T10:00:00+02:00)"
            .to_owned()
    })
}

/// A recorded time in the zone of the user, to the second; the text itself if it is not a time.
pub(in crate::cli) fn local_time(time: &str) -> String {
    let local = |at: Timestamp| at.to_zoned(TimeZone::system()).strftime("%F %T").to_string();
    time.parse().map_or_else(|_| time.to_owned(), local)
}
