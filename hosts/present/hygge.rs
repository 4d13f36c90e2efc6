//! Messages in the form of hygge.

use snaphook_adapters::model::{Detail, HookEvent};
use snaphook_adapters::shared::json::JsonBuilder;

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let mut members = JsonBuilder::new()
        .text("event", &event.native)
        .maybe("session_id", event.session.as_deref())
        .text("hook_name", &event.native)
        .maybe("pwd", event.cwd.as_deref());
    if let Some(call) = event.call() {
        members = members.text("tool_name", &call.name).raw("tool_input", &call.input);
    }
    if let Some(result) = event.result() {
        members = members.raw("tool_result", &result.raw);
    }
    if let (Detail::Prompt { text }, None) = (&event.detail, event.row.selector.case) {
        members = members.text("message", text);
    }
    members.maybe("mode_name", event.mode.as_deref())
}
