//! Asks a service over HTTP, by the program `curl`: it has TLS, proxies and the certificate authorities of the system, which
//! snaphook would need C code for.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use snaphook_adapters::model::{Decision, HookEvent};
use snaphook_policy::{DecisionService, Handler, ServiceForm, TokenSource};

use super::Handlers;
use super::run::{HandlerFailure, Input, Output};
use super::wire::{self, Event};

/// The program. `-q` comes first, so that it reads no file of the user.
const CURL: [&str; 4] = ["curl", "-q", "--config", "-"];

/// The maximum size of a file with a token, in bytes.
const TOKEN_MAX: u64 = 64 << 10;

impl Handlers {
    /// Sends an event to a service and reads its decision.
    pub(super) fn service(
        &self,
        handler: &Handler,
        service: &DecisionService,
        event: &HookEvent,
    ) -> Result<Decision, HandlerFailure> {
        let settings = settings(service, event)?;
        let curl = CURL.map(str::to_owned);
        let Output { mut stdout, stderr_line, exit, .. } =
            self.run(&curl, handler.deadline_ms, None, Input::Message(&settings)).map_err(without_curl)?;
        let fail = |what: String, stderr_line| Err(HandlerFailure { what, stderr_line });
        if exit != 0 {
            return fail("the request failed".to_owned(), stderr_line);
        }
        // The status is written after the body.
        let status = stdout.split_off(stdout.len().saturating_sub(3));
        match status.as_slice() {
            b"200" => {}
            b"204" => return Ok(Decision::pass()),
            other => return fail(format!("the service answers with status {}", String::from_utf8_lossy(other)), None),
        }
        let Ok(body) = String::from_utf8(stdout) else { return fail("its answer is not UTF-8".to_owned(), None) };
        if body.trim().is_empty() {
            return fail("its answer is empty; expected a decision, or status 204".to_owned(), None);
        }
        decision(&body, service, event).map_err(HandlerFailure::new)
    }
}

fn decision(body: &str, service: &DecisionService, event: &HookEvent) -> Result<Decision, String> {
    #[derive(Deserialize)]
    struct OpaAnswer<'a> {
        #[serde(borrow)]
        result: Option<&'a RawValue>,
    }
    let answer = match service.form {
        ServiceForm::Opa => {
            let answer: OpaAnswer<'_> =
                serde_json::from_str(body).map_err(|error| format!("its answer is not one of OPA: {error}"))?;
            let none = || "OPA has no decision; expected a rule with a default, such as { \"verdict\": \"pass\" }";
            answer.result.ok_or_else(none)?.get()
        }
        _ => body,
    };
    wire::decision(answer, event).map_err(|fault| fault.to_string())
}

/// The settings of the request, which `curl` reads from its stdin: other users see the arguments of a program.
fn settings(service: &DecisionService, event: &HookEvent) -> Result<String, HandlerFailure> {
    let event = serde_json::to_string(&Event::from(event))
        .map_err(|error| HandlerFailure::new(format!("the event cannot be written: {error}")))?;
    let body = match service.form {
        ServiceForm::Opa => format!("{{\"input\":{event}}}"),
        _ => event,
    };
    let is_plain = service.url.starts_with("http:");
    let mut text = String::from("silent\nshow-error\ngloboff\n");
    let mut set = |key: &str, value: &str| {
        let _ = writeln!(text, "{key} = {}", quoted(value));
    };
    set("url", &service.url);
    // Redirections are not followed.
    set("proto", if is_plain { "=http" } else { "=https" });
    if is_plain {
        set("noproxy", "*");
    }
    if let Some(ca) = &service.ca {
        let ca = ca.to_str().ok_or_else(|| HandlerFailure::new("the path of `ca` is not UTF-8"))?;
        set("cacert", ca);
    }
    set("user-agent", concat!("snaphook/", env!("CARGO_PKG_VERSION")));
    for header in ["Content-Type: application/json", "Accept: application/json", "Expect:"] {
        set("header", header);
    }
    if let Some(token) = &service.token {
        set("header", &format!("Authorization: Bearer {}", self::token(token)?));
    }
    set("write-out", "%{http_code}");
    set("data-binary", &body);
    Ok(text)
}

fn token(source: &TokenSource) -> Result<String, HandlerFailure> {
    let (name, found) = match source {
        TokenSource::File(path) => ("token_file", read(path)),
        TokenSource::Variable(variable) => {
            ("token_env", std::env::var(variable).map_err(|error| format!("{variable}: {error}")))
        }
        _ => ("the token", Err("unknown source".to_owned())),
    };
    let token = found.map_err(|error| HandlerFailure::new(format!("`{name}`: {error}")))?;
    let token = token.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        let says = "expected one word of visible ASCII characters";
        return Err(HandlerFailure::new(format!("`{name}`: invalid token; {says}")));
    }
    Ok(token.to_owned())
}

fn read(path: &Path) -> Result<String, String> {
    let file = path.metadata().map_err(|error| error.to_string())?;
    if !file.is_file() || file.len() > TOKEN_MAX {
        return Err("not a file of at most 64 KiB".to_owned());
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

/// Quotes a value for the settings of `curl`.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Says which program is missing.
fn without_curl(failure: HandlerFailure) -> HandlerFailure {
    let is_missing = failure.what.starts_with("cannot be started");
    let what =
        if is_missing { format!("the program curl, which sends the request, {}", failure.what) } else { failure.what };
    HandlerFailure { what, ..failure }
}
