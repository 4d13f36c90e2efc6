use super::Cline;
use crate::Raw;
use crate::fit::{Limits, Loss, fit};
use crate::model::{Action, Change, Command, Decision, HookEvent, Incoming, McpName, Target, VerdictKind};
use crate::protocol::{HookProtocol, Native};

fn read(body: &str) -> HookEvent {
    match Cline.parse(&Native::new(body)).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

fn call(name: &str, input: &str) -> HookEvent {
    read(&format!(r#"{{"hookName":"tool_call","tool_call":{{"id":"1","name":"{name}","input":{input}}}}}"#))
}

fn commands(input: &str) -> Vec<Command> {
    let actions = call("run_commands", input).call().unwrap().actions.clone();
    let commands = actions.into_iter().map(|action| match action {
        Action::Shell { command, .. } => command,
        other => panic!("{other:?}"),
    });
    commands.collect()
}

#[test]
fn every_spelling_of_a_command_is_judged() {
    let text = |text: &str| Command::Text(text.into());
    let argv = Command::Argv(["rm", "-r", "b"].map(str::to_owned).to_vec());
    for (input, want) in [
        (r#"{"commands":["a","b c"]}"#, vec![text("a"), text("b c")]),
        (r#"{"commands":"a"}"#, vec![text("a")]),
        (r#"{"command":"a"}"#, vec![text("a")]),
        (r#"{"cmd":"a"}"#, vec![text("a")]),
        (r#"{"commands":["a",{"command":"rm","args":["-r","b"]}]}"#, vec![text("a"), argv.clone()]),
        (r#"{"commands":{"command":"rm","args":["-r","b"]}}"#, vec![argv.clone()]),
        (r#"{"command":"rm","args":["-r","b"]}"#, vec![argv]),
    ] {
        assert_eq!(commands(input), want, "{input}");
    }
}

#[test]
fn a_call_in_an_unknown_form_is_refused_by_a_cancellation() {
    for input in
        [r#"["a"]"#, r#""a""#, r#"{"commands":[1]}"#, r#"{"commands":[{}]}"#, r#"{"commands":[{"command":1}]}"#]
    {
        let body = format!(r#"{{"hookName":"tool_call","tool_call":{{"name":"run_commands","input":{input}}}}}"#);
        assert!(Cline.parse(&Native::new(body.as_str())).is_err(), "{input}");
        let reply = Cline.refuse(&Native::new(body), "why");
        assert_eq!((reply.exit, reply.stdout.as_str()), (0, r#"{"cancel":true,"errorMessage":"why"}"#));
    }
    let unknown = read(r#"{"hookName":"tool_checked","preToolUse":{"toolName":"x"}}"#);
    let (fitted, _) = fit(Decision::deny("no"), &unknown, &Limits::default());
    assert!(Cline.format(&unknown, &fitted).stdout.contains("\"cancel\":true"));
}

#[test]
fn the_paths_of_a_read_are_judged_in_every_spelling() {
    let reads = |input: &str| call("read_files", input).call().unwrap().actions.clone();
    let both = ["a", "b"].map(|path| Action::Read { path: path.into() });
    for input in [
        r#"{"files":[{"path":"a","start_line":1},{"filePath":"b"}]}"#,
        r#"{"paths":["a",{"file_path":"b"}]}"#,
        r#"{"file_paths":["a","b"]}"#,
        r#"{"files":"a","path":"b"}"#,
    ] {
        assert_eq!(reads(input), both, "{input}");
    }
}

#[test]
fn a_denial_stops_the_task_and_says_so() {
    let event = call("run_commands", r#"{"commands":["a"]}"#);
    let (_, losses) = fit(Decision::deny("no"), &event, &Limits::default());
    assert_eq!(losses, [Loss::Verdict { wanted: VerdictKind::Deny, sent: VerdictKind::Abort }]);
}

#[test]
fn one_command_of_several_cannot_run_unwrapped() {
    let wrap = |command: &Command| Some(format!("sb -- {}", command.text()?).into());
    let wrapped = |input: &str| Cline.rewrite(call("run_commands", input).call().unwrap(), &wrap);
    assert_eq!(wrapped(r#"{"commands":["a","b"]}"#).unwrap().value.as_str(), r#"{"commands":["sb -- a","sb -- b"]}"#);
    assert_eq!(wrapped(r#"{"commands":"a"}"#).unwrap().value.as_str(), r#"{"commands":"sb -- a"}"#);
    assert!(wrapped(r#"{"commands":["a",{"command":"rm","args":["b"]}]}"#).is_none());
    assert!(wrapped(r#"{"commands":["a"],"cmd":"b"}"#).is_none());
}

#[test]
fn the_extension_names_server_and_tool_in_its_arguments() {
    let body = r#"{"hookName":"PreToolUse","preToolUse":{"toolName":"use_mcp_tool","parameters":{"server_name":"s","tool_name":"t"}}}"#;
    let mcp = McpName::Split { server: "s".into(), tool: "t".into() };
    assert_eq!(read(body).call().unwrap().actions, [Action::Mcp(mcp)]);
    let change = Change::required(Target::Input, Raw::document(r#"{"a":1}"#));
    let (fitted, _) = fit(Decision::pass().change(change), &read(body), &Limits::default());
    assert!(Cline.format(&read(body), &fitted).stdout.contains("cancel"));
}
