//! Messages in the form of PicoClaw.

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Detail, EventKind, HookEvent};
use snaphook_adapters::shared::json::JsonBuilder;

/// The dialect with a `context` in each call.
const NEW: &str = "v0.2.7";

pub(super) fn present(event: &HookEvent) -> JsonBuilder {
    let line = JsonBuilder::new().text("jsonrpc", "2.0");
    let line = match id(event) {
        Some(id) => line.raw("id", &id),
        None => line,
    };
    let params = match event.row.native {
        "hook.hello" => r#"{"name":"snaphook","version":1,"modes":["tool","approve"]}"#.to_owned(),
        "hook.runtime_event" => runtime_event(event),
        "hook.event" => JsonBuilder::new()
            .json("Kind", "8")
            .text("Time", TIME)
            .object("Meta", meta(event, "turn.tool.start"))
            .json("Payload", "{}")
            .finish(),
        _ => call(event),
    };
    line.text("method", &event.native).json("params", &params)
}

/// Returns the id of a message of PicoClaw, or 1 for an event of another agent. A notification has no id.
fn id(event: &HookEvent) -> Option<Raw> {
    match event.raw.object() {
        Ok(message) if message.has("method") => message.last("id").filter(|id| !matches!(id.as_str(), "0" | "null")),
        _ => (event.kind() != EventKind::Observed).then(|| Raw::document("1")),
    }
}

fn call(event: &HookEvent) -> String {
    let stage = match event.row.native {
        "hook.before_tool" => "turn.tool.before",
        "hook.approve_tool" => "turn.tool.approve",
        "hook.after_tool" => "turn.tool.after",
        "hook.before_llm" => "turn.llm.request",
        _ => "turn.llm.response",
    };
    if let Detail::Request { request } = &event.detail {
        return request_params(event, request, stage);
    }
    let mut params = JsonBuilder::new().object("meta", meta(event, stage));
    if event.dialect == Some(NEW) {
        params = params.json("context", CONTEXT);
    }
    if let Some(call) = event.call() {
        params = params.text("tool", &call.name);
        if call.input.as_str() != "{}" {
            params = params.raw("arguments", &call.input);
        }
    }
    if let Some(result) = event.result() {
        params = params.raw("result", &result.raw).json("duration", "15000000");
    }
    if let Detail::Response { response, .. } = &event.detail {
        params = params.text("model", "scripted").raw("response", response);
    }
    if event.dialect != Some(NEW) && event.call().is_some() {
        params = params.text("channel", "cli").text("chat_id", "direct");
    }
    params.finish()
}

/// Returns the request, which is the parameters themselves, with the missing members added.
fn request_params(event: &HookEvent, request: &Raw, stage: &str) -> String {
    let mut params = request.clone();
    let mut add = |key: &str, json: &str| {
        if let Some(object) = params.object().ok().filter(|object| !object.has(key)) {
            params = object.with(key, json);
        }
    };
    add("meta", &meta(event, stage).finish());
    if event.dialect == Some(NEW) {
        add("context", CONTEXT);
    }
    params.as_str().to_owned()
}

fn meta(event: &HookEvent, stage: &str) -> JsonBuilder {
    JsonBuilder::new()
        .text("AgentID", "main")
        .text("TurnID", "main-turn-1")
        .text("ParentTurnID", "")
        .text("SessionKey", event.session.as_deref().unwrap_or_default())
        .json("Iteration", "1")
        .text("TracePath", stage)
        .text("Source", "runTurn")
}

fn runtime_event(event: &HookEvent) -> String {
    let scope = JsonBuilder::new().text("agent_id", "main").maybe("session_key", event.session.as_deref());
    JsonBuilder::new()
        .text("id", "evt-1")
        .text("kind", "agent.turn.start")
        .text("time", TIME)
        .json("source", r#"{"component":"agent","name":"main"}"#)
        .object("scope", scope)
        .text("severity", "info")
        .finish()
}

const CONTEXT: &str = r#"{"inbound":{"channel":"cli","chat_id":"direct","chat_type":"direct","sender_id":"user"}}"#;
const TIME: &str = "2026-06-13T18:00:00Z";
