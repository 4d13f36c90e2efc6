//! `snaphook pause`: for a while, records what would be blocked and blocks nothing of it.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use snaphook_adapters::registry::Registry;

use super::log::filter::local_time;
use super::{Failure, ask, audit_log, one_line};
use crate::audit::{AuditFile, Record, append, new_id};
use crate::overrides::{OverrideSpan, pause};
use crate::policy::{Places, UserPolicy};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook pause 10m
  snaphook pause            is there a pause?
  snaphook pause --stop

During a pause the agent's own rules decide what your policy or a project's would block. [protect], [sandbox] and
the managed policy hold, and each such call is recorded. The question is asked only on your terminal, so that no
agent can answer it through a pipe.")]
pub(crate) struct PauseArgs {
    /// How long, such as 10m or 1h; at most 8h
    #[arg(value_name = "TIME", value_parser = length, conflicts_with = "stop")]
    time: Option<Duration>,
    /// End the pause
    #[arg(long)]
    stop: bool,
}

fn length(text: &str) -> Result<Duration, String> {
    let length = humantime::parse_duration(text).ok();
    let length = length.filter(|length| (1..=pause::LONGEST.as_secs()).contains(&length.as_secs()));
    length.ok_or_else(|| "expected a time such as 10m or 1h, at most 8h".to_owned())
}

pub(super) fn run(registry: &Registry, what: &PauseArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let places = Places::from_environment();
    if what.stop {
        let _ = writeln!(out, "{}", if pause::stop(&places)? { "the pause is over" } else { "there is no pause" });
        return Ok(ExitCode::SUCCESS);
    }
    let Some(time) = what.time else {
        let notice = notice(&places).unwrap_or_else(|| "there is no pause".to_owned());
        let _ = writeln!(out, "{}", one_line(notice));
        return Ok(ExitCode::SUCCESS);
    };
    let user = UserPolicy::load(&places, registry)?;
    user.can_pause()?;
    let _ = writeln!(
        out,
        "For {}, what your policy or a project's would block is only recorded, and the agents' own rules decide.\n\
         [protect], [sandbox] and a managed policy hold.",
        humantime::format_duration(time)
    );
    if !ask::confirmed(out, "Pause?")? {
        let _ = writeln!(out, "not paused: `snaphook pause` asks for confirmation on a terminal");
        return Ok(ExitCode::from(1));
    }
    let span = OverrideSpan::starting(SystemTime::now(), time);
    record(registry, &user, "pause", &format!("until {}", humantime::format_rfc3339_seconds(span.end())))?;
    pause::start(&places, span)?;
    let _ = writeln!(out, "paused until {}; to end it before: snaphook pause --stop", shown(span));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn shown(span: OverrideSpan) -> String {
    local_time(&humantime::format_rfc3339_seconds(span.end()).to_string())
}

/// Says that there is a pause, or that its file cannot be used.
pub(super) fn notice(places: &Places) -> Option<String> {
    match pause::current(places, SystemTime::now()) {
        Ok(span) => span.map(|span| {
            format!(
                "paused until {}: what the rules would block is only recorded; snaphook pause --stop ends it",
                shown(span)
            )
        }),
        Err(why) => Some(why),
    }
}

/// Records what the person sets aside. Without a record, it is not set aside.
pub(super) fn record(registry: &Registry, user: &UserPolicy, event: &str, what: &str) -> Result<(), Failure> {
    if !user.audit().enabled {
        return Ok(());
    }
    let path = audit_log::path(registry, None, None)?;
    let mut record = Record::new(&new_id(), "snaphook");
    record.unverified = false;
    event.clone_into(&mut record.event);
    what.clone_into(&mut record.reason);
    user.origin().clone_into(&mut record.policy);
    append(&AuditFile::new(&path), &record, Instant::now() + RECORDING)
        .map_err(|error| Failure(format!("{}: cannot be written, so nothing was changed: {error}", path.display())))
}

const RECORDING: Duration = Duration::from_secs(2);
