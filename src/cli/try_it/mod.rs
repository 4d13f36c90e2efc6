//! `snaphook try`: shows what every agent would do with a call.
//!
//! A trial builds the message of each agent for each registered gate, and judges it like a real one. It writes no
//! record and calls no handler or command.

mod brief;
pub(super) mod dry;
mod part;
mod runner;
mod show;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, ShellKind, ToolCall};
use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{NAMED_TOOLS, did_you_mean_or, named_action};

use self::runner::{TrialRunner, Walk};
use super::session::SessionArgs;
use super::{Failure, install};
use crate::policy::{Places, UserPolicy};
use crate::setup::names::Names;
use crate::setup::state::{RegistrationChecker, RegistrationStatus};
use crate::setup::target::{SetupContext, Version};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook try 'rm -rf ~/work'
  snaphook try --tool Read --path .env
  snaphook try --tool WebFetch --url https://example.org
  snaphook try --tool mcp__shell__run --input '{\"script\": \"rm -rf ~/work\"}'
  snaphook try 'git push -f' -v               what is sent to each agent
  snaphook try 'git push -f' --all            agents that are not on this machine too
  snaphook try --payload event.json --agent codex
  snaphook try 'make' --agent docker-agent --agent-version 1.138.0
  snaphook try 'git push -f' --check && echo nothing blocks it

Exit code: 0; with --check, 1 if a shown agent would block the call; 2 for an error, such as an invalid policy.")]
pub(crate) struct TryArgs {
    /// A shell command
    #[arg(conflicts_with_all = ["tool", "payload"])]
    command: Option<String>,
    /// Read, Edit, Write, Delete, WebFetch, WebSearch or Agent; with --input any
    #[arg(long, value_name = "NAME", value_parser = ToolNames)]
    tool: Option<String>,
    /// The file of a Read, Edit, Write or Delete
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// The URL of a WebFetch
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The query of a WebSearch, or the type of an Agent
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// The arguments of the tool, as JSON
    #[arg(long, value_name = "JSON", requires = "tool", conflicts_with_all = ["path", "url", "text"])]
    input: Option<String>,
    /// A file with a message as an agent sends it; - for standard input
    #[arg(long, value_name = "FILE", requires = "agent")]
    payload: Option<PathBuf>,
    /// Only this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Every agent, not only those found on this machine
    #[arg(long, conflicts_with = "agent")]
    all: bool,
    /// The version of the agent; default: every one that differs
    #[arg(long, value_name = "V", requires = "agent")]
    agent_version: Option<String>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(clap::Args)]
struct OutputArgs {
    /// Show what is sent to each agent and version, and every part of a command
    #[arg(long, short)]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Exit with 1 if a shown agent would block the call
    #[arg(long)]
    check: bool,
}

/// The result for one agent.
enum Tried {
    Shown(Vec<Walk>),
    /// No result, for this reason.
    Not(String),
}

/// The results for all agents.
struct Trial {
    /// The call as the user wrote it; absent for a message.
    subject: Option<String>,
    /// The part of it that decides.
    part: Option<Range<usize>>,
    tried: Vec<(&'static Agent, Tried)>,
    policy: TrialPolicy,
    /// The agents on this machine, with the state of their registration.
    found: Vec<(&'static str, RegistrationStatus)>,
}

/// The policy of the trial, with its errors and warnings.
struct TrialPolicy {
    /// The file, or `starter` for the starter policy.
    origin: String,
    /// The error that makes it invalid; every gated call is then judged by its `[failure] policy`.
    fault: Option<String>,
    /// Notices about what is ignored, such as the rules of an untrusted project file.
    notices: Vec<String>,
    warnings: Vec<String>,
}

/// The agents of a trial if none is found: one that can ask the user, and one that cannot.
const EXAMPLES: &[&str] = &["claude-code", "codex"];

pub(super) fn run(registry: &Arc<Registry>, call: &TryArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let (places, cwd) = (call.session.places(), call.session.folder()?);
    let user = UserPolicy::load(&places, registry);
    let version = call.agent_version.as_deref();
    let runner = TrialRunner { registry, user: &user, cwd: &cwd, version };
    let found = found_agents(registry, &places, cwd.clone())?;
    let agents: Vec<&'static dyn HookProtocol> = match &call.agent {
        Some(id) => {
            let agent = super::agents::find(registry, id)?;
            if let Some(version) = version {
                super::agents::known_version(agent, version)?;
            }
            registry.get(agent.id).into_iter().collect()
        }
        None if call.all => registry.iter().collect(),
        None if found.is_empty() => EXAMPLES.iter().filter_map(|id| registry.get(id)).collect(),
        None => found.iter().filter_map(|(id, _)| registry.get(id)).collect(),
    };
    let tried: Vec<_> = if let Some(file) = &call.payload {
        let text = read(file)?;
        agents.iter().map(|protocol| (protocol.agent(), runner.payload(*protocol, &text))).collect()
    } else {
        let build = call_builder(call)?;
        let tried = |protocol: &&'static dyn HookProtocol| match build(protocol.agent()) {
            Ok(call) => runner.call(*protocol, &call),
            Err(why) => Tried::Not(why.to_owned()),
        };
        agents.iter().map(|protocol| (protocol.agent(), tried(protocol))).collect()
    };
    let blocks = tried.iter().any(|(_, tried)| match tried {
        Tried::Shown(walks) => walks.iter().any(Walk::blocks),
        Tried::Not(_) => false,
    });
    let subject = call.subject();
    let underlined = call.command.as_deref().filter(|_| !call.output.json && !call.output.verbose);
    let part = underlined.and_then(|command| deciding_part(registry, &runner, command, &tried));
    let policy = runner.policy(&tried);
    let trial = Trial { subject, part, tried, policy, found };
    if call.output.json {
        show::json(&trial, out);
    } else if let Some(fault) = &trial.policy.fault {
        return Err(Failure(format!(
            "the policy is invalid, and every gated call is decided by its `[failure] policy` until it is fixed:\n{fault}"
        )));
    } else if call.output.verbose {
        show::text(&trial, out);
    } else {
        brief::text(&trial, out);
    }
    if !call.output.json {
        show::found(&trial, call.agent.is_none() && !call.all, &call.session.policies(&places), out);
    }
    Ok(match &trial.policy.fault {
        Some(_) => ExitCode::from(2),
        None if call.output.check && blocks => ExitCode::from(1),
        None => ExitCode::SUCCESS,
    })
}

