//! Commands that are not a single text (R1): a fictitious agent has lists of commands and lists of words.

use std::process::Command;

use snaphook::engine::judge;
use snaphook::policy::{LoadedPolicy, Places};
use snaphook_adapters::fit::Fitted;
use snaphook_adapters::model::{Detail, EventKind, HookEvent, Incoming, Reply, Target};
use snaphook_adapters::protocol::ActionKind::Shell;
use snaphook_adapters::protocol::{
    Agent, Body, EventRow, Fields, HookProtocol, HostShell, Native, ParseError, Power, RegisteredLine, Slot, ToolRow,
    Wrapping,
};
use snaphook_adapters::registry::Registry;
use snaphook_policy::Folders;

use crate::no_handlers::NoHandlers;
use crate::place::{Place, SNAPHOOK, has};

static TOOLS: [ToolRow; 3] = [
    ToolRow::new("many", &[Shell.on(Slot::each(&["commands"]))]),
    ToolRow::new("words", &[Shell.on(Slot::key(&["argv"])).words()]),
    ToolRow::new("unknown", &[Shell.on(Slot::key(&["argv"]))]),
];
const POWERS: &[Power] = &[Power::Allow, Power::Deny, Power::Change(Target::Input)];
static ROWS: [EventRow; 1] = [EventRow::new("tool", EventKind::PreTool, answer).gate().can_do(POWERS)];
static AGENT: Agent = Agent::new("listing", "Listing")
    .event_at("/event")
    .fields(Fields::new("tool", "args"))
    .events(&ROWS)
    .tools(&TOOLS)
    .wrapping(Wrapping::new(HostShell::Named("sh")));

struct Listing;

impl HookProtocol for Listing {
    fn agent(&self) -> &'static Agent {
        &AGENT
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        let mut body = Body::new(&AGENT, native)?;
        let detail = Detail::Tool(body.call()?);
        Ok(body.event(detail)?.into())
    }
}

/// The verdict, and the arguments with which the tool runs.
fn answer(_: &HookEvent, fitted: &Fitted) -> Reply {
    let args = fitted.change(Target::Input).map_or("null", |args| args.as_str());
    Reply::document(format!(r#"["{}",{args}]"#, fitted.verdict().kind().word()))
}

fn ask(place: &Place, tool: &str, args: &str) -> (String, serde_json::Value, String) {
    let registry = Registry::empty().with(&Listing);
    let mut places = Places::default();
    places.policy = Some(place.path("home/.config/snaphook/snaphook.toml"));
    places.home = Some(place.path("home"));
    places.binary = Some(SNAPHOOK.into()).into();
    let project = place.path("home/project").to_str().map(str::to_owned);
    let policy = |folders: Folders<'_>| LoadedPolicy::load(&places, folders.project, &registry);
    let native = Native::new(format!(r#"{{"event":"tool","tool":"{tool}","args":{args}}}"#));
    let native = native.line(RegisteredLine::default().folder(project));
    let judged = judge(&Listing, &native, &policy, &mut NoHandlers, None);
    let out = judged.reply.unwrap().stdout;
    let said: serde_json::Value = serde_json::from_str(&out).unwrap();
    (said[0].as_str().unwrap().to_owned(), said[1].clone(), out)
}

fn texts(value: &serde_json::Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn r1_every_command_of_a_list_is_wrapped_and_recognised() {
    let place = Place::new();
    place.policy("landlock", "[permissions]\ndeny = [\"Bash(evil *)\"]");
    let (verdict, args, out) = ask(&place, "many", r#"{"z":1.10,"commands":["touch a","it's > \"b\""],"y":[1.50]}"#);
    let wrapped = texts(&args["commands"]);
    assert_eq!((verdict.as_str(), wrapped.len()), ("pass", 2));
    assert!(wrapped.iter().all(|text| text.starts_with(SNAPHOOK)), "{wrapped:?}");
    assert!(out.contains(r#"{"z":1.10,"commands":["#) && out.contains(r#"],"y":[1.50]}"#), "R5: {out}");
    // R6: unwrapped, and with only one command wrapped.
    let list = |texts: &[&str]| format!(r#"{{"commands":{}}}"#, serde_json::to_string(texts).unwrap());
    let (_, again, _) = ask(&place, "many", &list(&[&wrapped[0], &wrapped[1]]));
    assert!(again.is_null(), "{again}");
    let (_, again, _) = ask(&place, "many", &list(&[&wrapped[0], "it's > \"b\""]));
    assert_eq!(texts(&again["commands"]), wrapped);
    for evil in [&["ls", "evil x"][..], &[&wrapped[0], "evil x"]] {
        assert_eq!(ask(&place, "many", &list(evil)).0, "deny", "{evil:?}");
    }
    // If one command cannot be wrapped, all are denied (V3).
    assert_eq!(ask(&place, "many", &list(&["ls", &"x".repeat(130 << 10)])).0, "deny");
    place.policy("landlock", "match = [\"Bash(touch *)\"]");
    assert!(ask(&place, "many", &list(&["ls", "git status"])).1.is_null());
    assert_eq!(texts(&ask(&place, "many", &list(&["ls", "touch a"])).1["commands"]).len(), 2);
}

#[test]
fn r1_words_are_wrapped_where_the_agent_is_known_to_execute_them() {
    let place = Place::new();
    place.policy("landlock", "[permissions]\ndeny = [\"Bash(evil *)\"]");
    let args = r#"{"argv":["sh","-c","echo x > in; echo x > ../other/out"]}"#;
    let (verdict, changed, _) = ask(&place, "words", args);
    let wrapped = texts(&changed["argv"]);
    assert_eq!((verdict.as_str(), wrapped[0].as_str()), ("pass", SNAPHOOK));
    assert!(ask(&place, "words", &changed.to_string()).1.is_null(), "R6");
    let evil = changed.to_string().replace("echo x > in", "evil --now");
    assert_eq!(ask(&place, "words", &evil).0, "deny", "R7: what is inside is judged");
    assert_eq!(ask(&place, "unknown", args).0, "deny", "V3: it is unknown if it takes words");
    if has("landlock") {
        let mut command: Command = place.command(&wrapped[0]);
        command.args(&wrapped[1..]).output().unwrap();
        assert_eq!(place.text("home/project/in").as_deref(), Some("x\n"));
        assert_eq!(place.text("home/other/out"), None);
    }
}
