//! The message that an agent would send for an event is parsed as that event.

use snaphook_adapters::model::{Detail, HookEvent, Incoming};
use snaphook_adapters::protocol::Native;
use snaphook_adapters::testing::{Suite, place};

use crate::Account;

/// Finds events that `parse(present(event))` does not keep: kind, row, session, directory, mode,
/// call, prompt and result.
pub fn mirror(suite: &Suite, account: &Account) -> Vec<String> {
    let mut found = Vec::new();
    for fixture in suite.fixtures() {
        let Some(event) = read(suite, &fixture.native) else { continue };
        // A message of an unlisted event cannot be built from the model.
        if std::ptr::eq(event.row, event.agent.unknown) {
            continue;
        }
        let sent = account.present(&event);
        let native = Native::new(&sent).line(fixture.native.line.clone()).connection(fixture.native.connection.clone());
        let Some(again) = read(suite, &native) else {
            let error = suite.protocol().parse(&native).err().map(|error| error.to_string()).unwrap_or_default();
            found.push(format!("{}: is presented as something else: {error} {sent}", place(&event, fixture)));
            continue;
        };
        let facts = facts(&event).into_iter().zip(facts(&again));
        for ((name, before), (_, after)) in facts.filter(|((_, before), (_, after))| before != after) {
            found.push(format!("{}: {name} was {before} and is presented as {after}", place(&event, fixture)));
        }
    }
    found
}

fn read(suite: &Suite, native: &Native) -> Option<HookEvent> {
    match suite.protocol().parse(native) {
        Ok(Incoming::Event(event) | Incoming::Observed(event)) => Some(*event),
        _ => None,
    }
}

fn facts(event: &HookEvent) -> Vec<(&'static str, String)> {
    let call = event.call();
    let (prompt, request, response) = match &event.detail {
        Detail::Prompt { text } => (Some(text), None, None),
        Detail::Request { request } => (None, Some(request), None),
        Detail::Response { response, .. } => (None, None, Some(response)),
        _ => (None, None, None),
    };
    vec![
        ("kind", format!("{:?}", event.kind())),
        ("native name", event.native.clone()),
        ("row", event.row.key()),
        ("dialect", event.dialect.unwrap_or_default().to_owned()),
        ("session", format!("{:?}", event.session)),
        ("directory", format!("{:?}", event.cwd)),
        ("mode", format!("{:?}", event.mode)),
        ("tool", format!("{:?}", call.map(|call| &call.name))),
        ("input", format!("{:?}", call.map(|call| &call.input))),
        ("actions", format!("{:?}", call.map(|call| &call.actions))),
        ("prompt", format!("{prompt:?}")),
        ("messages", format!("{:?}", request.and_then(|request| request.at("/messages")))),
        ("response", format!("{response:?}")),
        ("result", format!("{:?}", event.result().map(|result| &result.raw))),
        ("result's text", format!("{:?}", event.result().and_then(|result| result.text.clone()))),
        ("failure", format!("{:?}", event.result().and_then(|result| result.is_error))),
    ]
}
