//! A double for an agent whose program is not available: it plays the gates from the recorded cases.
//!
//! It reads the registration that the installer wrote, starts the registered commands as the host would, and
//! treats the call as the cases say.

use std::error::Error;
use std::fs;
use std::process::{Command, ExitCode};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use snaphook_adapters::protocol::Role;
use snaphook_doubles::lines::{HookConnection, TimeLimits};
use snaphook_doubles::one_shot::OneShot;
use snaphook_doubles::registration::registered;
use snaphook_doubles::start::{HookEnvironment, Registered};
use snaphook_doubles::turn::PlayedCall;
use snaphook_hosts::Effect;
use snaphook_hosts::cases::{self, Cases, Report};

use crate::container::{Container, HOME, PROJECT};
use crate::drive::Harness;
use crate::fixtures;
use crate::powers::Powers;

/// The names of the argument that contains the command of a shell tool.
const COMMAND: [&str; 2] = ["command", "cmd"];

/// The instructions for a double.
#[derive(Debug, Serialize, Deserialize)]
struct DoubleInput {
    agent: String,
    host: String,
    /// The file in which the installer registers, below the home folder.
    file: String,
    command: String,
    /// The gates of one call, in order, for hosts that start a hook process for each event.
    gates: Vec<PlayedGate>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PlayedGate {
    event: String,
    host: String,
    /// The flag in its registered command; empty: none.
    flag: String,
    message: Value,
}

/// The result of the call.
struct Done {
    /// The text for the model; absent: no further request is sent.
    for_model: Option<String>,
}

/// Writes the input of a double and returns its command line.
pub(crate) fn prepare(
    harness: &Harness,
    container: &Container,
    powers: &Powers,
    command: &str,
) -> std::io::Result<Vec<String>> {
    let agent = powers.agent.id;
    let known = fixtures::shell_messages(&harness.fixtures(agent), agent)?;
    // All gates get the message of the first gate, each with its own event name.
    let call = powers.gates.first().and_then(|first| known.iter().find(|known| known.event == first.row.native));
    let gates = powers.gates.iter().filter_map(|gate| {
        let mut message = call?.body.clone();
        if let Some(name) = message.get_mut("hook_event_name") {
            *name = gate.row.native.into();
        }
        Some(PlayedGate {
            event: gate.row.native.into(),
            host: gate.host.into(),
            flag: gate.role.flag().unwrap_or_default().to_owned(),
            message,
        })
    });
    let mut hosts = powers.agent.hosts.iter().filter(|host| host.id == powers.host);
    let block = hosts.find_map(|host| powers.agent.registration.blocks.iter().find(|block| block.is_for(host)));
    let file = block.and_then(|block| block.file.strip_prefix("~/"));
    let file =
        file.ok_or_else(|| std::io::Error::other(format!("{agent} has no file for hooks in {}", powers.host)))?;
    let input = DoubleInput {
        agent: agent.into(),
        host: powers.host.into(),
        file: file.into(),
        command: command.into(),
        gates: gates.collect(),
    };
    container.put("/home/harness/double.json", &serde_json::to_string(&input)?)?;
    container.put("/home/harness/host.toml", &fs::read_to_string(cases::file(agent))?)?;
    Ok(["/home/harness/conformance", "double"].map(str::to_owned).to_vec())
}

/// Plays the call, and writes the requests that a model would have got.
pub(crate) fn main() -> Result<ExitCode, Box<dyn Error>> {
    let input: DoubleInput = serde_json::from_slice(&fs::read("/home/harness/double.json")?)?;
    let cases = Cases::read("/home/harness/host.toml".as_ref())?;
    let done = if cases.start.is_some() { one_shots(&cases, &input)? } else { connection(&cases, &input)? };
    write_request(1, &[])?;
    if let Some(text) = done.for_model {
        write_request(2, &[text])?;
    }
    Ok(ExitCode::SUCCESS)
}

fn one_shots(cases: &Cases, input: &DoubleInput) -> Result<Done, Box<dyn Error>> {
    let mut command = input.command.clone();
    if input.gates.is_empty() {
        return Err("no fixture with a call of the shell at its gates".into());
    }
    for gate in &input.gates {
        let host = OneShot::new(cases, &gate.host).ok_or("no double plays this agent")?;
        let lines = installed(input, &gate.event)?;
        let line = lines.iter().find(|line| flags(line) == gate.flag).ok_or("nothing is registered for a gate")?;
        let mut message = gate.message.clone();
        let input = message.get_mut("tool_input").and_then(Value::as_object_mut);
        for (key, value) in input.into_iter().flat_map(Map::iter_mut) {
            if COMMAND.contains(&key.as_str()) {
                *value = command.clone().into();
            }
        }
        let report = host.send(&gate.event, &message.to_string(), line);
        if let Some(done) = held(&report)? {
            return Ok(done);
        }
        if let Some(input) = report.carried.get("input").and_then(Value::as_object) {
            let new = COMMAND.iter().find_map(|key| input.get(*key)?.as_str());
            new.ok_or("the new input has no command")?.clone_into(&mut command);
        }
    }
    run(&command)
}

fn connection(cases: &Cases, input: &DoubleInput) -> Result<Done, Box<dyn Error>> {
    let lines = installed(input, "")?;
    let line = lines.first().ok_or("nothing is registered")?;
    let modes = ["tool", "approve"];
    let environment = HookEnvironment::new(Duration::ZERO);
    let started = HookConnection::start(cases, &input.host, line, &environment, &modes, TimeLimits::default());
    let connection = started.map_err(|report| format!("it does not start: {report:?}"))?;
    let call = PlayedCall::new("cli:probe", "exec", json!({"action": "run", "command": input.command}));
    let turn = connection.tool_call(&call, |_, _| json!({"for_llm": "", "silent": false, "is_error": false}));
    let held = turn.steps.iter().map(held).find_map(Result::transpose).transpose()?;
    match (held, turn.ran.and_then(|(_, input)| input.get("command").and_then(Value::as_str).map(str::to_owned))) {
        (_, Some(command)) => run(&command),
        (Some(done), None) => Ok(done),
        (None, None) => Err("the call neither ran nor was it held".into()),
    }
}

/// The result if an effect blocks the call; absent: the call continues.
fn held(report: &Report) -> Result<Option<Done>, Box<dyn Error>> {
    let text =
        |part: &str| report.carried.get(part).map(|text| text.as_str().map_or_else(|| text.to_string(), str::to_owned));
    let reason = || text("reason").or_else(|| text("context")).unwrap_or_else(|| "it was refused".into());
    Ok(match report.effect {
        Effect::Flow | Effect::Approves | Effect::Continues | Effect::RunsThenStops => None,
        Effect::Blocks => Some(Done { for_model: Some(format!("the call was blocked: {}", reason())) }),
        Effect::Responds => Some(Done { for_model: Some(reason()) }),
        Effect::Asks => Some(Done { for_model: Some(format!("it was not approved: {}", reason())) }),
        Effect::Stops | Effect::StopsHard | Effect::RefusesStart => Some(Done { for_model: None }),
        _ => return Err(format!("no case describes this answer: {report:?}").into()),
    })
}

fn run(command: &str) -> Result<Done, Box<dyn Error>> {
    let said = Command::new("sh").args(["-c", command]).current_dir(PROJECT).output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Done { for_model: Some(text(&said.stdout) + &text(&said.stderr)) })
}

/// Writes a request to the model, in the form of the scripted model.
fn write_request(number: usize, results: &[String]) -> std::io::Result<()> {
    let request = json!({"api": "double", "tool": "shell", "results": results, "body": {"results": results}});
    fs::write(format!("/home/harness/model/{number:04}.json"), request.to_string())
}

/// Returns the lines that the installer registered for an event.
fn installed(input: &DoubleInput, event: &str) -> Result<Vec<Registered>, Box<dyn Error>> {
    Ok(registered(&input.agent, &fs::read_to_string(format!("{HOME}/{}", input.file))?, event)?)
}

/// The flag of a registered command that names its role.
fn flags(line: &Registered) -> String {
    let text = match line {
        Registered::Line(line) => line.clone(),
        Registered::Exec(words) => words.join(" "),
    };
    Role::ALL.into_iter().filter_map(Role::flag).find(|flag| text.contains(flag)).unwrap_or_default().to_owned()
}
