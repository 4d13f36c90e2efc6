//! How tool calls are read, written and rewritten: tools of the tables, tools that no table lists, and skills.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use snaphook_adapters::Raw;
use snaphook_adapters::fit::Fitted;
use snaphook_adapters::model::{
    Action, Change, Command, Detail, EventKind, HookEvent, Incoming, Reply, ShellKind, ToolCall,
};
use snaphook_adapters::protocol::ActionKind::{Shell, ShellInput};
use snaphook_adapters::protocol::{
    ActionCondition, ActionKind, Agent, Body, EventRow, Fields, HookProtocol, HostShell, Native, ParseError, Power,
    RegisteredLine, Slot, ToolRow, Transport, Wrapping,
};
use snaphook_adapters::registry::Registry;

fn agent(id: &str) -> &'static Agent {
    Registry::standard().get(id).unwrap().agent()
}

/// A call of a tool as Claude Code sends it.
fn call(tool: &str, input: &str) -> Result<ToolCall, ParseError> {
    let message = format!(
        r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"{tool}","tool_input":{input},"tool_use_id":"t1"}}"#
    );
    match Registry::standard().get("claude-code").unwrap().parse(&Native::new(message))? {
        Incoming::Event(event) => Ok(event.call().unwrap().clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_call_built_for_an_action_is_read_as_that_action() {
    let text = |text: &str| text.to_owned();
    let shell = Action::Shell { command: text("ls").into(), cwd: None, shell: ShellKind::Posix };
    let all = [
        shell,
        Action::ShellInput { text: "y\n".into() },
        Action::Read { path: text("/p/a") },
        Action::Write { path: text("/p/a") },
        Action::Edit { path: text("/p/a") },
        Action::Delete { path: text("/p/a") },
        Action::Move { from: text("/p/a"), to: text("/p/b") },
        Action::List { path: text("/p") },
        Action::Search { path: text("/p"), pattern: None },
        Action::Fetch { url: text("https://example.org/") },
        Action::WebSearch { query: text("snap") },
        Action::Subagent { name: Some(text("explore")) },
    ];
    let mut written = Vec::new();
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        for (place, action) in all.iter().enumerate() {
            let Some(call) = ToolCall::sketch(agent, action) else { continue };
            let same = |found: &Action| match (found, action) {
                (Action::Shell { command, .. }, Action::Shell { command: wanted, .. }) => command == wanted,
                (Action::Search { path, .. }, Action::Search { path: wanted, .. }) => path == wanted,
                (found, wanted) => found == wanted,
            };
            assert!(call.actions.iter().any(same), "{}: {action:?} is read as {call:?}", agent.id);
            written.push((agent.id, place));
        }
    }
    for (place, action) in all.iter().enumerate().filter(|(_, action)| !matches!(action, Action::Move { .. })) {
        assert!(written.iter().any(|(_, found)| *found == place), "no agent can do {action:?}");
    }
    for id in Registry::standard().ids() {
        assert!(written.contains(&(id, 0)), "{id} has a shell");
    }
    assert!(ToolCall::sketch(agent("codex"), &Action::Other).is_none());
}

#[test]
fn an_unlisted_tool_may_take_the_actions_that_its_arguments_suggest() {
    let suggested = |input: &str| call("Unlisted", input).unwrap().suggested_actions;
    let commands = |input: &str| {
        let command = |action: Action| match action {
            Action::Shell { command, .. } => command,
            other => panic!("{other:?}"),
        };
        suggested(input).into_iter().map(command).collect::<Vec<_>>()
    };
    for key in ["command", "cmd", "script"] {
        assert_eq!(commands(&format!(r#"{{"{key}":"rm -rf /"}}"#)), [Command::from("rm -rf /".to_owned())], "{key}");
    }
    let words = |words: &[&str]| Command::Argv(words.iter().map(|word| (*word).to_owned()).collect());
    assert_eq!(commands(r#"{"command":["rm","-rf"]}"#), [words(&["rm", "-rf"])]);
    let with_arguments = commands(r#"{"command":"rm","args":["-rf","/"]}"#);
    assert_eq!(with_arguments, [Command::from("rm".to_owned()), words(&["rm", "-rf", "/"])]);
    // OpenHands puts the arguments of a tool of an MCP server into one object.
    let inner = commands(r#"{"data":{"command":"rm -rf /"},"kind":"MCPToolAction"}"#);
    assert_eq!(inner, [Command::from("rm -rf /".to_owned())]);
    // Arguments of another type are something else.
    for input in [r#"{"command":[]}"#, r#"{"command":["a",1]}"#, r#"{"command":1}"#, r#"{"path":["a",1]}"#, "{}"] {
        assert_eq!(suggested(input), [], "{input}");
    }
    assert_eq!(commands(r#"{"command":"rm","args":[]}"#).len(), 1);
    assert_eq!(commands(r#"{"command":"rm","args":[1]}"#).len(), 1);
    let path = "/a".to_owned();
    for key in ["path", "file_path", "filePath", "absolute_path", "target_file", "paths", "file_paths", "files"] {
        let wanted = [Action::Read { path: path.clone() }, Action::Edit { path: path.clone() }];
        assert_eq!(suggested(&format!(r#"{{"{key}":"/a"}}"#)), wanted, "{key}");
        assert_eq!(suggested(&format!(r#"{{"{key}":["/a"]}}"#)), wanted, "{key}");
    }
    assert_eq!(suggested(r#"{"url":"https://a/"}"#), [Action::Fetch { url: "https://a/".to_owned() }]);
    assert_eq!(call("Read", r#"{"file_path":"/a","command":"rm"}"#).unwrap().suggested_actions, [], "a listed tool");
}

#[test]
fn an_unlisted_event_with_arguments_but_without_a_tool_is_an_error() {
    let mut tried = 0;
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        let of_dialects = agent.dialects.iter().filter_map(|dialect| Some((dialect.event_key?, dialect.fields)));
        let usual = (agent.event_at.trim_start_matches('/'), agent.fields);
        for (event, fields) in of_dialects.chain(agent.dialects.is_empty().then_some(usual)) {
            let members = format!(r#""{event}":"unlisted","id":1,"session_id":"s""#);
            let arguments = format!(r#""{}":{{"command":"rm -rf /"}}"#, fields.input);
            for (message, is_call) in [(format!("{{{members},{arguments}}}"), true), (format!("{{{members}}}"), false)]
            {
                let observed = protocol.parse(&Native::new(message.as_str())).is_ok();
                let is_line = agent.transport == Transport::Lines;
                assert!(is_line || observed != is_call, "{}: {message}", agent.id);
            }
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn a_value_that_no_action_of_a_tool_lists_may_mean_each_of_them() {
    const PATH: Slot = Slot::key(&["path"]);
    static TOOLS: &[ToolRow] = &[ToolRow::new(
        "editor",
        &[
            ActionKind::Read.on(PATH).only(ActionCondition::when("command", &["view"])),
            ActionKind::Write.on(PATH).only(ActionCondition::when("command", &["create"]).or_unlisted()),
            ActionKind::Edit.on(PATH).only(ActionCondition::when("command", &["replace"]).or_absent().or_unlisted()),
        ],
    )];
    static EVENTS: &[EventRow] =
        &[EventRow::new("pre", EventKind::PreTool, |_, _| Reply::silent()).gate().can_do(&[Power::Deny])];
    static EDITOR: &Agent = &Agent::new("editor", "Editor").events(EVENTS).tools(TOOLS);
    let (write, edit) = (Action::Write { path: "/a".to_owned() }, Action::Edit { path: "/a".to_owned() });
    for (command, wanted) in [
        (r#""view""#, vec![Action::Read { path: "/a".to_owned() }]),
        (r#""create""#, vec![write.clone()]),
        (r#""replace""#, vec![edit.clone()]),
        ("null", vec![edit.clone()]),
        (r#""Replace""#, vec![write.clone(), edit.clone()]),
        (r#""""#, vec![write, edit]),
    ] {
        let message = format!(
            r#"{{"hook_event_name":"pre","tool_name":"editor","tool_input":{{"path":"/a","command":{command}}}}}"#
        );
        let Ok(Incoming::Event(event)) = EDITOR.parse(&Native::new(message)) else { panic!("{command}") };
        assert_eq!(event.call().unwrap().actions, wanted, "{command}");
    }
}

#[test]
fn a_skill_is_read_with_its_arguments() {
    let skill = |input: &str| call("Skill", input).unwrap().skill.unwrap();
    assert_eq!(skill(r#"{"skill":"review","args":"a b"}"#).names, ["review"]);
    assert_eq!(skill(r#"{"skill":"review","args":"a b"}"#).arguments, "a b");
    assert_eq!(skill(r#"{"skill":"review","args":["a"]}"#).arguments, r#"["a"]"#);
    assert_eq!(skill(r#"{"skill":"review","args":null}"#).arguments, "");
    assert!(call("Bash", r#"{"command":"ls"}"#).unwrap().skill.is_none());
}

#[test]
fn new_arguments_keep_the_id_of_the_call() {
    let call = call("Bash", r#"{"command":"ls"}"#).unwrap();
    assert_eq!(call.id.as_deref(), Some("t1"));
    let changed = call.with_input(agent("claude-code"), Raw::document(r#"{"command":"pwd"}"#)).unwrap();
    assert_eq!(changed.id.as_deref(), Some("t1"));
    assert_ne!(changed.actions, call.actions);
    assert!(call.with_input(agent("claude-code"), Raw::document("[]")).is_none());
}

#[test]
fn the_session_folder_is_read_from_the_source_that_the_agent_states() {
    let line = RegisteredLine::default().folder(Some("/process".to_owned()));
    let in_message = |id: &str, cwd: Option<&str>| {
        let agent = agent(id);
        let mut event = HookEvent::new(agent, &agent.events[0], Raw::document("{}"));
        event.cwd = cwd.map(str::to_owned);
        agent.project_of(&event, &line)
    };
    assert_eq!(in_message("codex", Some("/chosen")).as_deref(), Some("/process"));
    assert_eq!(in_message("hygge", Some("/chosen")).as_deref(), Some("/chosen"));
    assert_eq!(in_message("hygge", None).as_deref(), Some("/process"));
    assert_eq!(line.clone().process(Some("/other".to_owned())).process.as_deref(), Some("/other"));
}

#[test]
fn a_host_includes_its_versions_and_lanes() {
    let hosts = agent("docker-agent").hosts;
    let host = |version: &str| hosts.iter().find(|host| host.fits(version)).unwrap().id;
    assert_eq!([host("1.0.0"), host("v1.53.0"), host("1.89.0"), host("1.138.0")], ["a", "b", "b2", "c"]);
    let late = hosts.iter().find(|host| host.id == "b2").unwrap();
    assert!(late.is("b2") && late.is("b2-preempt") && !late.is("c") && !late.is("b"));
    let early = hosts.iter().find(|host| host.id == "b").unwrap();
    assert!(early.is("b") && !early.is("b2") && !early.fits("1.89.0") && !early.fits("1.52.9"));
}

static TOOLS: [ToolRow; 5] = [
    ToolRow::new("text", &[Shell.on(Slot::key(&["command"]))]),
    ToolRow::new("list", &[Shell.on(Slot::each(&["commands"]))]),
    ToolRow::new("words", &[Shell.on(Slot::key(&["argv"])).words()]),
    ToolRow::new("input", &[ShellInput.on(Slot::key(&["text"]))]),
    ToolRow::new("both", &[Shell.on(Slot::key(&["command"])), ShellInput.on(Slot::key(&["text"]))]),
];
static EVENTS: [EventRow; 1] =
    [EventRow::new("tool", EventKind::PreTool, |_, _: &Fitted| Reply::silent()).gate().can_do(&[Power::Deny])];
static LISTING: Agent = Agent::new("listing", "Listing")
    .event_at("/event")
    .fields(Fields::new("tool", "args"))
    .events(&EVENTS)
    .tools(&TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("sh")));

struct Listing;

impl HookProtocol for Listing {
    fn agent(&self) -> &'static Agent {
        &LISTING
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&LISTING, native)?;
        let call = body.call()?;
        Ok(body.event(Detail::Tool(call))?.into())
    }
}

/// The arguments after each command was put behind `sb`, as JSON.
fn wrapped(tool: &str, args: &str) -> Option<String> {
    let Incoming::Event(event) =
        Listing.parse(&Native::new(format!(r#"{{"event":"tool","tool":"{tool}","args":{args}}}"#))).unwrap()
    else {
        panic!("an event")
    };
    let wrap = |command: &Command| {
        Some(match command {
            Command::Text(text) => format!("sb {text}").into(),
            Command::Argv(words) => Command::Argv(std::iter::once("sb".to_owned()).chain(words.clone()).collect()),
        })
    };
    Listing.rewrite(event.call().unwrap(), &wrap).map(|Change { value, .. }| value.as_str().to_owned())
}

#[test]
fn each_command_of_a_call_is_rewritten_and_other_arguments_are_kept() {
    let same = |tool: &str, args: &str, wanted: &str| {
        assert_eq!(wrapped(tool, args).as_deref(), Some(wanted), "{tool} {args}");
    };
    same("text", r#"{"a":1.10,"command":"ls","z":[]}"#, r#"{"a":1.10,"command":"sb ls","z":[]}"#);
    same("list", r#"{"commands":["a","b"]}"#, r#"{"commands":["sb a","sb b"]}"#);
    same("words", r#"{"argv":["git","status"]}"#, r#"{"argv":["sb","git","status"]}"#);
    for (tool, args) in [
        // The table does not say that the agent executes words.
        ("text", r#"{"command":["git","status"]}"#),
        ("input", r#"{"text":"y\n"}"#),
        // Text that is typed into the shell cannot be put into a sandbox.
        ("both", r#"{"command":"ls","text":"y\n"}"#),
        ("unlisted", r#"{"command":"ls"}"#),
    ] {
        assert_eq!(wrapped(tool, args), None, "{tool} {args}");
    }
}

#[test]
fn a_rewrite_that_changes_the_shape_of_a_command_is_not_sent() {
    let message = |tool: &str, args: &str| Native::new(format!(r#"{{"event":"tool","tool":"{tool}","args":{args}}}"#));
    for (native, new) in [
        (message("text", r#"{"command":"ls"}"#), Command::Argv(vec!["ls".to_owned()])),
        (message("words", r#"{"argv":["ls"]}"#), "ls".into()),
    ] {
        let Incoming::Event(event) = Listing.parse(&native).unwrap() else { panic!("an event") };
        assert!(Listing.rewrite(event.call().unwrap(), &|_| Some(new.clone())).is_none(), "{new:?}");
    }
}

#[test]
fn the_length_of_a_value_is_in_bytes_and_of_an_object_in_members() {
    assert_eq!((Raw::document(" [1] ").len(), Raw::document("").len()), (3, 0));
    assert_eq!((Raw::document("").is_empty(), Raw::document("{}").is_empty()), (true, false));
    let object = Raw::document(r#"{"a":1,"b":2}"#).object().unwrap();
    assert_eq!((object.len(), object.is_empty()), (2, false));
    assert!(Raw::document("{}").object().unwrap().is_empty());
    assert_eq!(Raw::document(r#"{"a":1}"#).object().unwrap().find("A", snaphook_adapters::raw::Keys::Exact), Ok(None));
}

#[test]
fn a_key_that_is_spelled_in_two_other_ways_is_ambiguous_only_if_the_values_differ() {
    let find = |text: &str| {
        Raw::document(text).object().unwrap().find("key", snaphook_adapters::raw::Keys::Folded).map(|v| v.is_some())
    };
    assert_eq!(find(r#"{"KEY":1,"Key":1}"#), Ok(true));
    assert!(find(r#"{"KEY":1,"Key":2}"#).is_err());
    assert!(find(r#"{"KEY":1,"key":1}"#).is_err());
}
