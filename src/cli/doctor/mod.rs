//! `snaphook doctor`: checks that every agent is registered, and that each registered command blocks a call that its policy denies and lets
//! another one pass.

mod environment;
mod lines;

use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use snaphook_adapters::protocol::{Agent, Passes};
use snaphook_adapters::raw::visible_json;
use snaphook_adapters::registry::Registry;

use super::status::could_follow;
use super::{Failure, called_twice, indented, install, one_line};
use crate::policy::{Places, on_path};
use crate::setup::names::Names;
use crate::setup::off::set;
use crate::setup::run::Said;
use crate::setup::state::{RegistrationChecker, RegistrationState, RegistrationStatus};
use crate::setup::target::{SetupContext, Version, installed_version};
use crate::setup::twice::judged_twice;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook doctor
  snaphook doctor claude-code
  snaphook doctor docker-agent --agent-version 1.140.0 --json

Each registered command gets a call that must be blocked, and one that its policy lets pass. They are not logged.

Exit code: 0 if every agent is registered correctly and every registered command does so, else 1.")]
pub(crate) struct DoctorArgs {
    /// The agents to check; default: all agents found on this machine
    agents: Vec<String>,
    /// The version of the agent; default: ask its program
    #[arg(long, value_name = "V")]
    agent_version: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The remedy if the behaviour of an agent was not measured.
const CHECK_ONCE: &str = "check once that it blocks: have it run a command that the policy denies";

/// The result of one check.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Finding {
    about: String,
    state: FindingState,
    what: String,
    /// The remedy; empty if nothing needs to be done.
    #[serde(skip_serializing_if = "String::is_empty")]
    remedy: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum FindingState {
    Good,
    Odd,
    Bad,
}

impl Finding {
    fn good(about: impl Into<String>, what: impl Into<String>) -> Self {
        Self { about: about.into(), state: FindingState::Good, what: what.into(), remedy: String::new() }
    }

    fn odd(about: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: FindingState::Odd, remedy: remedy.into(), ..Self::good(about, what) }
    }

    fn bad(about: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: FindingState::Bad, ..Self::odd(about, what, remedy) }
    }
}

pub(super) fn run(registry: &Registry, what: &DoctorArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let context = SetupContext::from_environment()?;
    let places = &context.places;
    let mut findings = vec![
        environment::policy(&context, registry),
        environment::log(places, registry),
        environment::own_path(places),
    ];
    findings.extend(environment::central_log(places, registry));
    findings.extend(environment::overrides(&context, registry));
    findings.extend(environment::drift(places, registry));
    findings.extend(environment::sandbox(places, &context, registry));
    let (names, records) = (Names::find(places, &[])?, install::records(places)?);
    let version = Version::or_asked(what.agent_version.as_deref());
    let checker = RegistrationChecker { context: &context, names: &names, records: &records, version };
    for agent in install::chosen(registry, &what.agents, |agent| context.has(agent))? {
        findings.extend(program(agent, what.agent_version.as_deref()));
        for found in checker.states(agent) {
            findings.push(registration(&found, places));
            let conflicts = found.conflicts.iter().map(|conflict| {
                let remedy = "make sure that it does not change commands; the log reports commands that ran outside the sandbox as incidents";
                Finding::odd(agent.id, could_follow(conflict), remedy)
            });
            findings.extend(conflicts);
        }
        findings.extend(passes(&context, agent, what.agent_version.as_deref()));
        let twice = judged_twice(&context, registry, agent).into_iter().filter(|twice| twice.caller.id == agent.id);
        findings.extend(twice.map(|twice| {
            let remedy = format!("both verdicts count; to judge each call once: snaphook uninstall {}", agent.id);
            Finding::odd(agent.id, called_twice(&twice, places), remedy)
        }));
        if let Some(protocol) = registry.get(agent.id) {
            findings.extend(lines::registered(registry, protocol, &checker));
        }
    }
    if what.json {
        out.push_str(&visible_json(&serde_json::to_string_pretty(&findings)?));
        out.push('\n');
    } else {
        for finding in &findings {
            let mark = match finding.state {
                FindingState::Good => "ok  ",
                FindingState::Odd => "note",
                FindingState::Bad => "BAD ",
            };
            let _ = writeln!(out, "{mark}  {}: {}", one_line(&finding.about), indented(&finding.what, "      "));
            if !finding.remedy.is_empty() {
                let _ = writeln!(out, "      {}", indented(&finding.remedy, "      "));
            }
        }
    }
    let bad = findings.iter().any(|finding| finding.state == FindingState::Bad);
    Ok(if bad { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Reports the registration of an agent, as `snaphook status` does.
fn registration(found: &RegistrationState, places: &Places) -> Finding {
    let file = found.file.as_ref().map(|file| places.shown(file));
    let place = |word: &str| file.as_ref().map_or_else(|| word.to_owned(), |file| format!("{file} is {word}"));
    match found.state {
        state @ (RegistrationStatus::Current | RegistrationStatus::Managed) => {
            Finding::good(found.agent, place(state.word()))
        }
        RegistrationStatus::Absent => Finding::bad(found.agent, "not registered", found.remedy.clone()),
        state => Finding::bad(found.agent, place(state.word()), found.remedy.clone()),
    }
}

/// Reports the version of the agent and how it affects hooks.
fn program(agent: &'static Agent, named: Option<&str>) -> Vec<Finding> {
    let registration = &agent.registration;
    if named.is_none() && on_path(registration.program, |_| true).is_none() {
        return Vec::new();
    }
    let looked_at: Vec<_> = agent.hosts.iter().map(|host| host.versions).collect();
    let looked_at = looked_at.join("; ");
    let version = match named.map_or_else(|| installed_version(agent), |version| Ok(version.to_owned())) {
        Ok(version) => version,
        Err(why) => {
            let what = format!("the version cannot be determined (checked versions: {looked_at})");
            return vec![Finding::odd(agent.id, what, why)];
        }
    };
    let missing = registration.changes.iter().filter(|change| change.is_missing_in(&version));
    let mut findings: Vec<_> = missing
        .map(|change| {
            let what = format!("version {version} is before {}: {}", change.from, change.before);
            Finding::odd(agent.id, what, format!("update {}", agent.name))
        })
        .collect();
    if registration.is_newer(&version) {
        findings.push(Finding::odd(
            agent.id,
            format!("version {version} is newer than {}, the newest checked version", registration.newest),
            CHECK_ONCE,
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::good(agent.id, format!("version {version} (checked versions: {looked_at})")));
    }
    findings
}

/// Reports the settings that make some sessions run calls without a hook.
fn passes(context: &SetupContext, agent: &'static Agent, version: Option<&str>) -> Vec<Finding> {
    let counts = |setting: &&Passes| version.is_none_or(|version| setting.counts_in(version));
    let found = agent.registration.passes.iter().filter(counts).flat_map(|setting| set(context, agent, setting));
    let finding = |(what, place)| Finding::odd(agent.id, format!("{place}: {what}"), "remove the setting");
    found.map(finding).collect()
}

fn shown(said: &Said) -> String {
    let code = said.code.map_or_else(|| "killed".to_owned(), |code| format!("exit {code}"));
    let text = [said.stdout.trim(), said.stderr.trim()].join(" ");
    format!("{code}, {}", snaphook_adapters::fit::cut(text.trim(), 300))
}
