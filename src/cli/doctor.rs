//! `snaphook doctor`: runs every registered line as its agent would, with a call that must be denied.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Serialize;
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Command, Detail, EventKind, HookEvent, Incoming, Reply, ShellKind, ToolCall};
use snaphook_adapters::protocol::{Agent, EventRow, HookProtocol, Line as Word, Native, Role, Transport};
use snaphook_adapters::registry::Registry;

use super::{Failure, install, visible};
use crate::policy::{Places, Policy, UserPolicy, on_path};
use crate::serve::default_audit;
use crate::setup::import::{added, layers};
use crate::setup::lines::{Line, lines};
use crate::setup::run::{Said, run as run_program};
use crate::setup::target::{Ground, asked};

#[derive(clap::Args)]
#[command(after_help = "Exit code: 0 when every line blocks what must be denied, else 1.")]
pub(crate) struct What {
    /// The agents; without one: those found here
    agents: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Holds one thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    about: String,
    state: State,
    what: String,
    /// What to do; empty: nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    remedy: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Good,
    Odd,
    Bad,
}

impl Finding {
    fn good(about: impl Into<String>, what: impl Into<String>) -> Self {
        Self { about: about.into(), state: State::Good, what: what.into(), remedy: String::new() }
    }

    fn odd(about: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Odd, remedy: remedy.into(), ..Self::good(about, what) }
    }

    fn bad(about: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Bad, ..Self::odd(about, what, remedy) }
    }
}

