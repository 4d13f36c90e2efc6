//! Plays one host for one event: reads the message from stdin and prints what the host would do, as JSON.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use snaphook_doubles::lines::{HookConnection, TimeLimits};
use snaphook_doubles::one_shot::OneShot;
use snaphook_doubles::start::{HookEnvironment, Registered};
use snaphook_doubles::turn::PlayedCall;
use snaphook_hosts::Effect;
use snaphook_hosts::cases::Cases;

const USAGE: &str = "usage: double AGENT HOST EVENT [--shell FILE] [--cwd DIR] [--timeout-ms N] LINE
       double AGENT HOST EVENT [--cwd DIR] [--timeout-ms N] -- PROGRAM [ARGUMENT...]
The message is read from stdin. For picoclaw it is the params of the method EVENT. With EVENT `call` it is an
object with session, tool and arguments; the call goes through all gates.";

fn main() -> ExitCode {
    match play() {
        Ok((shown, measured)) => {
            let written = writeln!(std::io::stdout(), "{shown:#}").is_ok();
            ExitCode::from(u8::from(!measured || !written))
        }
        Err(error) => {
            drop(writeln!(std::io::stderr(), "double: {error}"));
            ExitCode::from(2)
        }
    }
}

fn play() -> Result<(Value, bool), String> {
    let arguments = DoubleArguments::read(std::env::args().skip(1))?;
    let cases = Cases::of(&arguments.agent).map_err(|error| error.to_string())?;
    let mut message = String::new();
    std::io::stdin().read_to_string(&mut message).map_err(|error| error.to_string())?;
    if let Some(mut host) = OneShot::new(&cases, &arguments.host) {
        host.environment.shell = arguments.environment.shell;
        host.environment.cwd = arguments.environment.cwd;
        if let Some(timeout) = arguments.timeout {
            host = host.timeout(timeout);
        }
        let report = host.send(&arguments.event, message.trim_end_matches('\n'), &arguments.registered);
        return Ok((json!(report), report.effect != Effect::Unmeasured));
    }
    lines(&arguments, &cases, &message)
}

fn lines(arguments: &DoubleArguments, cases: &Cases, message: &str) -> Result<(Value, bool), String> {
    let params: Value = serde_json::from_str(message).map_err(|error| format!("the message: {error}"))?;
    let mut limits = TimeLimits::default();
    if let Some(timeout) = arguments.timeout {
        (limits.interceptor, limits.approval, limits.hello) = (timeout, timeout, timeout);
    }
    let modes = ["llm", "tool", "approve"];
    let connection = match HookConnection::start(
        cases,
        &arguments.host,
        &arguments.registered,
        &arguments.environment,
        &modes,
        limits,
    ) {
        Ok(connection) => connection,
        Err(report) => return Ok((json!(report), report.effect != Effect::Unmeasured)),
    };
    if arguments.event != "call" {
        let report = connection.call(&arguments.event, &params);
        return Ok((json!(report), report.effect != Effect::Unmeasured));
    }
    let text = |key: &str| params.get(key).and_then(Value::as_str).ok_or_else(|| format!("`{key}` is missing"));
    let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let call = PlayedCall::new(text("session")?, text("tool")?, arguments);
    let turn = connection.tool_call(&call, |_, _| json!({"for_llm": "done", "silent": false, "is_error": false}));
    let measured = turn.steps.iter().all(|step| step.effect != Effect::Unmeasured);
    Ok((json!(turn), measured))
}

/// The arguments of the command line.
struct DoubleArguments {
    agent: String,
    host: String,
    event: String,
    environment: HookEnvironment,
    timeout: Option<Duration>,
    registered: Registered,
}

impl DoubleArguments {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let usage = || USAGE.to_owned();
        let (agent, host, event) =
            words.next().zip(words.next()).zip(words.next()).map(|((a, h), e)| (a, h, e)).ok_or_else(usage)?;
        let mut environment = HookEnvironment::new(Duration::ZERO);
        let mut timeout = None;
        let registered = loop {
            let word = words.next().ok_or_else(usage)?;
            match word.as_str() {
                "--shell" => environment.shell = words.next().ok_or_else(usage)?.into(),
                "--cwd" => environment.cwd = Some(words.next().ok_or_else(usage)?.into()),
                "--timeout-ms" => {
                    let number = words.next().and_then(|number| number.parse().ok()).ok_or_else(usage)?;
                    timeout = Some(Duration::from_millis(number));
                }
                "--" => break Registered::Exec(words.by_ref().collect()),
                _ => break Registered::Line(word),
            }
        };
        if words.next().is_some() {
            return Err(usage());
        }
        Ok(Self { agent, host, event, environment, timeout, registered })
    }
}
