//! `snaphook try`: what would every agent do with this call?
//!
//! Each agent's own message is built and sent through the very same line as a real one; only the
//! log and everything outside are left out.

mod dry;
mod show;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use snaphook_adapters::host::Outcome;
use snaphook_adapters::model::{Action, Command, Detail, EventKind, HookEvent, ShellKind, ToolCall};
use snaphook_adapters::protocol::{Agent, Connection, EventRow, HookProtocol, Line, Native, Role};
use snaphook_adapters::registry::Registry;

use self::dry::Dry;
use super::found::{Found, look};
use super::{Failure, visible};
use crate::engine::{Judged, judge};
use crate::policy::{Places, Policy, PolicyFault, UserPolicy};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook try 'rm -rf ~/work'
  snaphook try --tool Read --path .env
  snaphook try --tool WebFetch --url https://example.org
  snaphook try --payload event.json --agent codex
  snaphook try 'git push -f' --check && echo nothing blocks it

Exit code: 0 when every agent was shown; with --check, 2 when any of them would block.")]
pub(crate) struct Call {
    /// A shell command
    #[arg(conflicts_with_all = ["tool", "payload"])]
    command: Option<String>,
    /// Another kind of call: Read, Edit, Write, Delete, WebFetch, WebSearch, Agent
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The file of a Read, Edit, Write or Delete
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// The address of a WebFetch
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The query of a WebSearch, or the type of an Agent
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// A message as an agent sends it, - for standard input
    #[arg(long, value_name = "FILE", requires = "agent")]
    payload: Option<PathBuf>,
    /// Only this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The directory in which it would happen; default: this one
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The policy to judge by; default: the user's own, else the starter
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// The trust store
    #[arg(long, value_name = "FILE")]
    trust: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Exit with 2 when any agent would block
    #[arg(long)]
    check: bool,
}

