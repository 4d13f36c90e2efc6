//! `snaphook pause`: for a while, records what would be blocked and blocks nothing of it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use snaphook_adapters::protocol::HookProtocol;
use snaphook_adapters::registry::Registry;

use super::log::filter::local_time;
use super::reach::{OverrideCommand, RegisteredPolicy, by_folder};
use super::{Failure, ask, audit_log, one_line};
use crate::audit::{AuditFile, Record, append, new_id};
use crate::overrides::{OverrideSpan, pause};
use crate::policy::{Places, UserPolicy};
use crate::serve::default_audit;
use crate::setup::command_line::policy_options;
use crate::setup::target::SetupContext;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook pause 10m
  snaphook pause            is there a pause?
  snaphook pause --stop
  snaphook pause 10m --policy ~/team/policy.toml

During a pause the agent's own rules decide what your policy or a project's would block. [protect], [sandbox] and
the managed policy hold, and each such call is recorded. It holds for the registered lines that read this policy or
another one in its folder; for other lines, the command is shown. The question is asked only on your terminal, so
that no agent can answer it through a pipe.")]
pub(crate) struct PauseArgs {
    /// How long, such as 10m or 1h; at most 8h
    #[arg(value_name = "TIME", value_parser = length, conflicts_with = "stop")]
    time: Option<Duration>,
    /// End the pause
    #[arg(long)]
    stop: bool,
    /// The policy that the registered lines name; default: your own
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

fn length(text: &str) -> Result<Duration, String> {
    let length = humantime::parse_duration(text).ok();
    let length = length.filter(|length| (1..=pause::LONGEST.as_secs()).contains(&length.as_secs()));
    length.ok_or_else(|| "expected a time such as 10m or 1h, at most 8h".to_owned())
}

pub(super) fn run(registry: &Registry, what: &PauseArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let context = SetupContext::from_environment()?;
    let mut places = context.places.clone();
    places.policy = what.policy.clone().or(places.policy);
    if what.stop {
        let _ = writeln!(out, "{}", if pause::stop(&places)? { "the pause is over" } else { "there is no pause" });
        return Ok(ExitCode::SUCCESS);
    }
    let registered = RegisteredPolicy::all(&context, registry.iter().map(HookProtocol::agent));
    let Some(time) = what.time else {
        let found = FoundPause::all(&places, &registered);
        if found.is_empty() {
            out.push_str("there is no pause\n");
        }
        for pause in found {
            let _ = writeln!(out, "{}", one_line(pause.says));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let user = UserPolicy::load(&places, registry)?;
    user.can_pause()?;
    let length = humantime::format_duration(time).to_string();
    let again = |policy: Option<&PathBuf>| {
        format!("snaphook pause {}{}", length.replace(' ', ""), policy_options(policy, &places))
    };
    let reach = OverrideCommand { registry, check: UserPolicy::can_pause, again: &again };
    let _ = writeln!(
        out,
        "For {length}, what your policy or a project's would block is only recorded, and the agents' own rules decide.\n\
         [protect], [sandbox] and a managed policy hold.",
    );
    reach.warn(&registered, &places, out);
    if !ask::confirmed(out, "Pause?")? {
        let _ = writeln!(out, "not paused: `snaphook pause` asks for confirmation on a terminal");
        return Ok(ExitCode::from(1));
    }
    let span = OverrideSpan::starting(SystemTime::now(), time);
    record(&user, "pause", &format!("until {}", humantime::format_rfc3339_seconds(span.end())))?;
    pause::start(&places, span)?;
    let _ = writeln!(out, "paused until {}; to end it before: {}", shown(span), stop(&places));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn shown(span: OverrideSpan) -> String {
    local_time(&humantime::format_rfc3339_seconds(span.end()).to_string())
}

/// A pause that is in force, or a file of one that cannot be used.
#[derive(Debug, Serialize)]
pub(super) struct FoundPause {
    /// The end; `None` if the file cannot be used.
    until: Option<String>,
    /// The registered lines that look for it.
    lines: Vec<String>,
    /// The same in a sentence.
    pub(super) says: String,
}

impl FoundPause {
    /// Finds the pause beside the policy of `own`, and those for registered lines with another policy.
    pub(super) fn all(own: &Places, registered: &[RegisteredPolicy]) -> Vec<Self> {
        let all: usize = registered.iter().map(|policy| policy.lines.len()).sum();
        let found = by_folder(own, registered).into_iter().filter_map(|(places, lines)| {
            let effect = match lines.len() {
                0 if all > 0 => ", but no registered line that was found reads this policy".to_owned(),
                some if some < all => format!(" for {}{RECORDS_ONLY}", lines.join(", ")),
                _ => RECORDS_ONLY.to_owned(),
            };
            Self::beside(places, lines, &effect)
        });
        found.collect()
    }

    /// Finds the pause beside one policy. `effect` follows the time in its sentence.
    fn beside(places: &Places, lines: Vec<&str>, effect: &str) -> Option<Self> {
        let (until, says) = match pause::current(places, SystemTime::now()) {
            Ok(span) => {
                let end = humantime::format_rfc3339_seconds(span?.end()).to_string();
                let (until, stop) = (local_time(&end), stop(places));
                let says = format!("paused until {until}{effect}; {stop} ends it");
                (Some(end), says)
            }
            Err(why) => (None, why),
        };
        Some(Self { until, lines: lines.into_iter().map(str::to_owned).collect(), says })
    }
}

/// Says that there is a pause beside the policy of `places`, or that its file cannot be used.
pub(super) fn notice(places: &Places) -> Option<String> {
    FoundPause::beside(places, Vec::new(), RECORDS_ONLY).map(|found| found.says)
}

/// The command that ends the pause beside the policy of `places`.
fn stop(places: &Places) -> String {
    format!("snaphook pause --stop{}", policy_options(&places.policy, places))
}

/// Records what the person sets aside. Without a record, it is not set aside.
pub(super) fn record(user: &UserPolicy, event: &str, what: &str) -> Result<(), Failure> {
    if !user.audit().enabled {
        return Ok(());
    }
    let path = user.audit().file.clone().or_else(|| default_audit(user.places())).ok_or_else(audit_log::nowhere)?;
    let mut record = Record::new(&new_id(), "snaphook");
    record.unverified = false;
    event.clone_into(&mut record.event);
    what.clone_into(&mut record.reason);
    user.origin().clone_into(&mut record.policy);
    append(&AuditFile::new(&path), &record, Instant::now() + RECORDING)
        .map_err(|error| Failure(format!("{}: cannot be written, so nothing was changed: {error}", path.display())))
}

/// The effect of a pause, as the end of a sentence.
const RECORDS_ONLY: &str = ": what the rules would block is only recorded";
const RECORDING: Duration = Duration::from_secs(2);
