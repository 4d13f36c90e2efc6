//! Messages of the plug-ins that snaphook installs.

use snaphook_adapters::model::{Detail, HookEvent};
use snaphook_adapters::shared::json::JsonBuilder;
use snaphook_adapters::shared::plugin::HELLO;

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let mut params =
        JsonBuilder::new().maybe("directory", event.cwd.as_deref()).maybe("session", event.session.as_deref());
    if let Some(call) = event.call() {
        params = params.maybe("call", call.id.as_deref()).text("tool", &call.name).raw("input", &call.input);
    }
    if let Some(result) = event.result() {
        params = params.raw("result", &result.raw);
    }
    params = match &event.detail {
        Detail::Prompt { text } => params.text("prompt", text),
        Detail::TurnEnd { again } => params.bool("again", *again),
        _ if event.native == HELLO => JsonBuilder::new().text("protocol", "1"),
        _ => params,
    };
    let id = event.raw.at("/id").filter(|_| event.raw.at("/method").is_some());
    let line = JsonBuilder::new().text("jsonrpc", "2.0");
    let line = match id {
        Some(id) => line.raw("id", &id),
        None => line.json("id", "1"),
    };
    line.text("method", &event.native).json("params", &params.finish())
}
