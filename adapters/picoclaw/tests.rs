use std::sync::Arc;

use super::*;
use crate::fit::{Limits, Loss, fit};
use crate::model::{Change, Command, Decision, Reply, Response, Target, Verdict};

fn native(line: &str) -> Native {
    Native::new(line).connection(Arc::new(approving()))
}

fn approving() -> Connection {
    Connection { modes: Some(vec!["tool".to_owned(), "approve".to_owned()]), ..Connection::default() }
}

fn event_of(native: &Native) -> HookEvent {
    match PicoClaw.parse(native).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

fn line(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":4,"method":"hook.{method}","params":{params}}}"#)
}

const META: &str = r#""meta":{"AgentID":"main","TurnID":"t1","SessionKey":"s","Iteration":1}"#;
const CONTEXT: &str = r#""context":{"inbound":{}}"#;
const LS: &str = r#""tool":"exec","arguments":{"action":"run","n":1.10,"command":"ls"}"#;

fn new(method: &str, rest: &str) -> String {
    line(method, &format!("{{{META},{CONTEXT},{rest}}}"))
}

fn old(method: &str, rest: &str) -> String {
    line(method, &format!("{{{META},{rest}}}"))
}

fn fitted(line: &str, decision: Decision) -> (HookEvent, Fitted, Vec<Loss>) {
    let event = event_of(&native(line));
    let (fitted, losses) = fit(decision, &event, &Limits::default());
    (event, fitted, losses)
}

fn answer(line: &str, decision: Decision) -> String {
    let (event, fitted, _) = fitted(line, decision);
    let reply = PicoClaw.format(&event, &fitted).stdout;
    let head = r#"{"jsonrpc":"2.0","id":4,"result":"#;
    reply.strip_prefix(head).unwrap_or_else(|| panic!("{reply}")).strip_suffix('}').unwrap().to_owned()
}

fn required(target: Target, json: &str) -> Decision {
    Decision::pass().change(Change::required(target, Raw::document(json)))
}

#[test]
fn each_verdict_before_a_tool_has_its_own_word() {
    let call = new("before_tool", LS);
    assert_eq!(answer(&call, Decision::pass()), r#"{"action":"continue"}"#);
    assert_eq!(answer(&call, Decision::allow()), r#"{"action":"continue"}"#);
    assert_eq!(answer(&call, Decision::deny("no")), r#"{"action":"deny_tool","reason":"no"}"#);
    assert!(
        answer(&call, Decision::ask(""))
            .starts_with(r#"{"action":"deny_tool","reason":"This agent cannot ask for approval"#)
    );
    let abort = |reason: &str| Decision::from(Verdict::Abort { reason: reason.into() });
    assert_eq!(answer(&call, abort("a")), r#"{"action":"abort_turn","reason":"a"}"#);
    let hard = Decision::from(Verdict::HardAbort { reason: "b".into() });
    assert_eq!(answer(&call, hard), r#"{"action":"hard_abort","reason":"b"}"#);
    let plain = Decision::respond(Response::new("42"));
    assert_eq!(
        answer(&call, plain),
        r#"{"action":"respond","result":{"for_llm":"42","silent":false,"is_error":false,"async":false}}"#
    );
    let full = Response::new("42").for_user("u").silent().error().media("m://1").handled();
    assert_eq!(
        answer(&call, Decision::respond(full)),
        concat!(
            r#"{"action":"respond","result":{"for_llm":"42","for_user":"u","silent":true,"is_error":true,"#,
            r#""async":false,"media":["m://1"],"response_handled":true}}"#
        )
    );
}

#[test]
fn a_rewrite_sends_the_whole_call_back() {
    let call = new("before_tool", LS);
    let event = event_of(&native(&call));
    let change =
        PicoClaw.rewrite(event.call().unwrap(), &|command| Some(format!("sb -- {}", command.text()?).into())).unwrap();
    let reply = answer(&call, Decision::pass().change(change));
    let whole = format!("{{{META},{CONTEXT},{}}}", LS.replace("\"ls\"", "\"sb -- ls\""));
    assert_eq!(reply, format!(r#"{{"action":"modify","call":{whole}}}"#));
    assert!(answer(&call, required(Target::Input, "\"text\"")).contains("deny_tool"));
}

#[test]
fn an_empty_reply_never_approves() {
    let call = new("approve_tool", LS);
    for decision in
        [Decision::pass(), Decision::allow(), required(Target::Input, r#"{"action":"run","n":1.10,"command":"ls"}"#)]
    {
        assert_eq!(answer(&call, decision), r#"{"approved":true}"#);
    }
    assert_eq!(answer(&call, Decision::deny("no")), r#"{"approved":false,"reason":"no"}"#);
    assert!(answer(&call, required(Target::Input, "{}")).starts_with(r#"{"approved":false"#));
}

#[test]
fn ids_are_returned_unchanged_and_notifications_get_no_reply() {
    for id in ["7", "18446744073709551615"] {
        let line = new("before_tool", LS).replacen("\"id\":4", &format!("\"id\":{id}"), 1);
        let event = event_of(&native(&line));
        let (pass, _) = fit(Decision::pass(), &event, &Limits::default());
        assert!(PicoClaw.format(&event, &pass).stdout.contains(&format!("\"id\":{id},")));
    }
    for id in ["\"id\":0,", ""] {
        let line = new("before_tool", LS).replacen("\"id\":4,", id, 1);
        assert!(matches!(PicoClaw.parse(&native(&line)), Ok(Incoming::Observed(_))), "{line}");
        assert_eq!(PicoClaw.refuse(&native(&line), "why"), Reply::silent());
    }
    for id in ["\"4\"", "-1", "1.0", "{}"] {
        let line = new("before_tool", LS).replacen("\"id\":4", &format!("\"id\":{id}"), 1);
        assert!(PicoClaw.parse(&native(&line)).is_err(), "{line}");
        assert_eq!(PicoClaw.refuse(&native(&line), "why"), Reply::silent(), "{line}");
    }
}

#[test]
fn an_unreadable_call_is_refused_in_the_form_of_its_method() {
    let refused = |line: &str| {
        assert!(PicoClaw.parse(&native(line)).is_err(), "{line}");
        PicoClaw.refuse(&native(line), "why").stdout
    };
    assert_eq!(
        refused(&line("before_tool", "[]")),
        r#"{"jsonrpc":"2.0","id":4,"result":{"action":"deny_tool","reason":"why"}}"#
    );
    assert_eq!(
        refused(&new("approve_tool", r#""tool":"exec","arguments":{"command":1}"#)),
        r#"{"jsonrpc":"2.0","id":4,"result":{"approved":false,"reason":"why"}}"#
    );
    assert!(refused(&line("before_llm", "null")).contains(r#""result":{"action":"abort_turn""#));
    assert!(refused(&line("after_tool", "{}")).contains(r#""result":{"action":"continue"}"#));
    assert!(refused(&new("before_tool", r#""tool":"x","arguments":"{}""#)).contains("deny_tool"));
    let broken = new("before_tool", LS);
    assert!(refused(broken.get(..broken.len() - 9).unwrap()).contains(r#""id":4,"result":{"action":"deny_tool""#));
    assert!(refused(r#"{"jsonrpc":"2.0","id":4,"meth"#).contains(r#""action":"deny_tool","approved":false"#));
    assert_eq!(refused(&line("later", "{}")), r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"why"}}"#);
    for nothing in ["", "null", "[1]", "garbage", "{\"method\":\"hook.before_tool\""] {
        assert_eq!(refused(nothing), "", "{nothing}");
    }
}

#[test]
fn the_handshake_always_succeeds() {
    for (params, modes) in [
        (r#"{"modes":["tool","approve"]}"#, Some(vec!["tool".to_owned(), "approve".to_owned()])),
        (r#"{"modes":5}"#, None),
        ("[[]]", None),
        ("null", None),
    ] {
        let Ok(Incoming::Handshake { reply, modes: said }) = PicoClaw.parse(&Native::new(line("hello", params))) else {
            panic!("{params}")
        };
        assert_eq!(reply.stdout, r#"{"jsonrpc":"2.0","id":4,"result":{"ok":true,"name":"snaphook"}}"#);
        assert_eq!(said, modes);
    }
    let refused = PicoClaw.refuse(&Native::new(line("hello", "{}")), "broken policy");
    assert!(refused.stdout.contains("\"ok\":true"));
}

#[test]
fn a_call_with_a_response_is_recognised_at_the_approval_gate() {
    let mut connection = approving();
    let respond = || Decision::respond(Response::new("42"));
    let (event, answered, _) = fitted(&old("before_tool", LS), respond());
    PicoClaw.remember(&mut connection, &event, &answered);
    let asks = |connection: &Connection, rest: &str| {
        event_of(&Native::new(old("approve_tool", rest)).connection(Arc::new(connection.clone())))
    };
    assert!(matches!(asks(&connection, LS).detail, Detail::Answered { text, .. } if text == "42"));
    assert!(matches!(asks(&connection, &LS.replace("ls", "id")).detail, Detail::Tool(_)));

    let (other, answered, _) = fitted(&old("before_tool", &LS.replace("ls", "id")), respond());
    PicoClaw.remember(&mut connection, &other, &answered);
    assert_eq!(connection.answered.len(), 2);
    let (event, passed, _) = fitted(&old("before_tool", LS), Decision::pass());
    PicoClaw.remember(&mut connection, &event, &passed);
    assert!(matches!(asks(&connection, LS).detail, Detail::Tool(_)));
    let (event, passed, _) = fitted(&old("before_tool", LS).replace("t1", "t2"), Decision::pass());
    PicoClaw.remember(&mut connection, &event, &passed);
    assert!(connection.answered.is_empty());
}

#[test]
fn respond_becomes_deny_if_the_handshake_did_not_announce_approvals() {
    let call = Native::new(old("before_tool", LS));
    let event = event_of(&call);
    assert_eq!((event.dialect, event.row.selector.case), (Some(OLD), Some(events::UNGUARDED)));
    let (fitted, _) = fit(Decision::respond(Response::new("42")), &event, &Limits::default());
    assert!(PicoClaw.format(&event, &fitted).stdout.contains(r#"{"action":"deny_tool","reason":"42"}"#));
    let newer = event_of(&Native::new(new("before_tool", LS)));
    assert_eq!((newer.dialect, newer.row.selector.case), (Some(NEW), None));
}

#[test]
fn the_working_directory_and_typed_text_are_read() {
    let actions = |rest: &str| event_of(&native(&old("before_tool", rest))).call().unwrap().actions.clone();
    let shell = |cwd: &str| Action::Shell {
        command: Command::Text("ls".into()),
        cwd: Some(cwd.into()),
        shell: crate::model::ShellKind::Posix,
    };
    assert_eq!(actions(r#""tool":"exec","arguments":{"command":"ls","working_dir":"w"}"#), [shell("w")]);
    assert_eq!(actions(r#""tool":"exec","arguments":{"action":"run","command":"ls","cwd":"c"}"#), [shell("c")]);
    assert_eq!(
        actions(r#""tool":"exec","arguments":{"action":"write","data":"rm\n"}"#),
        [Action::ShellInput { text: "rm\n".into() }]
    );
    assert_eq!(actions(r#""tool":"exec","arguments":{"action":"list"}"#), [Action::Other]);
    for bare in [r#"{"action":"run"}"#, "{}", r#"{"command":null}"#, r#"{"action":"write"}"#] {
        let line = old("before_tool", &format!(r#""tool":"exec","arguments":{bare}"#));
        assert!(PicoClaw.parse(&native(&line)).is_err(), "{bare}");
    }
    assert_eq!(actions(r#""tool":"cron","arguments":{"action":"list","command":""}"#), [Action::Other]);
    // The directory is an argument of `exec` alone.
    let cron = actions(r#""tool":"cron","arguments":{"action":"add","command":"ls","working_dir":"w"}"#);
    assert!(cron.iter().all(|action| !matches!(action, Action::Shell { cwd: Some(_), .. })), "{cron:?}");
}

const RESULT: &str =
    r#""tool":"spawn_status","result":{"for_llm":"secret","silent":false,"is_error":false,"async":false},"duration":1"#;

#[test]
fn a_changed_result_is_sent_inside_the_whole_result() {
    let done = new("after_tool", RESULT);
    assert_eq!(
        answer(&done, Decision::deny("no")),
        format!(r#"{{"action":"modify","result":{{{META},{CONTEXT},{}}}}}"#, RESULT.replace("secret", "no"))
    );
    let flat = required(Target::Result, r#"{"text":"x"}"#);
    assert!(answer(&done, flat).contains("must be changed"));
    let event = event_of(&native(&done));
    let (fitted, _) = fit(required(Target::Result, r#"{"for_llm":"x"}"#), &event, &Limits::default());
    let reply = PicoClaw.format(&event, &fitted);
    assert!(reply.stdout.contains(r#""result":{"for_llm":"x"}"#), "{reply:?}");
}

#[test]
fn no_reply_reaches_the_length_that_stops_the_host() {
    let long = "x".repeat(MAX_REPLY);
    let big_call = new("before_tool", &format!(r#""tool":"write_file","arguments":{{"path":"p","content":"{long}"}}"#));
    let arguments = format!(r#"{{"path":"q","content":"{long}"}}"#);
    let big_done =
        format!(r#""tool":"exec","arguments":{{"command":"{long}"}},"result":{{"for_llm":"a"}},"duration":1"#);
    let big_user = format!(r#""tool":"spawn_status","result":{{"for_llm":"a","for_user":"{long}"}},"duration":1"#);
    for (line, decision, word) in [
        (big_call.clone(), required(Target::Input, &arguments), "deny_tool"),
        (big_call, Decision::respond(Response::new(long.clone())), "deny_tool"),
        (new("after_tool", &big_done), Decision::deny("no"), "\"modify\""),
        (new("after_tool", &big_user), Decision::deny("no"), "abort_turn"),
        (new("after_tool", RESULT), required(Target::Result, &format!(r#"{{"for_llm":"{long}"}}"#)), "\"modify\""),
        (
            new("after_llm", r#""response":{"content":"a"}"#),
            required(Target::Result, &format!(r#"{{"content":"{long}"}}"#)),
            "abort_turn",
        ),
        (
            new("before_llm", r#""messages":[]"#),
            required(Target::Request, &format!(r#"{{"model":"{long}"}}"#)),
            "abort_turn",
        ),
    ] {
        let reply = answer(&line, decision);
        assert!(reply.len() < MAX_REPLY && reply.contains(word), "{word}: {} bytes", reply.len());
    }
}

#[test]
fn a_reply_of_exactly_the_length_that_stops_the_host_is_shortened() {
    let event = event_of(&native(&new("after_tool", RESULT)));
    let reply = |size: usize| {
        let value = format!(r#"{{"for_llm":"{}"}}"#, "x".repeat(size));
        let (fitted, _) = fit(required(Target::Result, &value), &event, &Limits::default());
        PicoClaw.format(&event, &fitted).stdout
    };
    let around = reply(1).len() - 1;
    for (size, whole) in [(MAX_REPLY - around - 1, true), (MAX_REPLY - around, false)] {
        let reply = reply(size);
        assert!(reply.len() < MAX_REPLY, "{} bytes", reply.len());
        assert_eq!(reply.contains("duration"), whole, "{} bytes", reply.len());
    }
}

const CHAT: &str = r#""model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"u"}],"tools":[{"type":"function"}],"options":{"a":1.0}"#;

#[test]
fn only_changes_that_the_host_keeps_are_made_to_a_request() {
    let users = r#"[{"role":"system","content":"S"},{"role":"user","content":"v"}]"#;
    let system = r#"[{"role":"system","content":"T"},{"role":"user","content":"u"}]"#;
    let tools = r#"{"tools":[]}"#;
    let side = old("before_llm", CHAT).replace("t1", "");
    for (line, target, value, kept) in [
        (new("before_llm", CHAT), Target::Messages, users, true),
        (new("before_llm", CHAT), Target::Messages, system, false),
        (new("before_llm", CHAT), Target::Request, tools, false),
        (new("before_llm", CHAT), Target::Request, r#"{"model":"n","tools":[{"type":"function"}]}"#, true),
        (new("before_llm", CHAT), Target::Request, r#"{"temperature":1}"#, false),
        (new("before_llm", CHAT), Target::Request, &format!(r#"{{"messages":{users}}}"#), false),
        (old("before_llm", CHAT), Target::Messages, system, true),
        (old("before_llm", CHAT), Target::Request, tools, true),
        (side.clone(), Target::Request, tools, false),
        (side, Target::Messages, users, true),
        (old("before_llm", CHAT), Target::Messages, r#"[{"role":"user","content":[]}]"#, false),
    ] {
        let reply = answer(&line, required(target, value));
        assert_eq!(reply.contains("\"modify\""), kept, "{value}: {reply}");
        assert_eq!(reply.contains("abort_turn"), !kept, "{value}: {reply}");
    }
    let reply = answer(&new("before_llm", CHAT), required(Target::Messages, users));
    assert_eq!(
        reply,
        format!(r#"{{"action":"modify","request":{{{META},{CONTEXT},{}}}}}"#, CHAT.replace("\"u\"", "\"v\""))
    );
}

#[test]
fn an_answer_with_tool_calls_is_never_changed() {
    let calls = new("after_llm", r#""model":"m","response":{"content":"","tool_calls":[{"id":"c"}]}"#);
    let value = r#"{"content":"x"}"#;
    assert!(answer(&calls, required(Target::Result, value)).contains("abort_turn"));
    let text = new("after_llm", r#""model":"m","response":{"content":"secret","reasoning_details":null}"#);
    assert!(answer(&text, required(Target::Result, value)).contains(r#""response":{"content":"x"}}}"#));
    assert!(answer(&text, required(Target::Result, r#"{"content":"x","tool_calls":[{}]}"#)).contains("abort_turn"));
    assert!(answer(&text, Decision::deny("no")).contains("abort_turn"));
}

#[test]
fn each_version_is_registered_with_its_own_file_version() {
    for (version, number) in [("v0.2.4", 1), ("v0.2.6", 2), ("0.2.8", 3), ("0.3.1", 3)] {
        let blocks = AGENT.registration.blocks.iter().filter(|block| block.fits(version));
        assert_eq!(blocks.map(|block| block.mark).collect::<Vec<_>>(), [Some(("version", number))], "{version}");
    }
}
