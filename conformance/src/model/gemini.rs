//! Gemini generateContent.

use serde_json::{Value, json};

use super::{Conversation, ModelReply, Say, Tool, ToolKind, list, plain, text, value};

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation = Conversation::default();
    for tool in list(body, "tools").iter().flat_map(|group| list(group, "functionDeclarations")) {
        let schema = tool.get("parametersJsonSchema").or_else(|| tool.get("parameters"));
        let kind = ToolKind::Object(schema.cloned().unwrap_or_else(|| json!({})));
        conversation.tools.push(Tool { name: text(tool, "name").into(), kind, group: None });
    }
    for part in list(body, "contents").iter().flat_map(|content| list(content, "parts")) {
        conversation.calls += usize::from(part.get("functionCall").is_some());
        if let Some(result) = part.get("functionResponse") {
            conversation.results.push(plain(result.get("response")));
        }
    }
    conversation
}

pub(super) fn write(path: &str, say: &Say, number: usize) -> ModelReply {
    let part = match say {
        Say::Text(text) => json!({"text": text}),
        Say::Call { tool, input } => {
            json!({"functionCall": {"id": format!("call_{number:04}"), "name": tool.name, "args": value(input)}})
        }
    };
    let whole = json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "scripted",
    });
    if path.contains(":stream") { ModelReply::Events(vec![(None, whole.to_string())]) } else { ModelReply::Json(whole) }
}