pub(super) fn run(registry: &Registry, what: &What, out: &mut String) -> Result<ExitCode, Failure> {
    let ground = Ground::from_environment()?;
    let places = &ground.places;
    let mut findings = vec![policy(places, registry), log(places, registry), own_path(places)];
    findings.extend(sandbox(places, &ground, registry));
    for agent in install::chosen(registry, &what.agents, |agent| ground.has(agent))? {
        if let Some(protocol) = registry.get(agent.id) {
            findings.extend(version(agent));
            findings.extend(registered(protocol, &ground, places));
        }
    }
    if what.json {
        out.push_str(&serde_json::to_string_pretty(&findings)?);
        out.push('\n');
    } else {
        let mut text = String::new();
        for finding in &findings {
            let mark = match finding.state {
                State::Good => "ok  ",
                State::Odd => "note",
                State::Bad => "BAD ",
            };
            let _ = writeln!(text, "{mark}  {}: {}", finding.about, finding.what);
            if !finding.remedy.is_empty() {
                let _ = writeln!(text, "      {}", finding.remedy);
            }
        }
        out.push_str(&visible(&text));
    }
    let bad = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if bad { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn policy(places: &Places, registry: &Registry) -> Finding {
    let cwd = std::env::current_dir().ok();
    let composed = UserPolicy::load(places, registry).and_then(|user| {
        let policy = Policy::compose(&user, cwd.as_deref().and_then(Path::to_str), registry)?;
        Ok((user.origin().to_owned(), policy.warnings(registry)))
    });
    match composed {
        Err(fault) => Finding::bad("policy", fault.to_string(), "every gated call is denied until it is fixed"),
        Ok((origin, warnings)) if warnings.is_empty() => Finding::good("policy", format!("{origin} is read")),
        Ok((origin, warnings)) => Finding::odd("policy", format!("{origin} is read"), warnings.join("\n      ")),
    }
}

/// Whether the launcher refuses a write outside, and whether agents' own rules are known to us (V8).
fn sandbox(places: &Places, ground: &Ground, registry: &Registry) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Ok(policy) = Policy::for_run(places, ground.cwd.to_str(), registry) else { return findings };
    if policy.sandbox(None).is_none() {
        return findings;
    }
    let file = policy.user_file().map(Path::to_owned);
    findings.push(match outside(file.as_deref()) {
        Ok(()) => Finding::good("sandbox", "a write outside is refused"),
        Err(why) => {
            Finding::bad("sandbox", why, "see [sandbox] in the policy; a command that must be isolated is denied")
        }
    });
    let text = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    for agent in registry.iter().map(HookProtocol::agent).filter(|agent| !agent.registration.rules.is_empty()) {
        let layers = layers(ground, agent, registry).unwrap_or_default();
        let own = layers.into_iter().filter(|layer| !layer.of_project).flat_map(|layer| layer.rules);
        let strict: Vec<_> = own.filter(|(list, _)| list.word() != "allow").collect();
        let missing = added(&text, &strict).map_or(0, |(_, count)| count);
        if missing > 0 {
            let says =
                format!("{missing} deny and ask rules of its own settings do not see a command that the sandbox wraps");
            findings.push(Finding::odd(agent.id, says, format!("snaphook import {}", agent.id)));
        }
    }
    findings
}

/// Lets a sandboxed command write where it must not: beside the policy.
fn outside(policy: Option<&Path>) -> Result<(), String> {
    let folder = policy.and_then(Path::parent).ok_or("the policy has no file of its own to try it beside")?;
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    let binary = std::env::current_exe().map_err(|error| error.to_string())?;
    let tried = |script: &str| {
        let mut command = std::process::Command::new(&binary);
        command.arg("run");
        command.args(policy.iter().flat_map(|policy| [Path::new("--policy"), policy]));
        command.args(["--", "/bin/sh", "-c", script]).arg(&probe);
        run_program(&mut command, "", Duration::from_secs(20)).map_err(|error| error.to_string())
    };
    let runs = tried(":")?;
    if runs.code != Some(0) {
        return Err(format!("a command cannot be run in it: {}", shown(&runs)));
    }
    tried("echo x > \"$0\"")?;
    match std::fs::remove_file(&probe) {
        Ok(()) => Err(format!("a write to {} was not refused", folder.display())),
        Err(_) => Ok(()),
    }
}

fn log(places: &Places, registry: &Registry) -> Finding {
    let named = UserPolicy::load(places, registry).ok().and_then(|user| user.audit().file.clone());
    let Some(path) = named.or_else(|| default_audit(places)) else {
        return Finding::bad("log", "there is no place for it", "set HOME, or name it in [audit] file");
    };
    let opened = std::fs::OpenOptions::new().append(true).open(&path);
    match opened {
        Ok(_) => Finding::good("log", format!("{} can be written", places.shown(&path))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::good("log", format!("{} begins with the first call", places.shown(&path)))
        }
        Err(error) => Finding::bad(
            "log",
            format!("{}: {error}", places.shown(&path)),
            "make it writable, or name another file in [audit] file",
        ),
    }
}

/// Some agents must be given the bare name of our program.
fn own_path(places: &Places) -> Finding {
    let found = on_path("snaphook", |_| true);
    let same = found
        .as_ref()
        .zip(places.binary.as_ref())
        .is_some_and(|(found, own)| found.canonicalize().ok() == own.canonicalize().ok());
    match found {
        Some(path) if same => Finding::good("PATH", format!("{} is this program", places.shown(&path))),
        Some(path) => Finding::odd(
            "PATH",
            format!("{} is another snaphook than this one", places.shown(&path)),
            "remove one of the two, so that every agent calls the same",
        ),
        None => Finding::odd(
            "PATH",
            "snaphook is not on it",
            "agents call it by its whole path, but for PicoClaw, whose sandboxed commands need the bare name",
        ),
    }
}

fn version(agent: &'static Agent) -> Option<Finding> {
    if agent.registration.version.is_empty() || on_path(agent.registration.program, |_| true).is_none() {
        return None;
    }
    let looked_at: Vec<_> = agent.hosts.iter().map(|host| host.versions).collect();
    let looked_at = looked_at.join("; ");
    Some(match asked(agent) {
        Ok(version) => Finding::good(agent.id, format!("version {version} (looked at: {looked_at})")),
        Err(why) => Finding::odd(agent.id, format!("which version it is cannot be told (looked at: {looked_at})"), why),
    })
}

/// Runs every line of ours in the agent's files.
fn registered(protocol: &'static dyn HookProtocol, ground: &Ground, places: &Places) -> Vec<Finding> {
    let agent = protocol.agent();
    let mut findings = Vec::new();
    for path in ground.files(agent) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match lines(&path, &text, agent.id) {
            Err(fault) => findings.push(Finding::bad(
                agent.id,
                format!("{}:{fault}", places.shown(&path)),
                "the agent cannot read it either; mend it",
            )),
            Ok(lines) => {
                for line in &lines {
                    findings.extend(checked(protocol, line, &path, ground, places));
                }
            }
        }
    }
    if findings.is_empty() {
        findings.push(Finding::bad(agent.id, "not registered", format!("snaphook install {}", agent.id)));
    }
    findings
}

