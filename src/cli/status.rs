//! `snaphook status`: shows how each agent on this machine is registered.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use snaphook_adapters::raw::visible_json;
use snaphook_adapters::registry::Registry;

use super::central::CentralLog;
use super::table::columns;
use super::{Failure, install, one_line, pause, unverified};
use crate::policy::{UserPolicy, managed_file};
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
    let agents: std::collections::BTreeSet<_> = lines.iter().map(|line| line.agent).collect();
    let current = lines.iter().all(|line| line.state.is_in_order());
    if what.json {
        out.push_str(&visible_json(&serde_json::to_string_pretty(&lines)?));
        out.push('\n');
    } else if lines.is_empty() {
        out.push_str("No agent was found on this machine.\n");
    } else {
        let mut rows = vec![["agent", "state", "file", "what to do"].map(str::to_owned).to_vec()];
        rows.extend(lines.iter().map(|line| {
            let file = line.file.as_ref().map_or_else(|| "-".to_owned(), |file| places.shown(file));
            vec![line.agent.to_owned(), line.state.word().to_owned(), file, line.remedy.clone()]
        }));
        out.push_str(&columns(&rows, ""));
        for (line, conflict) in
            lines.iter().flat_map(|line| line.conflicts.iter().map(move |conflict| (line, conflict)))
        {
            let _ = writeln!(out, "{}: {}", line.agent, one_line(could_follow(conflict)));
        }
        let mut judged_by = places.clone();
        what.policy.iter().for_each(|file| judged_by.add_policy(file.clone()));
        if let Some(notice) = UserPolicy::load(&judged_by, registry).ok().and_then(|user| user.mode_notice()) {
            let _ = writeln!(out, "{}", one_line(notice));
        }
        if let Some(notice) = pause::notice(&judged_by) {
            let _ = writeln!(out, "{}", one_line(notice));
        }
        if let Some(file) = managed_file(places) {
            let _ = writeln!(out, "managed policy: {}", one_line(places.shown(file)));
        }
        if let Some(central) = CentralLog::find(places, registry) {
            let _ = writeln!(out, "central log: {}", one_line(central.says));
        }
        for (id, why) in agents.into_iter().filter_map(|id| Some((id, unverified(id)?))) {
            let _ = writeln!(out, "{id}: {why}");
        }
    }
    Ok(if current { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
