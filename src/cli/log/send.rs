//! `snaphook log --send`: sends the records to the collector of the policy.

use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

use super::LogArgs;
use crate::audit::refused_file;
use crate::cli::Failure;
use crate::export::{SendError, SendUntil, leave_agent, send};
use crate::policy::{Places, UserPolicy};
use crate::serve::print_error;

pub(super) fn run(registry: &Registry, what: &LogArgs) -> Result<ExitCode, Failure> {
    let log = what.source.path(registry)?;
    if what.in_background {
        leave_agent(&log);
    }
    let mut places = Places::from_environment();
    places.policy.clone_from(&what.source.policy);
    let user = UserPolicy::load(&places, registry)?;
    let says = "the policy names no collector; expected a line such as `otlp = \"http://127.0.0.1:4318\"` in `[audit]`";
    let endpoint = user.audit().otlp.as_ref().ok_or(says)?;
    let until = if what.in_background { SendUntil::Idle } else { SendUntil::AllSent };
    match send(&log, endpoint, until) {
        Ok(report) => {
            let mut refused = if report.refused == 0 { String::new() } else { format!(", {} refused", report.refused) };
            if report.set_aside > 0 {
                let file = refused_file(&log);
                refused = format!("{refused}; {} of these are in {}", report.set_aside, places.shown(&file));
            }
            let records = if report.sent() == 1 { "1 record".to_owned() } else { format!("{} records", report.sent()) };
            print_error(&format!("{records} sent to {}{refused}", endpoint.url));
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ SendError::Busy) => Err(Failure(format!("{}: {error}; nothing to do", log.display()))),
        Err(error @ SendError::Files(_)) => Err(Failure(format!("{}: {error}", log.display()))),
        Err(error @ SendError::Collector(_)) => Err(Failure(format!(
            "{}: {error}; the records wait in the log, and the next calls send them",
            endpoint.url
        ))),
    }
}
