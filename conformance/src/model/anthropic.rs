//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Conversation, ModelReply, Say, Tool, ToolKind, list, plain, text, value};

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation = Conversation::default();
    for tool in list(body, "tools") {
        if let Some(schema) = tool.get("input_schema") {
            conversation.tools.push(Tool {
                name: text(tool, "name").into(),
                kind: ToolKind::Object(schema.clone()),
                group: None,
            });
        }
    }
    for part in list(body, "messages").iter().flat_map(|message| list(message, "content")) {
        match text(part, "type") {
            "tool_use" => conversation.calls += 1,
            "tool_result" => conversation.results.push(plain(part.get("content"))),
            _ => {}
        }
    }
    conversation
}

pub(super) fn write(body: &Value, say: &Say, number: usize) -> ModelReply {
    let (block, empty, delta, why) = match say {
        Say::Text(text) => (
            json!({"type": "text", "text": text}),
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
            "end_turn",
        ),
        Say::Call { tool, input } => {
            let call = |input: Value| json!({"type": "tool_use", "id": format!("toolu_{number:04}"), "name": tool.name, "input": input});
            let delta = json!({"type": "input_json_delta", "partial_json": input});
            (call(value(input)), call(json!({})), delta, "tool_use")
        }
    };
    let message = |content: Value, why: Value| {
        json!({
            "id": format!("msg_{number:04}"), "type": "message", "role": "assistant", "content": content,
            "model": body.get("model"), "stop_reason": why, "stop_sequence": null,
            "usage": {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
        })
    };
    if body.get("stream") != Some(&Value::Bool(true)) {
        return ModelReply::Json(message(json!([block]), json!(why)));
    }
    ModelReply::typed(vec![
        json!({"type": "message_start", "message": message(json!([]), Value::Null)}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": null}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ])
}
