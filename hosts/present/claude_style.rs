//! Messages in the form of Claude Code, with the names of members in the agent's own [`Fields`].

use snaphook_adapters::model::{Detail, HookEvent};
use snaphook_adapters::protocol::Fields;
use snaphook_adapters::raw::json_string;
use snaphook_adapters::shared::json::JsonBuilder;

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let Fields { tool, input, call_id, session, cwd, mode, result, prompt, again, .. } = event.agent.fields;
    let mut members = JsonBuilder::new();
    for (key, value) in [(session, &event.session), (cwd, &event.cwd), (mode, &event.mode)] {
        if let Some(key) = key {
            members = members.maybe(key, value.as_deref());
        }
    }
    members = members.text(event.agent.event_at.trim_start_matches('/'), &event.native);
    if let Some(call) = event.call() {
        members = members.text(tool, &call.name).raw(input, &call.input);
        if let Some(key) = call_id {
            members = members.maybe(key, call.id.as_deref());
        }
    }
    let own = match &event.detail {
        Detail::ToolDone { result: value, .. } => {
            Some((event.row.error.unwrap_or(result), value.raw.as_str().to_owned()))
        }
        Detail::Prompt { text } => Some((prompt, json_string(text))),
        Detail::TurnEnd { again: is_again } => again.map(|key| (key, is_again.to_string())),
        _ => None,
    };
    match &own {
        Some((key, json)) => members.json(key, json),
        None => members,
    }
}
