//! A fictitious agent, and one event of each shape that a handler can receive.

use snaphook_adapters::Raw;
use snaphook_adapters::model::{
    Action, Command, Detail, EventKind, HookEvent, McpName, Reply, ShellKind, ToolCall, ToolResult,
};
use snaphook_adapters::protocol::{Agent, EventRow, ReplyWriter};

const SILENT: ReplyWriter = |_, _| Reply::silent();

static OBSERVED: EventRow = EventRow::new("odd", EventKind::Observed, SILENT);
static PRE_TOOL: EventRow = EventRow::new("BeforeTool", EventKind::PreTool, SILENT).gate();
static POST_TOOL: EventRow = EventRow::new("AfterTool", EventKind::PostTool, SILENT);
static PROMPT: EventRow = EventRow::new("Prompt", EventKind::Prompt, SILENT).gate();
static PRE_MODEL: EventRow = EventRow::new("BeforeModel", EventKind::PreModel, SILENT).gate();
static POST_MODEL: EventRow = EventRow::new("AfterModel", EventKind::PostModel, SILENT);
static TURN_END: EventRow = EventRow::new("End", EventKind::TurnEnd, SILENT);
static AGENT: Agent = Agent::new("invented", "Invented");

/// Key order, numbers and escapes that no serializer produces.
pub(crate) const ODD: &str =
    r#"{"z":1.10,"n":123456789012345678901234567890,"e":1E400,"s":"\u00e9\ud800","a":{ "b" : 2 }}"#;

pub(crate) fn observed() -> HookEvent {
    HookEvent::new(&AGENT, &OBSERVED, Raw::document(ODD))
}

/// A call with every kind of action.
pub(crate) fn call() -> HookEvent {
    let path = || "a/b.txt".to_owned();
    let shell = |shell, command, cwd| Action::Shell { command, cwd, shell };
    let text = || Command::from("ls -la");
    let mut call = ToolCall::new(
        "everything",
        Raw::document(ODD),
        vec![
            shell(ShellKind::Posix, text(), Some("/tmp".to_owned())),
            shell(ShellKind::PowerShell, Command::Argv(vec!["ls".to_owned(), "-la".to_owned()]), None),
            shell(ShellKind::Cmd, text(), None),
            shell(ShellKind::Unknown, text(), None),
            Action::ShellInput { text: "y\n".into() },
            Action::Read { path: path() },
            Action::Write { path: path() },
            Action::Edit { path: path() },
            Action::Delete { path: path() },
            Action::Move { from: path(), to: "c".to_owned() },
            Action::List { path: path() },
            Action::Search { path: path(), pattern: Some("*.rs".to_owned()) },
            Action::Search { path: path(), pattern: None },
            Action::Fetch { url: "https://example.org/".to_owned() },
            Action::WebSearch { query: String::new() },
            Action::Mcp(McpName::Split { server: "s".to_owned(), tool: "t".to_owned() }),
            Action::Mcp(McpName::Joined("s_t".to_owned())),
            Action::Mcp(McpName::Bare("t".to_owned())),
            Action::Subagent { name: Some("reviewer".to_owned()) },
            Action::Subagent { name: None },
            Action::Other,
        ],
    );
    call.id = Some("call_1".to_owned());
    let mut event = HookEvent::new(&AGENT, &PRE_TOOL, Raw::document(ODD));
    event.dialect = Some("late");
    event.session = Some("s1".to_owned());
    event.project = Some("/p".to_owned());
    event.cwd = Some("/home/user/project".to_owned());
    event.mode = Some("default".to_owned());
    event.detail = Detail::Tool(call);
    event
}

/// A call of an unknown tool, without optional members.
pub(crate) fn bare_call(tool: &str) -> HookEvent {
    let call = ToolCall::new(tool, Raw::document("{}"), vec![Action::Other]);
    let mut event = HookEvent::new(&AGENT, &PRE_TOOL, Raw::document("{}"));
    event.detail = Detail::Tool(call);
    event
}

/// A result with this text, as a JSON literal.
pub(crate) fn done(literal: &str) -> HookEvent {
    let message = Raw::document(format!(r#"{{"out":{{"n":1.10,"text":{literal}}}}}"#));
    let raw = message.at("/out").unwrap();
    let text = raw.at("/text");
    let call = ToolCall::new("cat", Raw::document("{}"), vec![Action::Other]);
    let mut event = HookEvent::new(&AGENT, &POST_TOOL, message);
    event.detail = Detail::ToolDone { call, result: ToolResult::new(raw).text(text).is_error(Some(false)) };
    event
}

/// A result without text.
pub(crate) fn done_without_text() -> HookEvent {
    let mut event = HookEvent::new(&AGENT, &POST_TOOL, Raw::document("{}"));
    let call = ToolCall::new("cat", Raw::document("{}"), vec![Action::Other]);
    event.detail = Detail::ToolDone { call, result: ToolResult::new(Raw::document("null")) };
    event
}

pub(crate) fn prompt(text: &str) -> HookEvent {
    let mut event = HookEvent::new(&AGENT, &PROMPT, Raw::document("{}"));
    event.detail = Detail::Prompt { text: text.to_owned() };
    event
}

pub(crate) fn request(request: &str) -> HookEvent {
    let mut event = HookEvent::new(&AGENT, &PRE_MODEL, Raw::document(request));
    event.detail = Detail::Request { request: event.raw.clone() };
    event
}

pub(crate) fn response() -> HookEvent {
    let mut event = HookEvent::new(&AGENT, &POST_MODEL, Raw::document(ODD));
    event.detail = Detail::Response { response: event.raw.clone(), calls_tools: true };
    event
}

pub(crate) fn turn_end() -> HookEvent {
    let mut event = HookEvent::new(&AGENT, &TURN_END, Raw::document("{}"));
    event.detail = Detail::TurnEnd { again: false };
    event
}

/// One event of each shape.
pub(crate) fn all() -> Vec<HookEvent> {
    vec![
        observed(),
        call(),
        bare_call("x"),
        done(r#""out""#),
        done_without_text(),
        prompt(""),
        request(ODD),
        response(),
        turn_end(),
    ]
}
