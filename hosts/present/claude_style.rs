//! Messages in the form of Claude Code.

use snaphook_adapters::model::{Detail, HookEvent};
use snaphook_adapters::raw::json_string;
use snaphook_adapters::shared::json::JsonBuilder;

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let mut members = JsonBuilder::new()
        .maybe("session_id", event.session.as_deref())
        .maybe("cwd", event.cwd.as_deref())
        .maybe("permission_mode", event.mode.as_deref())
        .text("hook_event_name", &event.native);
    if let Some(call) = event.call() {
        members = members
            .text("tool_name", &call.name)
            .raw("tool_input", &call.input)
            .maybe("tool_use_id", call.id.as_deref());
    }
    let own = match &event.detail {
        Detail::ToolDone { result, .. } => {
            let key = if event.native == "PostToolUseFailure" { "error" } else { "tool_response" };
            Some((key, result.raw.as_str().to_owned()))
        }
        Detail::Prompt { text } => Some(("prompt", json_string(text))),
        Detail::TurnEnd { again } => Some(("stop_hook_active", again.to_string())),
        _ => None,
    };
    match &own {
        Some((key, json)) => members.json(key, json),
        None => members,
    }
}
