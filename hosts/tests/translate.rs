//! Every event of every agent in the form of every other agent, and the answers read back. No agent is named here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use std::collections::BTreeSet;

use snaphook_adapters::fit::{Limits, fit};
use snaphook_adapters::model::{Action, Change, Command, Decision, Detail, EventKind, HookEvent, Incoming, Target};
use snaphook_adapters::model::{Reply, ToolCall, ToolResult, VerdictKind};
use snaphook_adapters::protocol::{HookProtocol, Power};
use snaphook_adapters::testing::Suite;
use snaphook_hosts::{Effect, SpokenMessage, Subscription, Translator, Untranslatable};

const REASON: &str = "not here";

/// Every event of an agent's fixtures, with the name of the fixture.
fn events(suite: &Suite) -> Vec<(String, HookEvent)> {
    let protocol = suite.protocol();
    let mut found = Vec::new();
    for fixture in suite.fixtures() {
        if let Ok(Incoming::Event(mut event)) = protocol.parse(&fixture.native) {
            event.project = Some("/home/user/project".to_owned());
            found.push((format!("{} {}", protocol.agent().id, fixture.stem), *event));
        }
    }
    found
}

fn all(translator: &Translator, event: &HookEvent) -> Result<Vec<SpokenMessage>, Untranslatable> {
    translator.messages(event, Subscription::new(&[], &|_| true))
}

