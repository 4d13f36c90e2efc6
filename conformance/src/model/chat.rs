//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{Conversation, ModelReply, Say, Tool, ToolKind, list, plain, text, value};

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation = Conversation::default();
    for tool in list(body, "tools") {
        let of_schema = |tool: &Value| ToolKind::Object(tool.get("parameters").cloned().unwrap_or_else(|| json!({})));
        let found = tool.get("function").map(|tool| (tool, of_schema(tool)));
        let Some((tool, kind)) = found.or_else(|| Some((tool.get("custom")?, ToolKind::Text))) else { continue };
        conversation.tools.push(Tool { name: text(tool, "name").into(), kind, group: None });
    }
    for message in list(body, "messages") {
        conversation.calls += list(message, "tool_calls").len();
        if text(message, "role") == "tool" {
            conversation.results.push(plain(message.get("content")));
        }
    }
    conversation
}

pub(super) fn write(body: &Value, say: &Say, number: usize) -> ModelReply {
    let (message, why) = match say {
        Say::Text(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Say::Call { tool, input } => {
            let (kind, what) = match tool.kind {
                ToolKind::Text => ("custom", json!({"name": tool.name, "input": value(input)})),
                _ => ("function", json!({"name": tool.name, "arguments": input})),
            };
            let call = json!({"index": 0, "id": format!("call_{number:04}"), "type": kind, kind: what});
            (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let whole = |object: &str, choices: Value, usage: Value| {
        json!({
            "id": format!("chatcmpl-{number:04}"), "object": object, "created": 1_790_000_000,
            "model": body.get("model"), "choices": choices, "usage": usage,
        })
    };
    if body.get("stream") != Some(&Value::Bool(true)) {
        let choice = json!([{"index": 0, "message": message, "finish_reason": why}]);
        return ModelReply::Json(whole("chat.completion", choice, usage));
    }
    let chunk = |choices: Value, usage: Value| (None, whole("chat.completion.chunk", choices, usage).to_string());
    ModelReply::Events(vec![
        chunk(json!([{"index": 0, "delta": message, "finish_reason": null}]), Value::Null),
        chunk(json!([{"index": 0, "delta": {}, "finish_reason": why}]), Value::Null),
        chunk(json!([]), usage),
        (None, "[DONE]".into()),
    ])
}
