//! Messages that are one object with the members that the agent's table names.

use snaphook_adapters::model::{Detail, HookEvent};
use snaphook_adapters::protocol::Fields;
use snaphook_adapters::raw::json_string;
use snaphook_adapters::shared::json::JsonBuilder;

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let agent = event.agent;
    let Fields {
        tool,
        input,
        call_within,
        call_id,
        session,
        cwd,
        roots,
        mode,
        result,
        prompt,
        prompt_parts,
        within,
        again,
        ..
    } = *agent.fields_of(event.dialect);
    let dialect = agent.dialects.iter().find(|dialect| event.dialect == Some(dialect.name));
    let event_key = dialect.map_or(Some(agent.event_at.trim_start_matches('/')), |dialect| dialect.event_key);
    let of_event = event.row.selector.tool;
    let arguments = event.call().filter(|_| of_event.is_some_and(|of| of.is_flat));
    let arguments = arguments.and_then(|call| call.input.object().ok());
    let is_argument = |key: &str| arguments.as_ref().is_some_and(|arguments| arguments.has(key));
    let named = |members: JsonBuilder, key: Option<&str>, value: Option<&str>| match key {
        Some(key) if !is_argument(key) => members.maybe(key, value),
        _ => members,
    };
    let mut members = named(JsonBuilder::new(), event_key, Some(&event.native));
    members = named(members, session, event.session.as_deref());
    members = named(members, cwd, event.cwd.as_deref());
    if let (Some(roots), Some(folder)) = (roots, event.cwd.as_deref().filter(|_| cwd.is_none_or(is_argument))) {
        members = members.json(roots, &format!("[{}]", json_string(folder)));
    }
    members = named(members, mode, event.mode.as_deref());
    if let Some(arguments) = &arguments {
        members = arguments.members().fold(members, |members, (key, value)| members.raw(key, &value));
    } else if let Some(call) = event.call() {
        let with_call = |members: JsonBuilder| {
            if of_event.is_none() { members.text(tool, &call.name) } else { members }.raw(input, &call.input)
        };
        members = match call_within {
            Some(object) => members.object(object, with_call(JsonBuilder::new())),
            None => with_call(members),
        };
    }
    if let Some(call) = event.call() {
        members = named(members, call_id, call.id.as_deref());
    }
    match (&event.detail, again) {
        (Detail::ToolDone { result: done, .. }, _) => match (event.row.error, within) {
            (None, Some(object)) => members.object(object, JsonBuilder::new().raw(result, &done.raw)),
            (error, _) => members.raw(error.unwrap_or(result), &done.raw),
        },
        (Detail::Prompt { text }, _) if prompt_parts => {
            let part = JsonBuilder::new().text("type", "text").text("text", text);
            members.json(prompt, &format!("[{}]", part.finish()))
        }
        (Detail::Prompt { text }, _) => match within {
            Some(object) => members.object(object, JsonBuilder::new().text(prompt, text)),
            None => members.text(prompt, text),
        },
        (Detail::TurnEnd { again }, Some(key)) => members.bool(key, *again),
        _ => members,
    }
}
