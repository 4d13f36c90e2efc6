//! Messages that are one object with the members that the agent's table names.

use snaphook_adapters::model::{Detail, HookEvent};
use snaphook_adapters::protocol::Fields;
use snaphook_adapters::shared::json::JsonBuilder;

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let Fields { tool, input, call_id, session, cwd, mode, result, prompt, again, .. } = event.agent.fields;
    let named = |members: JsonBuilder, key: Option<&str>, value: Option<&str>| match key {
        Some(key) => members.maybe(key, value),
        None => members,
    };
    let mut members = JsonBuilder::new().text(event.agent.event_at.trim_start_matches('/'), &event.native);
    members = named(members, session, event.session.as_deref());
    members = named(members, cwd, event.cwd.as_deref());
    members = named(members, mode, event.mode.as_deref());
    if let Some(call) = event.call() {
        members = members.text(tool, &call.name).raw(input, &call.input);
        members = named(members, call_id, call.id.as_deref());
    }
    match (&event.detail, again) {
        (Detail::ToolDone { result: done, .. }, _) => members.raw(result, &done.raw),
        (Detail::Prompt { text }, _) => members.text(prompt, text),
        (Detail::TurnEnd { again }, Some(key)) => members.bool(key, *again),
        _ => members,
    }
}
