//! OpenAI Responses.

use serde_json::{Value, json};

use super::{Conversation, ModelReply, Say, Tool, ToolKind, list, plain, text, value};

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation = Conversation::default();
    offer(&mut conversation.tools, list(body, "tools"), None);
    for item in list(body, "input") {
        let kind = text(item, "type");
        // Tools that were found by a search are in the conversation.
        if matches!(kind, "tool_search_output" | "additional_tools") {
            offer(&mut conversation.tools, list(item, "tools"), None);
        }
        conversation.calls += usize::from(kind.ends_with("_call"));
        if kind.ends_with("_call_output") {
            conversation.results.push(plain(item.get("output")));
        }
    }
    conversation
}

fn offer(tools: &mut Vec<Tool>, offered: &[Value], group: Option<&str>) {
    for tool in offered {
        let schema = || tool.get("parameters").cloned().unwrap_or_else(|| json!({}));
        let (name, kind) = match text(tool, "type") {
            "namespace" => {
                offer(tools, list(tool, "tools"), Some(text(tool, "name")));
                continue;
            }
            "function" => (text(tool, "name"), ToolKind::Object(schema())),
            "custom" => (text(tool, "name"), ToolKind::Text),
            "tool_search" => ("tool_search", ToolKind::Search(schema())),
            _ => continue,
        };
        tools.push(Tool { name: name.into(), kind, group: group.map(str::to_owned) });
    }
}

pub(super) fn write(body: &Value, say: &Say, number: usize) -> ModelReply {
    let id = format!("item_{number:04}");
    let item = match say {
        Say::Text(text) => json!({
            "type": "message", "id": id, "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Say::Call { tool, input } => call(tool, input, &id),
    };
    let whole = |status: &str, output: Value| {
        json!({
            "id": format!("resp_{number:04}"), "object": "response", "created_at": 1_790_000_000, "status": status,
            "model": body.get("model"), "output": output,
            "usage": {
                "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
            },
        })
    };
    if body.get("stream") != Some(&Value::Bool(true)) {
        return ModelReply::Json(whole("completed", json!([item])));
    }
    let mut events = vec![
        json!({"type": "response.created", "response": whole("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
    ];
    if let Say::Text(text) = say {
        events.push(json!({
            "type": "response.output_text.delta", "item_id": id, "output_index": 0, "content_index": 0, "delta": text,
        }));
    }
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(json!({"type": "response.completed", "response": whole("completed", json!([item]))}));
    for (at, event) in events.iter_mut().enumerate() {
        if let Some(event) = event.as_object_mut() {
            event.insert("sequence_number".into(), json!(at));
        }
    }
    ModelReply::typed(events)
}

fn call(tool: &Tool, input: &str, id: &str) -> Value {
    let mut item = json!({"id": id, "call_id": format!("call_{id}"), "status": "completed"});
    let Some(members) = item.as_object_mut() else { return item };
    let mut put = |key: &str, value: Value| members.insert(key.to_owned(), value);
    match tool.kind {
        ToolKind::Object(_) => {
            put("type", json!("function_call"));
            put("name", json!(tool.name));
            put("arguments", json!(input));
            if let Some(group) = &tool.group {
                put("namespace", json!(group));
            }
        }
        ToolKind::Text => {
            put("type", json!("custom_tool_call"));
            put("name", json!(tool.name));
            put("input", value(input));
        }
        ToolKind::Search(_) => {
            put("type", json!("tool_search_call"));
            put("execution", json!("client"));
            put("arguments", value(input));
        }
    }
    item
}
