//! Messages in the two forms of Cline.

use snaphook_adapters::model::{Detail, HookEvent, ToolCall};
use snaphook_adapters::shared::json::JsonBuilder;

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let members = JsonBuilder::new().text("hookName", &event.native).maybe("taskId", event.session.as_deref());
    let is_cli = event.row.hosts.contains(&"cli");
    let call = |call: &ToolCall| {
        let (name, input) = if is_cli { ("name", "input") } else { ("toolName", "parameters") };
        let id = call.id.as_deref().filter(|_| is_cli);
        JsonBuilder::new().maybe("id", id).text(name, &call.name).raw(input, &call.input)
    };
    match &event.detail {
        Detail::Tool(tool) => members.object(if is_cli { "tool_call" } else { "preToolUse" }, call(tool)),
        Detail::ToolDone { call: tool, result } if is_cli => {
            members.object("tool_result", call(tool).raw("output", &result.raw))
        }
        Detail::ToolDone { call: tool, result } => members.object("postToolUse", call(tool).raw("result", &result.raw)),
        Detail::Prompt { text } => members.object("userPromptSubmit", JsonBuilder::new().text("prompt", text)),
        _ => members,
    }
}
