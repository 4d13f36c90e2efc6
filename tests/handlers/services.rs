//! Handlers that ask a service over HTTP, against servers on the loopback interface.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook::decide::Deciders;
use snaphook::handlers::wire::Event;
use snaphook::handlers::{Children, Handlers};
use snaphook_adapters::model::{Decision, HookEvent};
use snaphook_policy::{DecisionService, Handler, HttpEndpoint, ServiceForm, TokenSource};

use crate::http::{HttpRequest, answer};
use crate::invented;
use crate::skipped::skipped;

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        skipped(&format!("{program}: it is not on PATH"));
    }
    found
}

fn ask(service: DecisionService, event: &HookEvent) -> Result<Decision, String> {
    let mut handlers = Handlers::new(Instant::now() + Duration::from_secs(30), &Children::new());
    handlers.handler(&Handler::service("judge", service, 10_000), event)
}

/// A server that answers one request, and the request that it got.
struct Server {
    url: String,
    request: JoinHandle<(String, String)>,
}

impl Server {
    fn answering(status: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/a?b=%20c", listener.local_addr().unwrap());
        let (status, body) = (status.to_owned(), body.to_owned());
        let request = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let request = HttpRequest::read(&stream).unwrap();
            answer(&stream, &status, &body).unwrap();
            (request.head, String::from_utf8(request.body).unwrap())
        });
        Self { url, request }
    }

    fn service(&self, form: ServiceForm) -> DecisionService {
        DecisionService::new(HttpEndpoint::new(&self.url), form)
    }

    fn got(self) -> (String, String) {
        self.request.join().unwrap()
    }
}

