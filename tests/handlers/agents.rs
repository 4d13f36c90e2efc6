//! Handlers on the recorded messages of all agents.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use snaphook::handlers::wire::Event;
use snaphook_adapters::Raw;
use snaphook_adapters::fit::{Limits, fit};
use snaphook_adapters::model::{EventKind, HookEvent, Incoming, Target};
use snaphook_adapters::protocol::{HookProtocol, Native, Power, RegisteredLine, Role};
use snaphook_adapters::registry::Registry;

use crate::{examples, schemas};

/// Every message in an agent's fixtures that is an event, with its file.
pub(crate) fn messages(agent: &dyn HookProtocol) -> Vec<(String, Native, HookEvent)> {
    let folder = format!("adapters/{}/fixtures", agent.agent().id.replace('-', "_"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut messages = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let fixture = Raw::document(fs::read_to_string(&path).unwrap());
        let text = |at: &str| fixture.at(at).and_then(|value| value.text()).map(|text| text.value);
        let role = text("/line/role").map_or(Role::Alone, |name| Role::named(&name).unwrap());
        let mut line = RegisteredLine::default().role(role);
        line.event = text("/line/event");
        let native = Native::new(fixture.at("/stdin").unwrap().as_str()).line(line);
        if let Some(event) = parse(agent, &native) {
            messages.push((path.display().to_string(), native, event));
        }
    }
    messages
}

fn parse(agent: &dyn HookProtocol, native: &Native) -> Option<HookEvent> {
    match agent.parse(native).ok()? {
        Incoming::Event(event) | Incoming::Observed(event) => Some(*event),
        _ => None,
    }
}

#[test]
fn every_event_shown_to_a_handler_matches_the_schema() {
    let validator = schemas::event();
    for agent in Registry::standard().iter() {
        for (name, _, event) in messages(agent) {
            let shown: Value = serde_json::from_str(&serde_json::to_string(&Event::from(&event)).unwrap()).unwrap();
            assert_eq!(validator.validate(&shown).map_err(|e| format!("{name}: {e} in {shown}")), Ok(()));
        }
    }
}

#[test]
fn a_secret_in_a_result_is_hidden_if_the_agent_accepts_changes() {
    let mut served = BTreeSet::new();
    for agent in Registry::standard().iter() {
        for (name, native, event) in messages(agent) {
            let Some(result) = event.result().filter(|_| event.kind() == EventKind::PostTool) else { continue };
            let Some(leaking) = result.with_text("TOKEN=hunter2\n") else { continue };
            let body = native.body.replace(&result.raw, leaking.as_str()).unwrap();
            let native = Native::new(body.as_str()).line(native.line.clone());
            let event = parse(agent, &native).unwrap();
            let decision = examples::ask("redact_results", &event).unwrap();
            let (fitted, losses) = fit(decision, &event, &Limits::default());
            let reply = agent.format(&event, &fitted).stdout;
            assert!(!reply.contains("hunter2"), "{name}: {reply}");
            if event.row.can(Power::Change(Target::Result)) {
                assert!(reply.contains("TOKEN=[redacted]"), "{name}: {reply} {losses:?}");
                served.insert(agent.agent().id);
            } else {
                assert!(!losses.is_empty(), "{name}");
            }
        }
    }
    for id in ["docker-agent", "hygge", "picoclaw"] {
        assert!(served.contains(id) || Registry::standard().get(id).is_none(), "{id}");
    }
}
