//! Sends requests over HTTP by the program `curl`: it has TLS, proxies and the certificate authorities of the system, which
//! snaphook would need C code for.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use snaphook_policy::{HttpEndpoint, TokenSource};
use tempfile::NamedTempFile;

use super::children::Children;
use super::run::{HandlerFailure, Input, Output, run};

/// The program. `-q` comes first, so that it reads no file of the user.
const CURL: [&str; 4] = ["curl", "-q", "--config", "-"];

/// The maximum size of a file with a token, in bytes.
const TOKEN_MAX: u64 = 64 << 10;

/// The longest body that is a setting. Lines of more than 100 KiB are an error before curl 8.
const LINE_MAX: usize = 40 << 10;

/// What follows the body of an answer. Before curl 7.84, the header is written as it is here.
const WRITE_OUT: &str = "\n%header{retry-after}\n%{http_code}";

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: String,
    pub(crate) body: Vec<u8>,
    /// The header `Retry-After`; empty if there is none.
    pub(crate) retry_after: String,
}

/// Posts a JSON document and returns the answer, whatever its status is.
pub(crate) fn post(
    endpoint: &HttpEndpoint,
    body: &str,
    time: Duration,
    children: &Children,
) -> Result<HttpAnswer, HandlerFailure> {
    let mut settings = settings(endpoint)?;
    // The file is deleted after the request.
    let _file;
    if body.len() <= LINE_MAX {
        set(&mut settings, "data-binary", body);
    } else {
        let file = body_file(body).map_err(|error| HandlerFailure::new(format!("a temporary file: {error}")))?;
        set(&mut settings, "data-binary", &format!("@{}", file.path().display()));
        _file = file;
    }
    let curl = CURL.map(str::to_owned);
    let Output { stdout, stderr_line, exit, .. } =
        run(&curl, None, Input::Message(&settings), time, children).map_err(without_curl)?;
    if exit != 0 {
        return Err(HandlerFailure { what: "the request failed".to_owned(), stderr_line });
    }
    let mut parts = stdout.rsplitn(3, |byte| *byte == b'\n');
    let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let (status, retry_after) = (text(), text());
    Ok(HttpAnswer { status, retry_after, body: parts.next().unwrap_or_default().to_owned() })
}

/// Writes a body to a file that only the user can read.
fn body_file(body: &str) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    file.write_all(body.as_bytes())?;
    Ok(file)
}

/// The settings of the request, which `curl` reads from its stdin: other users see the arguments of a program.
fn settings(endpoint: &HttpEndpoint) -> Result<String, HandlerFailure> {
    let mut text = String::from("silent\nshow-error\ngloboff\n");
    let mut set = |key: &str, value: &str| set(&mut text, key, value);
    set("url", &endpoint.url);
    // Redirections are not followed.
    set("proto", if endpoint.is_plain() { "=http" } else { "=https" });
    if endpoint.is_plain() {
        set("noproxy", "*");
    }
    if let Some(ca) = &endpoint.ca {
        let ca = ca.to_str().ok_or_else(|| HandlerFailure::new("the path of `ca` is not UTF-8"))?;
        set("cacert", ca);
    }
    set("user-agent", concat!("snaphook/", env!("CARGO_PKG_VERSION")));
    for header in ["Content-Type: application/json", "Accept: application/json", "Expect:"] {
        set("header", header);
    }
    if let Some(token) = &endpoint.token {
        set("header", &format!("Authorization: Bearer {}", self::token(token)?));
    }
    set("write-out", WRITE_OUT);
    Ok(text)
}

fn set(settings: &mut String, key: &str, value: &str) {
    let _ = writeln!(settings, "{key} = {}", quoted(value));
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