fn role(line: &Line) -> Role {
    match () {
        () if line.has("--guarded") => Role::Guarded,
        () if line.has("--preempt") => Role::Preempt,
        () => Role::Alone,
    }
}

/// The gates on tool calls that a line serves.
fn rows(agent: &'static Agent, line: &Line) -> Vec<&'static EventRow> {
    let role = role(line);
    let mut met: Vec<&str> = Vec::new();
    let gates = agent.events.iter().filter(|row| {
        let gate = row.gates() && matches!(row.kind, EventKind::PreTool | EventKind::Permission);
        let named = line.flag("--event").is_none_or(|event| event == row.native);
        let new = gate && named && (row.roles.is_empty() || row.roles.contains(&role)) && !met.contains(&row.native);
        if new {
            met.push(row.native);
        }
        new
    });
    gates.collect()
}

fn checked(
    protocol: &'static dyn HookProtocol,
    line: &Line,
    path: &Path,
    ground: &Ground,
    places: &Places,
) -> Vec<Finding> {
    let agent = protocol.agent();
    let Some(host) = protocol.host() else { return Vec::new() };
    // A write to our own policy is denied whatever the policy says, unless it takes that back.
    let policy = line.flag("--policy").map(PathBuf::from).or_else(|| places.user_files().into_iter().next());
    let policy = policy.unwrap_or_default().display().to_string();
    let remove = Action::Shell {
        command: Command::Text(format!("rm {}", snaphook_adapters::shared::guard::word(&policy))),
        cwd: None,
        shell: ShellKind::Posix,
    };
    let calls = [Action::Write { path: policy }, remove];
    let Some(call) = calls.iter().find_map(|action| ToolCall::sketch(agent, action)) else { return Vec::new() };
    let mut findings = Vec::new();
    for row in rows(agent, line) {
        let mut event = HookEvent::new(agent, row, Raw::document("{}"));
        event.dialect = row.dialects.first().copied().unwrap_or_default();
        event.session = Some("doctor".to_owned());
        event.cwd = Some(ground.cwd.display().to_string());
        event.detail = Detail::Tool(call.clone());
        let about = format!("{} {} in {}", agent.id, row.native, places.shown(path));
        let began = Instant::now();
        let message = host.present(&event);
        let native = Native::new(message.as_str()).line(Word::default().event(row.native).role(role(line)));
        let Ok(Incoming::Event(event)) = protocol.parse(&native) else { continue };
        let said = run_program(&mut line.start(agent), &format!("{message}\n"), Duration::from_secs(20));
        let took = began.elapsed();
        let remedy = format!("see snaphook status {0}; snaphook install {0}", agent.id);
        let said = match said {
            Ok(said) => said,
            Err(error) => {
                findings.push(Finding::bad(about, format!("the line cannot be run: {error}"), remedy));
                continue;
            }
        };
        let reply = answer(agent, &said);
        let blocked = reply
            .as_ref()
            .is_some_and(|reply| event.row.hosts.iter().all(|id| host.interpret(&event, id, reply).does.blocks()));
        findings.push(if blocked {
            Finding::good(about, format!("blocks a call that must be denied ({} ms)", took.as_millis()))
        } else {
            Finding::bad(about, format!("does not block a call that must be denied: {}", shown(&said)), remedy)
        });
    }
    findings
}

/// What the program said, as the agent takes it.
fn answer(agent: &Agent, said: &Said) -> Option<Reply> {
    let exit = u8::try_from(said.code?).ok()?;
    let stdout = match agent.transport {
        Transport::Lines => said.stdout.lines().next()?.to_owned(),
        _ => said.stdout.clone(),
    };
    let mut reply = Reply::silent();
    (reply.stdout, reply.stderr, reply.exit) = (stdout, said.stderr.clone(), exit);
    Some(reply)
}

fn shown(said: &Said) -> String {
    let code = said.code.map_or_else(|| "killed".to_owned(), |code| format!("exit {code}"));
    let text = [said.stdout.trim(), said.stderr.trim()].join(" ");
    format!("{code}, {}", snaphook_adapters::fit::cut(text.trim(), 300))
}
