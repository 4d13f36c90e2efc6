//! Messages in the form of docker-agent.

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Detail, HookEvent, ToolCall};
use snaphook_adapters::shared::json::JsonBuilder;

/// The dialect whose messages contain the name of the agent.
const NEW: &str = "new";

/// The events whose messages contain the category of the tool.
const WITH_CATEGORY: [&str; 3] = ["tool_input_transform", "tool_guard", "tool_response_transform"];

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let members = JsonBuilder::new()
        .text("session_id", event.session.as_deref().unwrap_or_default())
        .text("cwd", event.cwd.as_deref().unwrap_or_default())
        .text("hook_event_name", &event.native);
    match &event.detail {
        Detail::Tool(call) => tool(event, call, members),
        Detail::ToolDone { call, result } => {
            let members = tool(event, call, members).raw("tool_response", &result.raw);
            if result.is_error == Some(true) { members.bool("tool_error", true) } else { members }
        }
        Detail::Prompt { text } if event.native == "user_steering_messages_submit" => {
            members.json("steering_messages", &format!("[{}]", Raw::string(text).as_str()))
        }
        Detail::Prompt { text } => members.text("prompt", text),
        Detail::Request { request } => ["agent_name", "model_id", "iteration", "messages"]
            .into_iter()
            .filter_map(|key| Some((key, request.at(&format!("/{key}"))?)))
            .fold(members, |members, (key, value)| members.raw(key, &value)),
        Detail::Response { response, .. } => members.raw("stop_response", response),
        _ => members,
    }
}

fn tool(event: &HookEvent, call: &ToolCall, members: JsonBuilder) -> JsonBuilder {
    let members = if event.dialect == Some(NEW) { members.text("agent_name", "root") } else { members };
    let members = if WITH_CATEGORY.contains(&event.native.as_str()) {
        members.text("tool_category", category(call))
    } else {
        members
    };
    let members = members.text("tool_name", &call.name).maybe("tool_use_id", call.id.as_deref());
    if call.input.as_str() == "{}" { members } else { members.raw("tool_input", &call.input) }
}

fn category(call: &ToolCall) -> &str {
    if call.actions.iter().any(|action| matches!(action, Action::Mcp(_))) {
        return "mcp";
    }
    match call.actions.first() {
        Some(Action::Shell { .. }) => "shell",
        Some(Action::Fetch { .. }) => "fetch",
        Some(Action::Subagent { .. }) => "transfer",
        Some(Action::Other) | None => &call.name,
        Some(_) => "filesystem",
    }
}
