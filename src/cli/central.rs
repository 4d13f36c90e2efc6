//! The state of the central log, for `status` and `doctor`.

use serde::Serialize;
use snaphook_adapters::registry::Registry;
use snaphook_policy::HttpEndpoint;

use super::one_line;
use crate::audit::refused_file;
use crate::export::{SendPosition, unsent};
use crate::platform::processes;
use crate::policy::{Places, UserPolicy};
use crate::serve::default_audit;
use crate::setup::command_line::argument;

/// What the collector has, and what it does not have.
#[derive(Debug, Serialize)]
pub(super) struct CentralLog {
    /// One sentence.
    pub(super) says: String,
    /// What a person should do about it; empty if nothing is wrong.
    pub(super) remedy: String,
}

impl CentralLog {
    /// Returns `None` if the policy names no collector, or is invalid.
    pub(super) fn find(places: &Places, registry: &Registry) -> Option<Self> {
        let user = UserPolicy::load(places, registry).ok()?;
        let audit = user.audit();
        let endpoint = audit.otlp.as_ref()?;
        if !audit.enabled {
            let says = format!("nothing is sent to {}, because the log is off", endpoint.url);
            return Some(Self { says, remedy: "set `enabled = true` in `[audit]`".to_owned() });
        }
        let log = audit.file.clone().or_else(|| default_audit(places))?;
        let refused = refused_file(&log);
        let found = SendPosition::read(&log)
            .and_then(|position| Ok((unsent(&log, &position)?, unsent(&refused, &SendPosition::default())?, position)));
        Some(match found {
            Ok((waiting, aside, position)) => {
                Self::of(endpoint, waiting, &position, aside, &argument(&refused, places))
            }
            Err(error) => Self {
                says: format!("{}: {error}", places.shown(&log)),
                remedy: "make the log and the folder with `.sent` beside it readable".to_owned(),
            },
        })
    }

    fn of(endpoint: &HttpEndpoint, waiting: usize, position: &SendPosition, aside: usize, file: &str) -> Self {
        let records = |count: usize| if count == 1 { "1 record".to_owned() } else { format!("{count} records") };
        let mut says = format!("{} to be sent to {}", records(waiting), endpoint.url);
        let mut remedies = Vec::new();
        if let Some(failure) = &position.failure {
            let times = if failure.attempts == 1 { "once".to_owned() } else { format!("{} times", failure.attempts) };
            says = format!("{says}; failed {times} since {}: {}", failure.since, one_line(&failure.what));
            remedies.push("calls try again; to try now: snaphook log --send".to_owned());
        }
        let partly = usize::try_from(position.refused).unwrap_or(usize::MAX);
        if partly > 0 || aside > 0 {
            let refused = records(partly.saturating_add(aside));
            let why = if position.refused_because.is_empty() { "no reason" } else { &position.refused_because };
            says = format!("{says}; the collector has refused {refused}: {}", one_line(why));
        }
        if partly > 0 {
            remedies
                .push(format!("{} refused within a batch: not sent again; the local log has them", records(partly)));
        }
        if aside > 0 {
            remedies
                .push(format!("{} refused alone: to send again: snaphook log --send --audit {file}", records(aside)));
        }
        if !processes::DETACHES {
            remedies.push("on this system calls send nothing; run `snaphook log --send` regularly".to_owned());
        }
        Self { says, remedy: remedies.join("\n") }
    }
}
