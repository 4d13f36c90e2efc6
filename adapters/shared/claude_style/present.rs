//! A message as an agent of this family would send it.

use crate::model::{Detail, HookEvent};
use crate::raw::json_string;
use crate::shared::json::Members;

/// Writes an event from the model alone. `transcript` and `others` are JSON: the value of
/// `transcript_path`, and members that the agent always sends with this event.
pub fn present(event: &HookEvent, transcript: &str, others: &[(&str, &str)]) -> String {
    let mut members = Members::new()
        .maybe("session_id", event.session.as_deref())
        .json("transcript_path", transcript)
        .maybe("cwd", event.cwd.as_deref())
        .maybe("permission_mode", event.mode.as_deref())
        .text(super::EVENT, &event.native);
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
    if let Some((key, json)) = &own {
        members = members.json(key, json);
    }
    others.iter().fold(members, |members, (key, json)| members.json(key, json)).finish()
}