#[test]
fn the_event_is_sent_and_the_decision_is_read() {
    if !has("curl") {
        return;
    }
    let event = invented::call();
    let sent = serde_json::to_string(&Event::from(&event)).unwrap();
    let server = Server::answering("200 OK", r#"{"verdict":"deny","reason":"no \u00e9"}"#);
    assert_eq!(ask(server.service(ServiceForm::Plain), &event), Ok(Decision::deny("no é")));
    let (head, body) = server.got();
    assert_eq!(body, sent, "every byte of the event arrives");
    assert!(head.starts_with("POST /a?b=%20c HTTP/1.1\r\n"), "{head}");
    for line in ["Content-Type: application/json", "Accept: application/json", "User-Agent: snaphook/"] {
        assert!(head.contains(line), "{head}");
    }
    assert!(!head.contains("Authorization") && !head.contains("Expect"), "{head}");
    let server = Server::answering("204 No Content", "");
    assert_eq!(ask(server.service(ServiceForm::Plain), &event), Ok(Decision::pass()));
    drop(server.got());
    let server = Server::answering("200 OK", r#"{"decision_id":"x","result":{"verdict":"ask","reason":"r"}}"#);
    assert_eq!(ask(server.service(ServiceForm::Opa), &event), Ok(Decision::ask("r")));
    assert_eq!(server.got().1, format!("{{\"input\":{sent}}}"));
}

#[test]
fn a_large_event_arrives_whole() {
    if !has("curl") {
        return;
    }
    let mut event = invented::call();
    event.session = Some("\u{e9}\n".repeat(1 << 20));
    let server = Server::answering("204 No Content", "");
    assert_eq!(ask(server.service(ServiceForm::Plain), &event), Ok(Decision::pass()));
    assert_eq!(server.got().1, serde_json::to_string(&Event::from(&event)).unwrap());
}

#[test]
fn whatever_is_not_a_decision_is_a_failure() {
    if !has("curl") {
        return;
    }
    let judged = |form, status: &str, body: &str| {
        let server = Server::answering(status, body);
        let error = ask(server.service(form), &invented::call()).unwrap_err();
        drop(server.got());
        error
    };
    let plain = ServiceForm::Plain;
    for (form, status, body, says) in [
        (plain, "500 Oops", r#"{"verdict":"allow"}"#, "the service answers with status 500"),
        (plain, "403 Forbidden", "", "status 403"),
        (plain, "302 Found\r\nLocation: http://127.0.0.1:1/", "", "status 302"),
        (plain, "201 Created", r#"{"verdict":"allow"}"#, "status 201"),
        (plain, "200 OK", "", "its answer is empty; expected a decision, or status 204"),
        (plain, "200 OK", "<html>", "its answer is not a decision"),
        (plain, "200 OK", r#"{"verdict":"allow","odd":1}"#, "unknown field `odd`"),
        (plain, "200 OK", r#"{"verdict":"allow"} {}"#, "its answer is not a decision"),
        (ServiceForm::Opa, "200 OK", "{}", "OPA has no decision"),
        (ServiceForm::Opa, "200 OK", r#"{"result":true}"#, "its answer is not a decision"),
        (ServiceForm::Opa, "200 OK", "[]", "its answer is not one of OPA"),
    ] {
        let error = judged(form, status, body);
        assert!(error.starts_with("handler `judge`: ") && error.contains(says), "{status} {body}: {error}");
    }
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = ask(DecisionService::new(HttpEndpoint::new(format!("http://{unused}/")), plain), &invented::call())
        .unwrap_err();
    assert!(error.contains("the request failed: curl: (7)"), "{error}");
    // An answer of the wrong length, and a server that never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let service = DecisionService::new(HttpEndpoint::new(format!("http://{}/", listener.local_addr().unwrap())), plain);
    let silent = thread::spawn(move || listener.accept().unwrap());
    let mut handlers = Handlers::new(Instant::now() + Duration::from_secs(30), &Children::new());
    let asked = Instant::now();
    let error = handlers.handler(&Handler::service("judge", service, 300), &invented::call()).unwrap_err();
    assert!(error.contains("gave no answer within 300 ms") && asked.elapsed() < Duration::from_secs(5), "{error}");
    drop(silent.join());
}

#[test]
fn a_token_is_read_from_a_file_or_the_environment() {
    if !has("curl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let with = |token: TokenSource| {
        let server = Server::answering("200 OK", "{}");
        let mut service = server.service(ServiceForm::Plain);
        service.endpoint.token = Some(token);
        (ask(service, &invented::call()), server)
    };
    fs::write(&file, "s3cret.\"x\\y\n").unwrap();
    let (said, server) = with(TokenSource::File(file.clone()));
    assert_eq!(said, Ok(Decision::pass()));
    assert!(server.got().0.contains("\r\nAuthorization: Bearer s3cret.\"x\\y\r\n"));
    let (said, server) = with(TokenSource::Variable("CARGO_PKG_NAME".to_owned()));
    assert_eq!(said, Ok(Decision::pass()));
    assert!(server.got().0.contains(&format!("Authorization: Bearer {}\r\n", env!("CARGO_PKG_NAME"))));
    for (content, says) in [("", "invalid token"), ("a\nX-Evil: b", "invalid token"), ("é", "invalid token")] {
        fs::write(&file, content).unwrap();
        let error = with(TokenSource::File(file.clone())).0.unwrap_err();
        assert!(error.contains("`token_file`") && error.contains(says), "{error}");
    }
    fs::write(&file, "x".repeat(1 << 17)).unwrap();
    for (token, says) in [
        (TokenSource::File(file), "`token_file`: not a file of at most 64 KiB"),
        (TokenSource::File(folder.path().to_owned()), "`token_file`: not a file"),
        (TokenSource::File(folder.path().join("none")), "`token_file`: No such file"),
        (TokenSource::Variable("SNAPHOOK_TEST_NO_SUCH_VARIABLE".to_owned()), "`token_env`: SNAPHOOK_TEST_NO"),
    ] {
        let error = with(token).0.unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}

/// A server with TLS, whose certificate is signed by itself.
struct TlsServer {
    child: Child,
    url: String,
}

impl TlsServer {
    fn start(folder: &Path) -> Self {
        let certificate = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=snaphook test"])
            .args(["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "ca.pem"])
            .current_dir(folder)
            .stderr(Stdio::null())
            .status();
        assert!(certificate.unwrap().success());
        fs::write(
            folder.join("server.py"),
            r#"
import http.server, ssl
class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"verdict":"deny","reason":"by TLS"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain("ca.pem", "key.pem")
server.socket = tls.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"#,
        )
        .unwrap();
        let mut child = Command::new("python3")
            .arg("server.py")
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, url: format!("https://127.0.0.1:{}/", port.trim()) }
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_private_certificate_authority_is_trusted_only_if_the_policy_names_it() {
    if !["curl", "python3"].into_iter().all(has) || !Path::new("/usr/bin/openssl").exists() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = TlsServer::start(folder.path());
    let asked = |ca: Option<&str>, url: &str| {
        let mut service = DecisionService::new(HttpEndpoint::new(url), ServiceForm::Plain);
        service.endpoint.ca = ca.map(|name| folder.path().join(name));
        ask(service, &invented::call())
    };
    assert_eq!(asked(Some("ca.pem"), &server.url), Ok(Decision::deny("by TLS")));
    let error = asked(None, &server.url).unwrap_err();
    assert!(error.contains("the request failed: curl: (60)"), "{error}");
    for (ca, url) in [
        ("none.pem", server.url.clone()),
        ("server.py", server.url.clone()),
        ("ca.pem", server.url.replace("127.0.0.1", "localhost")),
        ("ca.pem", server.url.replace("https", "http")),
    ] {
        let error = asked(Some(ca), &url).unwrap_err();
        assert!(error.contains("the request failed: curl: ("), "{ca} {url}: {error}");
    }
}

#[test]
fn the_policy_answers_for_a_service_that_fails() {
    if !has("curl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("policy.toml");
    let message = json!({"session_id": "s", "cwd": "/w", "permission_mode": "default", "hook_event_name": "PreToolUse",
                         "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    let hook = |path: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_snaphook"))
            .args(["hook", "claude-code", "--no-audit", "--policy", policy.to_str().unwrap()])
            .env("HOME", folder.path())
            .env("PATH", path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(message.to_string().as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let path = std::env::var("PATH").unwrap();
    let server = Server::answering("200 OK", r#"{"result":{"verdict":"deny","reason":"closed today"}}"#);
    let base = server.url.split("/a?").next().unwrap().to_owned();
    let opa = format!("[[handler]]\nmatch = ['PreTool']\nopa = {{ url = '{base}/x/', path = '/snaphook/decision' }}\n");
    fs::write(&policy, &opa).unwrap();
    let said = hook(&path);
    assert!(said.contains("closed today"), "{said}");
    let (head, body) = server.got();
    assert!(head.starts_with("POST /x/v1/data/snaphook/decision HTTP/1.1"), "{head}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["input"]["tool"]["actions"][0]["command"], "ls");
    let said = hook(&path);
    assert!(said.contains("\"deny\"") && said.contains("handler `127.0.0.1`: the request failed"), "{said}");
    let said = hook("/nowhere");
    assert!(said.contains("\"deny\"") && said.contains("the program curl"), "{said}");
    fs::write(&policy, format!("{opa}[failure]\nhandler = 'pass'\n")).unwrap();
    assert_eq!(hook(&path), "");
}