/// Holds what one message of one agent came to.
struct Shown {
    agent: &'static Agent,
    row: &'static EventRow,
    role: Role,
    judged: Judged,
    outcomes: Vec<(&'static str, Outcome)>,
}

/// Holds what came of one agent.
enum Tried {
    Shown(Vec<Shown>),
    /// Why there is nothing to show.
    Not(String),
}

impl Shown {
    /// Whether some measured version does not do it. A message in which not even the event can be read
    /// is refused everywhere.
    fn blocks(&self) -> bool {
        let refused = self.judged.event.is_none() && self.judged.failure.is_some();
        refused || self.outcomes.iter().any(|(_, outcome)| outcome.does.blocks())
    }
}

/// Holds everything that there is to show.
struct Trial {
    tried: Vec<(&'static Agent, Tried)>,
    by: By,
    here: Vec<(&'static str, Found)>,
}

/// Names the policy that judged, and what is odd about it.
struct By {
    policy: String,
    /// Why it cannot be used; every gated call is then judged by its `[failure] policy`.
    fault: Option<String>,
    warnings: Vec<String>,
}

pub(super) fn run(registry: &Arc<Registry>, call: &Call, out: &mut String) -> Result<ExitCode, Failure> {
    let mut places = Places::from_environment();
    places.policy.clone_from(&call.policy);
    places.trust.clone_from(&call.trust);
    let cwd = match &call.cwd {
        Some(dir) => std::path::absolute(dir)?,
        None => std::env::current_dir()?,
    };
    let user = UserPolicy::load(&places, registry);
    let bench = Bench { registry, places: &places, user: &user, cwd: &cwd };
    let agents: Vec<&'static dyn HookProtocol> = match &call.agent {
        Some(id) => {
            super::agents::find(registry, id)?;
            registry.get(id).into_iter().collect()
        }
        None => registry.iter().collect(),
    };
    let tried: Vec<_> = if let Some(file) = &call.payload {
        let text = read(file)?;
        agents.iter().map(|protocol| (protocol.agent(), bench.payload(*protocol, &text))).collect()
    } else {
        let action = action(call)?;
        agents.iter().map(|protocol| (protocol.agent(), bench.action(*protocol, &action))).collect()
    };
    let blocks = tried.iter().any(|(_, tried)| match tried {
        Tried::Shown(shown) => shown.iter().any(Shown::blocks),
        Tried::Not(_) => false,
    });
    let trial = Trial { tried, by: bench.by(), here: here(registry, &places, &cwd) };
    if call.json {
        show::json(&trial, out);
    } else {
        let mut text = String::new();
        show::text(&trial, &mut text);
        out.push_str(&visible(&text));
    }
    Ok(if call.check && blocks { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// The agents on this machine, and whether they call us.
fn here(registry: &Registry, places: &Places, cwd: &Path) -> Vec<(&'static str, Found)> {
    let agents = registry.iter().map(HookProtocol::agent);
    agents
        .map(|agent| (agent.id, look(agent, places.home.as_deref(), cwd)))
        .filter(|(_, found)| *found != Found::No)
        .collect()
}

fn read(file: &Path) -> Result<String, Failure> {
    if file == Path::new("-") {
        return Ok(std::io::read_to_string(std::io::stdin())?);
    }
    std::fs::read_to_string(file).map_err(|error| Failure(format!("{}: {error}", file.display())))
}

fn action(call: &Call) -> Result<Action, Failure> {
    let need = |value: &Option<String>, flag: &str| {
        value
            .clone()
            .ok_or_else(|| Failure(format!("--tool {} needs {flag}", call.tool.as_deref().unwrap_or_default())))
    };
    if let Some(command) = &call.command {
        return Ok(Action::Shell { command: Command::Text(command.clone()), cwd: None, shell: ShellKind::Posix });
    }
    Ok(match call.tool.as_deref() {
        Some("Read") => Action::Read { path: need(&call.path, "--path")? },
        Some("Write") => Action::Write { path: need(&call.path, "--path")? },
        Some("Edit") => Action::Edit { path: need(&call.path, "--path")? },
        Some("Delete") => Action::Delete { path: need(&call.path, "--path")? },
        Some("WebFetch") => Action::Fetch { url: need(&call.url, "--url")? },
        Some("WebSearch") => Action::WebSearch { query: need(&call.text, "--text")? },
        Some("Agent") => Action::Subagent { name: call.text.clone() },
        Some("Bash") => return Err(Failure("write the command itself: snaphook try 'git push'".to_owned())),
        Some(other) => {
            let known = "Read, Edit, Write, Delete, WebFetch, WebSearch, Agent";
            return Err(Failure(format!(
                "--tool {other} is unknown; known: {known}; or send a message with --payload"
            )));
        }
        None => return Err(Failure("nothing to try; write a command: snaphook try 'rm -rf ~/work'".to_owned())),
    })
}

struct Bench<'a> {
    registry: &'a Registry,
    places: &'a Places,
    user: &'a Result<UserPolicy, PolicyFault>,
    cwd: &'a Path,
}

impl Bench<'_> {
    /// One message for each gate that judges tool calls, in the order in which the agent asks.
    fn action(&self, protocol: &'static dyn HookProtocol, action: &Action) -> Tried {
        let agent = protocol.agent();
        let Some(call) = ToolCall::sketch(agent, action) else {
            return Tried::Not("has no tool for this".to_owned());
        };
        let Some(host) = protocol.host() else {
            return Tried::Not("is not measured: its messages cannot be built".to_owned());
        };
        // As registered: both of a long-lived agent's gates.
        let mut connection = Connection::default();
        connection.modes = Some(["tool", "approve"].map(str::to_owned).to_vec());
        let connection = Arc::new(connection);
        let gates = agent.events.iter().filter(|row| row.kind == EventKind::PreTool && row.gates());
        let mut shown: Vec<Shown> = gates
            .map(|row| {
                let mut event = HookEvent::new(agent, row, snaphook_adapters::Raw::document("{}"));
                event.dialect = row.dialects.first().copied().unwrap_or_default();
                event.session = Some("try".to_owned());
                event.cwd = Some(self.cwd.display().to_string());
                event.detail = Detail::Tool(call.clone());
                let role = row.roles.first().copied().unwrap_or_default();
                let native = Native::new(host.present(&event))
                    .line(Line::default().event(row.native).role(role))
                    .connection(Arc::clone(&connection));
                self.send(protocol, &native, role, row)
            })
            .collect();
        // A row for another payload of the same event is not what this call meets.
        let mut met: Vec<(String, Role)> = Vec::new();
        shown.retain(|shown| {
            let gate = (shown.row.key(), shown.role);
            let new = !met.contains(&gate);
            met.push(gate);
            new
        });
        Tried::Shown(shown)
    }

    /// The policy of the directory, as far as it can be read.
    fn by(&self) -> By {
        let cwd = self.cwd.to_str();
        let composed = self.user.as_ref().map_err(PolicyFault::clone).and_then(|user| {
            let policy = Policy::compose(user, self.places, cwd, self.registry)?;
            Ok((policy.notices(), policy.warnings(self.registry)))
        });
        let policy = match self.user {
            Ok(user) => user.origin().to_owned(),
            Err(_) => "none".to_owned(),
        };
        match composed {
            Ok((notices, warnings)) => By { policy, fault: None, warnings: [notices, warnings].concat() },
            Err(fault) => By { policy, fault: Some(fault.to_string()), warnings: Vec::new() },
        }
    }

    fn payload(&self, protocol: &'static dyn HookProtocol, text: &str) -> Tried {
        let native = Native::new(text);
        let row = protocol.agent().bare_event(&native).map_or(protocol.agent().stray, |event| event.row);
        Tried::Shown(vec![self.send(protocol, &native, Role::Alone, row)])
    }

    fn send(&self, protocol: &'static dyn HookProtocol, native: &Native, role: Role, row: &'static EventRow) -> Shown {
        let policy = |cwd: Option<&str>| {
            let user = self.user.as_ref().map_err(PolicyFault::clone)?;
            Policy::compose(user, self.places, cwd, self.registry)
        };
        let mut dry = Dry::default();
        let mut judged = judge(protocol, native, &policy, &mut dry, None);
        judged.remarks.append(&mut dry.remarks);
        let row = judged.event.as_ref().map_or(row, |event| event.row);
        let outcomes = match (protocol.host(), &judged.event, &judged.reply) {
            (Some(host), Some(event), Some(reply)) => {
                row.hosts.iter().map(|id| (*id, host.interpret(event, id, reply))).collect()
            }
            _ => Vec::new(),
        };
        Shown { agent: protocol.agent(), row, role, judged, outcomes }
    }
}
