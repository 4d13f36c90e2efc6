//! The programs of `examples/` as handlers.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use snaphook::decide::Deciders;
use snaphook::handlers::{Children, Handlers};
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Change, Decision, HookEvent, Response, Target, ToolCall};
use snaphook_policy::Handler;

use crate::invented;

/// The built example. `cargo test` builds all of them; running only this test does not.
fn example(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let path = test.parent().unwrap().with_file_name("examples").join(name).with_extension(env::consts::EXE_EXTENSION);
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let written = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    if written(&path) < written(&home.join("examples").join(name).with_extension("rs")) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--example", name]).current_dir(home);
        cargo.args((!cfg!(debug_assertions)).then_some("--release"));
        assert!(cargo.status().unwrap().success());
    }
    path
}

pub(crate) fn ask(name: &str, event: &HookEvent) -> Result<Decision, String> {
    let program = example(name).into_os_string().into_string().unwrap();
    let mut handlers = Handlers::new(Instant::now() + Duration::from_mins(1), &Children::new());
    handlers.handler(&Handler::new(name, vec![program], 30_000), event)
}

#[test]
fn the_example_adds_a_tool_to_the_existing_ones() {
    let offered = |request: &str| {
        let decision = ask("answer_tool", &invented::request(request)).unwrap();
        let [change] = &decision.changes[..] else { panic!("{decision:?}") };
        assert_eq!((change, &decision), (&Change::optional(Target::Request, change.value.clone()), &decision));
        change.value.at("/tools").unwrap().array().unwrap()
    };
    let tools = offered(&format!(r#"{{"model":"m","tools":[{}],"options":{{"t":1.10}}}}"#, invented::ODD));
    assert_eq!(tools.len(), 2);
    assert_eq!(tools[0], Raw::document(invented::ODD));
    assert_eq!(tools[1].at("/function/name").unwrap(), Raw::string("weather"));
    assert_eq!(offered(r#"{"model":"m"}"#).len(), 1);
}

#[test]
fn only_the_added_tool_is_answered() {
    let call = |name: &str, input: &str| {
        let mut event = invented::bare_call(name);
        let actions = event.call().unwrap().actions.clone();
        event.detail = snaphook_adapters::model::Detail::Tool(ToolCall::new(name, Raw::document(input), actions));
        ask("answer_tool", &event)
    };
    let fine = Response::new("Oslo: 21 °C, light wind, no rain");
    assert_eq!(call("weather", r#"{"city":"Oslo"}"#), Ok(Decision::respond(fine)));
    let nowhere = Response::new("no station in Nowhere; try Lisbon or Oslo").error();
    assert_eq!(call("weather", r#"{"city":"Nowhere"}"#), Ok(Decision::respond(nowhere)));
    assert_eq!(call("exec", r#"{"command":"ls"}"#), Ok(Decision::pass()));
    assert_eq!(ask("answer_tool", &invented::turn_end()), Ok(Decision::pass()));
}

#[test]
fn only_secrets_are_removed_from_a_result() {
    let redacted = |text: &str| {
        let literal = serde_json::to_string(text).unwrap();
        let mut decision = ask("redact_results", &invented::done(&literal)).unwrap();
        let change = decision.changes.pop()?;
        assert_eq!(change, Change::required(Target::Result, change.value.clone()));
        assert!(change.value.as_str().starts_with(r#"{"n":1.10,"text":"#), "{:?}", change.value);
        Some(change.value.at("/text").unwrap().text().unwrap().value)
    };
    let ghp = format!("ghp_{}", "a1".repeat(18));
    for (text, clean) in [
        ("key AKIAIOSFODNN7EXAMPLE, end".to_owned(), "key [redacted], end"),
        (format!("é\u{1F600}({ghp})"), "é\u{1F600}([redacted])"),
        ("export GITHUB_TOKEN='a/b+c==' X=1\n".to_owned(), "export GITHUB_TOKEN='[redacted]' X=1\n"),
        ("db_password=\"p w\"; y".to_owned(), "db_password=\"[redacted]\"; y"),
        ("?token=abc&page=2".to_owned(), "?token=[redacted]&page=2"),
    ] {
        assert_eq!(redacted(&text).as_deref(), Some(clean));
    }
    for text in ["", "total 12\ndrwxr-xr-x", "AKIA", "TOKEN=", "TOKENS=5", "a = b", "TOKEN=[redacted]"] {
        assert_eq!(redacted(text), None, "{text}");
    }
    assert_eq!(ask("redact_results", &invented::done_without_text()), Ok(Decision::pass()));
}

#[test]
fn a_secret_next_to_a_lone_surrogate_is_removed() {
    let decision = ask("redact_results", &invented::done(r#""\ud800 TOKEN=abc""#)).unwrap();
    assert_eq!(decision.changes[0].value.at("/text").unwrap(), Raw::string("\u{fffd} TOKEN=[redacted]"));
}
