//! Shell completions. The script of a shell asks this program at each Tab, so that ids of the log complete as well.

use std::process::ExitCode;
use std::sync::Arc;

use clap_complete::CompletionCandidate;
use clap_complete::env::{CompleteEnv, Shells};
use snaphook_adapters::registry::Registry;

use super::log::subject::subject;
use super::log::table::verdict;
use super::table::cell;
use super::{Failure, command};
use crate::audit::{AuditEntry, Log};
use crate::policy::{Places, UserPolicy};
use crate::serve::default_audit;
use crate::stall;

/// The variable by which a script asks.
const ASKED: &str = "SNAPHOOK_COMPLETE";

/// Prints the completion script of a shell.
pub(super) fn script(shell: clap_complete::Shell, out: &mut String) -> Result<ExitCode, Failure> {
    let shells = Shells::builtins();
    let known = shells.completer(&shell.to_string());
    let known = known.ok_or_else(|| Failure(format!("there are no completions for {shell}")))?;
    let mut bytes = Vec::new();
    known.write_registration(ASKED, PROGRAM, PROGRAM, PROGRAM, &mut bytes)?;
    out.push_str(&String::from_utf8(bytes)?);
    if shell == clap_complete::Shell::Zsh {
        out.push_str(CALL_IN_ZSH);
    }
    Ok(ExitCode::SUCCESS)
}

/// As a file of `fpath`, the script is the function that completes. Without this, the first Tab only replaces the function.
const CALL_IN_ZSH: &str = "if [[ $funcstack[1] = _snaphook ]]; then\n    _clap_dynamic_completer_snaphook \"$@\"\nfi\n";

const PROGRAM: &str = "snaphook";

/// Prints what completes the command line of a script. Returns false if no script asks.
///
/// # Errors
/// The shell is unknown, or the output cannot be written.
pub(super) fn answered(registry: &Arc<Registry>) -> Result<bool, clap::Error> {
    let folder = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(|| command(registry)).var(ASKED);
    asked.try_complete(std::env::args_os(), folder.as_deref())
}

/// The ids of the newest records of the policy's log for which `is_offered` returns true, each with its verdict and its call.
pub(super) fn ids(registry: &Registry, is_offered: fn(&AuditEntry) -> bool) -> Vec<CompletionCandidate> {
    stall::watched(1, || newest(registry, is_offered))
}

fn newest(registry: &Registry, is_offered: fn(&AuditEntry) -> bool) -> Vec<CompletionCandidate> {
    let places = Places::from_environment();
    let named = UserPolicy::load(&places, registry).ok().and_then(|user| user.audit().file.clone());
    let Some(log) = named.or_else(|| default_audit(&places)).and_then(|path| Log::open(&path).ok()) else {
        return Vec::new();
    };
    let newest = log.lines_backward().take(SEARCHED).map_while(Result::ok);
    let records = newest.filter_map(|line| AuditEntry::parse(&line.bytes)).filter(is_offered);
    let is_id = |entry: &AuditEntry| entry.id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let candidate = |entry: AuditEntry| {
        let says = [verdict(&entry), entry.agent.clone(), about(registry, &entry)].join("  ");
        CompletionCandidate::new(entry.id).help(Some(cell(&says, WIDTH).into()))
    };
    records.filter(is_id).take(OFFERED).map(candidate).collect()
}

/// What a record is about: the call, as far as it is recorded, or else the event.
fn about(registry: &Registry, entry: &AuditEntry) -> String {
    let subject = Some(subject(registry, entry)).filter(|subject| !subject.is_empty());
    subject.or_else(|| entry.tool.clone()).unwrap_or_else(|| entry.event.clone())
}

/// The number of records that are looked at, and of ids that are offered.
const SEARCHED: usize = 500;
const OFFERED: usize = 20;
/// The greatest width of the text beside an id.
const WIDTH: usize = 70;
