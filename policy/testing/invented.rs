//! A test agent, so that the tests of rules do not depend on a real one.

use snaphook_adapters::Raw;
use snaphook_adapters::fit::Fitted;
use snaphook_adapters::model::{Action, Command, Detail, EventKind, HookEvent, Incoming, Reply, ShellKind, ToolCall};
use snaphook_adapters::protocol::ActionKind::{Fetch, Read, Shell, Subagent, Write};
use snaphook_adapters::protocol::{
    ActionCondition, Agent, ConfigFile, EventRow, HookProtocol, McpNames, Native, ParseError, Power, Registration,
    Slot, ToolRow,
};
use snaphook_adapters::registry::Registry;

static INVENTED: Invented = Invented;

struct Invented;

static TOOLS: &[ToolRow] = &[
    ToolRow::new("sh", &[Shell.on(Slot::any(&["command"]))]).sample("{\"command\":\"ls\",\"run_in_background\":false}"),
    ToolRow::new("read", &[Read.on(Slot::key(&["path"]))]),
    ToolRow::new("write", &[Write.on(Slot::key(&["path"]))]),
    ToolRow::new("fetch", &[Fetch.on(Slot::each(&["urls"]))]),
    ToolRow::new(
        "agent",
        &[Subagent.on(Slot::key(&["type"])).only(ActionCondition::when("model", &["x"]).or_absent())],
    ),
    ToolRow::new("todo", &[]),
];

static FILES: &[ConfigFile] =
    &[ConfigFile::hooks("~/.invented/hooks/*"), ConfigFile::settings(".invented/settings.json")];

static ROWS: [EventRow; 9] = [
    EventRow::new("pre", EventKind::PreTool, silent).gate().can_do(&[Power::Allow, Power::Deny, Power::Respond]),
    EventRow::new("post", EventKind::PostTool, silent),
    EventRow::new("start", EventKind::SessionStart, silent),
    EventRow::new("stop", EventKind::TurnEnd, silent),
    EventRow::new("prompt", EventKind::Prompt, silent).gate(),
    EventRow::new("may", EventKind::Permission, silent).gate(),
    EventRow::new("request", EventKind::PreModel, silent).gate(),
    EventRow::new("response", EventKind::PostModel, silent).gate(),
    EventRow::new("seen", EventKind::PreTool, silent),
];

static AGENT: Agent = Agent::new("invented", "Invented")
    .events(&ROWS)
    .tools(TOOLS)
    .mcp(McpNames::Split { prefix: "mcp__", between: "__" })
    .registration(Registration::new("invented", "~/.invented").files(FILES).runs(RUNS));

static RUNS: &[&str] = &["~/.invented.json", "~/.invented/skills", ".invented/skills"];

impl HookProtocol for Invented {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        Ok(HookEvent::new(&AGENT, &ROWS[0], native.body.clone()).into())
    }
}

fn silent(_: &HookEvent, _: &Fitted) -> Reply {
    Reply::silent()
}

pub(crate) fn registry() -> Registry {
    Registry::empty().with(&INVENTED)
}

/// An event of a row by its native name.
pub(crate) fn event(native: &str) -> HookEvent {
    let row = ROWS.iter().find(|row| row.native == native).unwrap();
    HookEvent::new(&AGENT, row, Raw::document("{}"))
}

/// A call of a tool before it runs.
pub(crate) fn call(name: &str, input: &str, actions: Vec<Action>) -> HookEvent {
    let mut event = event("pre");
    (event.cwd, event.project) = (Some("/w/app".into()), Some("/w/app".into()));
    let mut call = ToolCall::new(name, Raw::document(input), actions);
    call.row = TOOLS.iter().find(|row| row.native == name);
    event.detail = Detail::Tool(call);
    event
}

/// A command before it runs.
pub(crate) fn shell(command: &str) -> HookEvent {
    let input = format!("{{\"command\":{},\"run_in_background\":true}}", Raw::string(command).as_str());
    let command = Command::Text(command.into());
    call("sh", &input, vec![Action::Shell { command, cwd: None, shell: ShellKind::Posix }])
}