/// Calls a check with each event, and each translator with its messages for the event.
fn each(mut check: impl FnMut(&str, &HookEvent, &'static dyn HookProtocol, &Translator, Vec<SpokenMessage>)) {
    let suites: Vec<_> = common::described().into_iter().map(|(suite, _)| suite).collect();
    for (name, event) in suites.iter().flat_map(events) {
        for suite in &suites {
            let protocol = suite.protocol();
            let translator = Translator::to(protocol).unwrap();
            let at = format!("{name} as {}", protocol.agent().id);
            match all(&translator, &event) {
                Ok(messages) => check(&at, &event, protocol, &translator, messages),
                Err(why) => assert!(why.is_loss(), "{at}: {why}"),
            }
        }
    }
}

fn commands(call: &ToolCall) -> impl Iterator<Item = &str> {
    call.actions.iter().filter_map(|action| match action {
        Action::Shell { command: Command::Text(text), .. } => Some(text.start()),
        _ => None,
    })
}

fn is_gate(event: &HookEvent) -> bool {
    matches!(event.kind(), EventKind::PreTool | EventKind::Permission) && matches!(event.detail, Detail::Tool(_))
}

#[test]
fn a_command_is_the_command_of_the_other_agents_shell() {
    let mut seen = BTreeSet::new();
    each(|at, event, protocol, _, messages| {
        let Some(call) = event.call() else { return };
        assert!(!messages.is_empty(), "{at}");
        let agent = protocol.agent();
        for command in commands(call) {
            let shell = call.actions.iter().find_map(|action| match action {
                Action::Shell { shell, .. } => Some(*shell),
                _ => None,
            });
            let has_shell =
                ToolCall::sketch(agent, &Action::Shell { command: "ls".into(), cwd: None, shell: agent.shell });
            if has_shell.is_none() || shell != Some(agent.shell) {
                continue;
            }
            let shown = messages.iter().filter_map(|message| message.event.call());
            assert!(shown.flat_map(commands).any(|shown| shown == command), "{at}: {command}: {messages:?}");
            seen.insert((event.agent.id, agent.id));
        }
    });
    assert!(seen.len() > 25, "{seen:?}");
}

#[test]
fn silence_changes_and_approves_nothing() {
    each(|at, event, protocol, translator, messages| {
        for message in messages {
            let (fitted, _) = fit(Decision::pass(), &message.event, &Limits::default());
            let reply = protocol.format(&message.event, &fitted);
            let decision = translator.read(&message, event, &reply).decision;
            // An agent without a way to be silent approves.
            let kind = decision.verdict.kind();
            // A hook that has to print a path, and prints none, refuses.
            let is_refusal = message.event.row.content.plain_text;
            assert!(is_refusal || matches!(kind, VerdictKind::Pass | VerdictKind::Allow), "{at}: {decision:?}");
            assert!(decision.changes.is_empty(), "{at}: {decision:?}");
        }
    });
}

#[test]
fn a_denial_is_read_as_a_denial() {
    each(|at, event, protocol, translator, messages| {
        for message in messages.iter().filter(|message| is_gate(&message.event) && message.event.row.gates()) {
            for decision in [Decision::deny(REASON), Decision::ask(REASON)] {
                let (fitted, losses) = fit(decision.clone(), &message.event, &Limits::default());
                if losses.iter().any(snaphook_adapters::fit::Loss::weakens) {
                    continue;
                }
                let reply = protocol.format(&message.event, &fitted);
                let read = translator.read(message, event, &reply);
                // An answer whose effect is not known is a failure of the handler.
                if read.effect == Effect::Unmeasured {
                    continue;
                }
                let kind = read.decision.verdict.kind();
                // Silence is a question where the agent is about to ask.
                let asks_later =
                    [Power::SilenceAsks, Power::AskLater].iter().any(|power| message.event.row.can(*power));
                let leaves = decision == Decision::ask(REASON) && asks_later && reply == silent(protocol, message);
                let is_as_strict = kind.blocks() || (kind == VerdictKind::Ask && decision == Decision::ask(REASON));
                assert!(is_as_strict || leaves, "{at} {}: {decision:?}: {read:?}", message.event.row.key());
            }
        }
    });
}

fn silent(protocol: &dyn HookProtocol, message: &SpokenMessage) -> Reply {
    let (fitted, _) = fit(Decision::pass(), &message.event, &Limits::default());
    protocol.format(&message.event, &fitted)
}

#[test]
fn a_new_command_is_that_of_the_native_call_or_the_call_is_denied() {
    const NEW: &str = "echo 'new' \u{e9} && true";
    let mut seen = BTreeSet::new();
    each(|at, event, protocol, translator, messages| {
        if !is_gate(event) || event.lossy {
            return;
        }
        for message in messages {
            let Some(call) = message.event.call().filter(|_| is_gate(&message.event)) else { continue };
            let change = protocol.rewrite(call, &|command| command.text().map(|_| NEW.into()));
            let Some(change) = change else { continue };
            let decision = Decision::allow().change(Change::required(Target::Input, change.value));
            let (fitted, _) = fit(decision, &message.event, &Limits::default());
            if fitted.verdict().kind().blocks() {
                continue;
            }
            let reply = protocol.format(&message.event, &fitted);
            let decision = translator.read(&message, event, &reply).decision;
            if decision.verdict.kind().blocks() {
                continue;
            }
            let [change] = decision.changes.as_slice() else { panic!("{at}: {decision:?}: {reply:?}") };
            let native = event.call().unwrap();
            let changed = native.with_input(event.agent, change.value.clone()).unwrap();
            let texts = || changed.actions.iter().chain(&changed.suggested_actions).map(|action| format!("{action:?}"));
            assert!(texts().any(|text| text.contains(&format!("{NEW:?}"))), "{at}: {changed:?}");
            if let (Ok(before), Ok(after)) = (native.input.object(), changed.input.object()) {
                let differs = before.members().filter(|(key, value)| after.last(key).as_ref() != Some(value)).count();
                assert!(differs <= 1, "{at}: {} became {}", native.input.as_str(), changed.input.as_str());
            }
            seen.insert((event.agent.id, protocol.agent().id));
        }
    });
    assert!(seen.len() > 10, "{seen:?}");
}

#[test]
fn the_text_of_a_result_is_shown_and_a_new_text_replaces_it() {
    const NEW: &str = "a \"new\" text\n";
    let mut seen = BTreeSet::new();
    each(|at, event, protocol, translator, messages| {
        let Some(text) = event.result().and_then(ToolResult::read).map(|text| text.value) else { return };
        for message in messages {
            let shown = message.event.result().map(|result| result.raw.as_str().to_owned()).unwrap_or_default();
            let quoted = snaphook_adapters::raw::json_string(&text);
            let inside = quoted.trim_matches('"').to_owned();
            let is_own = event.agent.id == protocol.agent().id;
            let is_shown = is_own || shown.contains(&inside) || message.text.contains(&escaped(&inside));
            assert!(is_shown, "{at}: {text:?}: {}", message.text);
            let Some(new) = message.event.result().and_then(|result| result.with_text(NEW)) else { continue };
            let decision = Decision::pass().change(Change::required(Target::Result, new));
            let (fitted, _) = fit(decision, &message.event, &Limits::default());
            if fitted.change(Target::Result).is_none() {
                continue;
            }
            let reply = protocol.format(&message.event, &fitted);
            let decision = translator.read(&message, event, &reply).decision;
            if decision.verdict.kind().blocks() {
                continue;
            }
            let [change] = decision.changes.as_slice() else { panic!("{at}: {decision:?}: {reply:?}") };
            let wanted = event.result().unwrap().with_text(NEW).unwrap();
            assert!(change.value.means(&wanted) || is_own, "{at}: {change:?}");
            seen.insert((event.agent.id, protocol.agent().id));
        }
    });
    assert!(seen.len() > 10, "{seen:?}");
}

/// The escapes of Go's encoder.
fn escaped(text: &str) -> String {
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[test]
fn a_prompt_is_shown_and_a_denial_of_it_is_read() {
    let mut seen = BTreeSet::new();
    each(|at, event, protocol, translator, messages| {
        let Detail::Prompt { text } = &event.detail else { return };
        for message in messages {
            assert!(
                matches!(&message.event.detail, Detail::Prompt { text: shown } if shown == text),
                "{at}: {}",
                message.text
            );
            if !message.event.row.can(Power::Deny) {
                continue;
            }
            let (fitted, _) = fit(Decision::deny(REASON), &message.event, &Limits::default());
            let reply = protocol.format(&message.event, &fitted);
            let read = translator.read(&message, event, &reply);
            assert!(read.effect == Effect::Unmeasured || read.decision.verdict.kind().blocks(), "{at}: {read:?}");
            seen.insert((event.agent.id, protocol.agent().id));
        }
    });
    assert!(seen.len() > 10, "{seen:?}");
}
