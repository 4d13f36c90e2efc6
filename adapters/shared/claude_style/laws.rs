//! The laws every member of the family keeps, tried on its fixtures.

use std::collections::HashMap;

use crate::Raw;
use crate::fit::{Fitted, Limits, fit};
use crate::host::Does;
use crate::model::{Change, Decision, HookEvent, Incoming, Reply, Response, Target, ToolCall, Verdict, VerdictKind};
use crate::protocol::{HookProtocol, Line, Native, Role};

/// Every fixture of an agent: its name and message.
#[expect(clippy::disallowed_methods, reason = "fixtures are files")]
pub(crate) fn fixtures(folder: &str) -> Vec<(String, Native)> {
    let at = format!("{}/{folder}/fixtures", env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<_> = std::fs::read_dir(at)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let fixture = Raw::checked(std::fs::read_to_string(&path).unwrap()).unwrap();
            let role = match fixture.at("/line/role").and_then(|role| role.text()).map(|role| role.value) {
                Some(role) if role == "guarded" => Role::Guarded,
                _ => Role::Alone,
            };
            let native = Native::new(fixture.at("/stdin").unwrap().as_str()).line(Line::default().role(role));
            (path.file_stem().unwrap().to_string_lossy().into_owned(), native)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

pub(crate) fn event(protocol: &dyn HookProtocol, native: &Native) -> HookEvent {
    match protocol.parse(native).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}

/// Runs every decision against every fixture of an agent.
pub(crate) fn keep(protocol: &dyn HookProtocol, folder: &str) {
    let mut rows = std::collections::HashSet::new();
    for (name, native) in fixtures(folder) {
        let event = event(protocol, &native);
        rows.insert(event.row.key());
        comes_back(protocol, &event, &name);
        refusal_blocks(protocol, &native, &event, &name);
        let mut seen: HashMap<String, (Fitted, Decision)> = HashMap::new();
        for decision in decisions(&event) {
            let (fitted, losses) = fit(decision.clone(), &event, &Limits::default());
            let reply = protocol.format(&event, &fitted);
            let at = || format!("{name}: {decision:?} -> {reply:?}");
            assert!(well_formed(&event, &reply), "{}", at());
            assert!(!event.row.gates() || !losses.iter().any(crate::fit::Loss::weakens), "{} {losses:?}", at());
            for host in event.row.hosts {
                strict(protocol, &event, host, &decision, &reply, &at);
            }
            let key = format!("{reply:?}");
            if let Some((other, before)) = seen.get(&key) {
                assert_eq!(other, &fitted, "{} and {before:?}", at());
            }
            seen.insert(key, (fitted, decision));
        }
    }
    for tool in protocol.agent().tools {
        let call = ToolCall::new(tool.native, Raw::document("{}"), Vec::new());
        assert!(call.with_input(protocol.agent(), Raw::document(tool.sample)).is_some(), "{}", tool.native);
    }
    for row in protocol.agent().events {
        assert!(rows.contains(&row.key()), "{folder}: no fixture for {}", row.key());
    }
}

fn decisions(event: &HookEvent) -> Vec<Decision> {
    let reason = || "because".to_owned();
    let verdicts = [
        Verdict::Pass,
        Verdict::Allow { reason: String::new() },
        Verdict::Ask { reason: reason() },
        Verdict::Deny { reason: reason() },
        Verdict::Respond(Response::new("made up")),
        Verdict::Abort { reason: reason() },
        Verdict::HardAbort { reason: reason() },
        Verdict::KeepGoing { reason: reason() },
    ];
    let mut changes = vec![None];
    for target in Target::ALL {
        for value in values(event, target) {
            changes.push(Some(Change::required(target, value.clone())));
            changes.push(Some(Change::optional(target, value)));
        }
    }
    let mut all = Vec::new();
    for verdict in verdicts {
        for change in &changes {
            let plain = Decision { changes: change.iter().cloned().collect(), ..Decision::from(verdict.clone()) };
            let mut riders = plain.clone().context("context").notice("notice").summary("summary");
            for extra in event.row.extras() {
                riders = riders.extra(extra.key(), Raw::document("[]"));
            }
            all.extend([plain.clone().context("context"), plain.clone().notice("notice"), plain, riders]);
        }
    }
    all
}

fn values(event: &HookEvent, target: Target) -> Vec<Raw> {
    let odd = ["{\"odd\":1}", "7", "\"text\"", "[1]"].map(Raw::document).to_vec();
    let own = match target {
        Target::Input => event.call().map(|call| {
            let object = call.input.object().unwrap();
            if object.has("command") { object.with("command", "\"new\"") } else { object.with("later", "1") }
        }),
        Target::Result => event.result().and_then(|result| result.with_text("new")),
        _ => None,
    };
    let same = event.call().map(|call| call.input.clone()).filter(|_| target == Target::Input);
    odd.into_iter().chain(own).chain(same).collect()
}

fn well_formed(event: &HookEvent, reply: &Reply) -> bool {
    let one = Raw::checked(reply.stdout.as_str()).is_ok() && !reply.stdout.contains(['\n', '\r']);
    let silent_block = reply.exit == 2 && reply.stdout.is_empty() && !reply.stderr.trim().is_empty();
    (reply.exit == 0 && (reply.stdout.is_empty() || one || event.row.plain)) || silent_block
}

fn strict(
    protocol: &dyn HookProtocol,
    event: &HookEvent,
    host: &str,
    decision: &Decision,
    reply: &Reply,
    at: &dyn Fn() -> String,
) {
    let outcome = protocol.host().unwrap().interpret(event, host, reply);
    let does = outcome.does;
    assert_ne!(does, Does::Unmeasured, "{}", at());
    let wanted = decision.verdict.kind();
    let asks = matches!(does, Does::Asks) || does.blocks();
    if event.row.gates() {
        assert!(wanted != VerdictKind::Ask || asks, "{} {outcome:?}", at());
        assert!(!wanted.blocks() || does.blocks(), "{} {outcome:?}", at());
        assert!(wanted == VerdictKind::Allow || does != Does::Approves, "{} {outcome:?}", at());
    }
    assert!(wanted == VerdictKind::KeepGoing || does != Does::Continues, "{} {outcome:?}", at());
    for change in &decision.changes {
        let carried = outcome.change(change.target) == Some(&change.value);
        let same = event.call().is_some_and(|call| change.target == Target::Input && call.input.means(&change.value));
        let needed = change.need == crate::model::Need::Required && event.row.gates();
        assert!(!needed || carried || same || does.blocks(), "{} {outcome:?}", at());
    }
}

fn comes_back(protocol: &dyn HookProtocol, sent: &HookEvent, name: &str) {
    let again = event(protocol, &Native::new(protocol.host().unwrap().present(sent)));
    let about = |e: &HookEvent| {
        let call = e.call().map(|call| (call.name.clone(), call.input.clone(), call.actions.clone(), call.id.clone()));
        let prompt = match &e.detail {
            crate::model::Detail::Prompt { text } => Some(text.clone()),
            _ => None,
        };
        let result = e.result().map(|result| (result.raw.clone(), result.text.clone()));
        (
            e.kind(),
            e.row.key(),
            e.native.clone(),
            e.session.clone(),
            e.cwd.clone(),
            e.mode.clone(),
            call,
            prompt,
            result,
        )
    };
    assert_eq!(about(&again), about(sent), "{name}");
}

fn refusal_blocks(protocol: &dyn HookProtocol, native: &Native, event: &HookEvent, name: &str) {
    let reply = protocol.refuse(native, "broken");
    for host in event.row.hosts.iter().filter(|_| event.row.gates()) {
        assert!(protocol.host().unwrap().interpret(event, host, &reply).does.blocks(), "{name}: {reply:?}");
    }
    assert!(!event.kind().ends_turn() || reply == Reply::silent(), "{name}: {reply:?}");
}
