//! `snaphook status`: shows how each agent on this machine is registered.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use snaphook_adapters::protocol::HookProtocol;
use snaphook_adapters::raw::visible_json;
use snaphook_adapters::registry::Registry;

use super::central::CentralLog;
use super::pause::FoundPause;
use super::reach::RegisteredPolicy;
use super::table::columns;
use super::{Failure, install, one_line, unverified};
use crate::policy::{Places, UserPolicy, managed_file};
use crate::setup::names::Names;
use crate::setup::state::{RegistrationChecker, RegistrationState};
use crate::setup::target::{SetupContext, Version};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook status
  snaphook status codex hygge --json
  snaphook status docker-agent --agent-version 1.140.0

Exit code: 0 if every registration is current, else 1.")]
pub(crate) struct StatusArgs {
    /// The agents to show; default: all agents found on this machine
    agents: Vec<String>,
    /// The version of the agent; default: ask its program
    #[arg(long, value_name = "V")]
    agent_version: Option<String>,
    /// The policy that the entries should name; default: the one in the entries, else your own. Given again: a file with further rules
    #[arg(long, value_name = "FILE")]
    policy: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is registered, and what is enforced.
#[derive(Serialize)]
struct StatusReport<'a> {
    registrations: Vec<RegistrationState>,
    /// The value of `mode`; `None` if the policy is invalid.
    mode: Option<&'static str>,
    pauses: Vec<FoundPause>,
    managed_policy: Option<&'a Path>,
    /// `None` if the policy names no collector.
    central_log: Option<CentralLog>,
    /// The agents on this machine and the launcher of the sandbox that were never tested, with the reason.
    unverified: Vec<String>,
}

impl StatusReport<'_> {
    /// Prints it. `mode` is what a person should know about the mode.
    fn text(&self, places: &Places, mode: Option<String>, out: &mut String) {
        let lines = &self.registrations;
        if lines.is_empty() {
            out.push_str("No agent was found on this machine.\n");
        } else {
            let mut rows = vec![["agent", "state", "file", "what to do"].map(str::to_owned).to_vec()];
            rows.extend(lines.iter().map(|line| {
                let file = line.file.as_ref().map_or_else(|| "-".to_owned(), |file| places.shown(file));
                vec![line.agent.to_owned(), line.state.word().to_owned(), file, line.remedy.clone()]
            }));
            out.push_str(&columns(&rows, ""));
        }
        for line in lines {
            for conflict in &line.conflicts {
                let _ = writeln!(out, "{}: {}", line.agent, one_line(could_follow(conflict)));
            }
        }
        let pauses = self.pauses.iter().map(|pause| pause.says.clone());
        let managed = self.managed_policy.map(|file| format!("managed policy: {}", places.shown(file)));
        let central = self.central_log.as_ref().map(|central| format!("central log: {}", central.says));
        for notice in mode.into_iter().chain(pauses).chain(managed).chain(central) {
            let _ = writeln!(out, "{}", one_line(notice));
        }
        for line in &self.unverified {
            let _ = writeln!(out, "{line}");
        }
    }
}

/// Warns that the hook of another program could undo a change by snaphook.
pub(super) fn could_follow(conflict: &str) -> String {
    format!("{conflict} runs after snaphook and could take a command out of the sandbox")
}

pub(super) fn run(registry: &Registry, what: &StatusArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let context = SetupContext::from_environment()?;
    let places = &context.places;
    let names = Names::find(places, &what.policy)?;
    let records = install::records(places)?;
    let agents = install::chosen(registry, &what.agents, |agent| context.has(agent))?;
    let version = Version::or_asked(what.agent_version.as_deref());
    let checker = RegistrationChecker { context: &context, names: &names, records: &records, version };
    let lines: Vec<RegistrationState> = agents.into_iter().flat_map(|agent| checker.states(agent)).collect();
    let current = lines.iter().all(|line| line.state.is_in_order());
    let mut judged_by = places.clone();
    what.policy.iter().for_each(|file| judged_by.add_policy(file.clone()));
    let registered = RegisteredPolicy::all(&context, registry.iter().map(HookProtocol::agent));
    let user = UserPolicy::load(&judged_by, registry).ok();
    let agents: BTreeSet<_> = lines.iter().map(|line| line.agent).collect();
    let agents = agents.into_iter().filter_map(|id| Some(format!("{id}: {}", unverified(id)?)));
    let sandbox = user.as_ref().and_then(UserPolicy::sandbox_notice).map(|notice| format!("sandbox: {notice}"));
    let unverified = agents.chain(sandbox).collect();
    let report = StatusReport {
        registrations: lines,
        mode: user.as_ref().map(|user| user.mode().word()),
        pauses: FoundPause::all(&judged_by, &registered),
        managed_policy: managed_file(places),
        central_log: CentralLog::find(&judged_by, registry),
        unverified,
    };
    if what.json {
        out.push_str(&visible_json(&serde_json::to_string_pretty(&report)?));
        out.push('\n');
    } else {
        report.text(places, user.as_ref().and_then(UserPolicy::mode_notice), out);
    }
    Ok(if current { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