/// Finds the part of a command that decides for the first agent that sends it.
fn deciding_part(
    registry: &Registry,
    runner: &TrialRunner<'_>,
    command: &str,
    tried: &[(&'static Agent, Tried)],
) -> Option<Range<usize>> {
    let cause = |tried: &Tried| brief::first(tried)?.judged.causes.first().cloned();
    let (agent, tried) = tried.iter().find(|(_, tried)| brief::first(tried).is_some())?;
    let protocol = registry.get(agent.id)?;
    part::deciding_part(command, &cause(tried)?, |text| {
        let call = ToolCall::sketch(agent, &shell(text))?;
        cause(&runner.call(protocol, &call))
    })
}

fn shell(command: &str) -> Action {
    Action::Shell { command: command.into(), cwd: None, shell: ShellKind::Posix }
}

impl TryArgs {
    /// The call as the user wrote it.
    fn subject(&self) -> Option<String> {
        let tool = self.tool.as_ref().map(|tool| {
            let about = [&self.path, &self.url, &self.text].into_iter().flatten();
            std::iter::once(tool).chain(about).cloned().collect::<Vec<_>>().join(" ")
        });
        self.command.clone().or(tool)
    }
}

/// The agents on this machine, with the state of their registration according to their files.
fn found_agents(
    registry: &Registry,
    places: &Places,
    cwd: PathBuf,
) -> Result<Vec<(&'static str, RegistrationStatus)>, Failure> {
    let context = SetupContext { places: places.clone(), cwd };
    let names = Names::find(places, &[])?;
    let records = install::records(places).unwrap_or_default();
    let checker = RegistrationChecker { context: &context, names: &names, records: &records, version: Version::Any };
    let agents = registry.iter().map(HookProtocol::agent).filter(|agent| context.has(agent));
    let best =
        |agent| checker.states(agent).iter().map(|found| found.state).min().unwrap_or(RegistrationStatus::Unknown);
    Ok(agents.map(|agent| (agent.id, best(agent))).collect())
}

fn read(file: &Path) -> Result<String, Failure> {
    if file == Path::new("-") {
        return Ok(std::io::read_to_string(std::io::stdin())?);
    }
    std::fs::read_to_string(file).map_err(|error| Failure(format!("{}: {error}", file.display())))
}

/// Builds the call of one agent, or says why the agent has none.
type CallBuilder = Box<dyn Fn(&'static Agent) -> Result<ToolCall, &'static str>>;

/// Returns how to build the call of each agent.
fn call_builder(call: &TryArgs) -> Result<CallBuilder, Failure> {
    let Some((tool, input)) = call.tool.clone().zip(call.input.as_ref()) else {
        let action = action(call)?;
        return Ok(Box::new(move |agent| ToolCall::sketch(agent, &action).ok_or("has no tool for this")));
    };
    let input = Raw::checked(input.clone()).ok().filter(|input| input.object().is_ok());
    let input = input.ok_or_else(|| {
        Failure("--input is not a JSON object; expected the arguments such as '{\"script\": \"ls\"}'".to_owned())
    })?;
    Ok(Box::new(move |agent| {
        ToolCall::named(agent, &tool, input.clone()).ok_or("has a tool of this name with other arguments")
    }))
}

/// Completes the tools with a meaning of their own, and accepts every name.
#[derive(Debug, Clone)]
struct ToolNames;

impl TypedValueParser for ToolNames {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NAMED_TOOLS.iter().map(|tool| PossibleValue::new(*tool))))
    }
}

fn action(call: &TryArgs) -> Result<Action, Failure> {
    if let Some(command) = &call.command {
        return Ok(shell(command));
    }
    let Some(tool) = call.tool.as_deref() else {
        return Err(Failure("nothing to try; write a command: snaphook try 'rm -rf ~/work'".to_owned()));
    };
    if tool == "Bash" {
        return Err(Failure("write the command itself: snaphook try 'git push'".to_owned()));
    }
    let part = |key: &str| match key {
        "path" => call.path.clone(),
        "url" => call.url.clone(),
        _ => call.text.clone(),
    };
    match named_action(tool, part) {
        Err(key) => Err(Failure(format!("--tool {tool} needs --{key}"))),
        Ok(Some(action)) if NAMED_TOOLS.contains(&tool) => Ok(action),
        Ok(_) => {
            let known = || format!("expected one of {}; for any other tool add --input", NAMED_TOOLS.join(", "));
            let hint = did_you_mean_or(tool, NAMED_TOOLS.iter().copied(), known);
            Err(Failure(format!("unknown --tool {tool}{hint}")))
        }
    }
}
