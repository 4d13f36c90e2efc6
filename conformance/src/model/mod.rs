//! The scripted model: it answers each request with the next step of a script, in the API of the request.
//!
//! It keeps no state: the number of tool calls in the conversation is the number of the next step.

mod anthropic;
mod chat;
mod gemini;
mod responses;
mod server;
mod steps;
mod tools;

use steps::FINAL;

pub(crate) use server::serve;
pub(crate) use steps::Step;

use serde_json::Value;

/// The conversation in a request.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// The tools that may be called.
    pub(crate) tools: Vec<Tool>,
    /// The number of calls so far.
    pub(crate) calls: usize,
    /// The results of the calls.
    pub(crate) results: Vec<String>,
}

/// One tool of a request.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) kind: ToolKind,
    /// The group that a call has to name together with the tool.
    pub(crate) group: Option<String>,
}

/// How a tool is called.
#[derive(Debug, Clone)]
pub(crate) enum ToolKind {
    /// With an object that this JSON schema describes.
    Object(Value),
    /// With plain text.
    Text,
    /// It searches for further tools.
    Search(Value),
}

/// One answer of the model.
#[derive(Debug, Clone)]
pub(crate) enum Say {
    Text(String),
    Call {
        tool: Tool,
        /// JSON text: an attack may need members that a `Value` cannot represent, such as a duplicate key.
        input: String,
    },
}

/// The API that a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

impl Api {
    /// The API of a request path.
    fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        [("/messages", Self::Anthropic), ("/chat/completions", Self::Chat), ("/responses", Self::Responses)]
            .into_iter()
            .find_map(|(end, api)| path.ends_with(end).then_some(api))
            .or_else(|| path.ends_with("enerateContent").then_some(Self::Gemini))
    }

    fn read(self, body: &Value) -> Conversation {
        match self {
            Self::Anthropic => anthropic::read(body),
            Self::Chat => chat::read(body),
            Self::Responses => responses::read(body),
            Self::Gemini => gemini::read(body),
        }
    }

    fn write(self, body: &Value, path: &str, say: &Say, number: usize) -> ModelReply {
        match self {
            Self::Anthropic => anthropic::write(body, say, number),
            Self::Chat => chat::write(body, say, number),
            Self::Responses => responses::write(body, say, number),
            Self::Gemini => gemini::write(path, say, number),
        }
    }
}

/// The body of an answer.
enum ModelReply {
    Json(Value),
    /// Server-sent events: an optional name, and the data.
    Events(Vec<(Option<String>, String)>),
}

impl ModelReply {
    /// Events whose `type` member is their name.
    fn typed(events: Vec<Value>) -> Self {
        let named = |event: Value| (event.get("type").and_then(Value::as_str).map(str::to_owned), event.to_string());
        Self::Events(events.into_iter().map(named).collect())
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Json(_) => "application/json",
            Self::Events(_) => "text/event-stream",
        }
    }

    fn body(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Events(events) => {
                let mut body = String::new();
                for (name, data) in events {
                    for (key, value) in name.iter().map(|name| ("event", name)).chain([("data", data)]) {
                        body.extend([key, ": ", value, "\n"]);
                    }
                    body.push('\n');
                }
                body
            }
        }
    }
}

/// The input of a call for an API that takes it as a value.
fn value(input: &str) -> Value {
    serde_json::from_str(input).unwrap_or_default()
}

/// The items of an array in an object; empty if there is no array.
fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A string in an object; empty if there is none.
fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The text of a content, which the APIs write as a string or as a list of parts.
fn plain(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().map(|part| plain(Some(part))).collect::<Vec<_>>().join("\n"),
        Some(Value::Object(part)) if part.get("text").is_some_and(Value::is_string) => plain(part.get("text")),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A first request of each API, which offers the shell.
    fn request(api: Api, stream: bool) -> (&'static str, Value) {
        let schema = json!({"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]});
        match api {
            Api::Anthropic => (
                "/v1/messages?beta=true",
                json!({
                    "stream": stream, "tools": [{"name": "Bash", "input_schema": schema}],
                    "messages": [{"role": "user", "content": "go"}],
                }),
            ),
            Api::Chat => (
                "/v1/chat/completions",
                json!({
                    "stream": stream, "tools": [{"type": "function", "function": {"name": "Bash", "parameters": schema}}],
                    "messages": [{"role": "user", "content": "go"}],
                }),
            ),
            Api::Responses => (
                "/v1/responses",
                json!({
                    "stream": stream, "tools": [{"type": "function", "name": "Bash", "parameters": schema}],
                    "input": [{"type": "message", "role": "user", "content": "go"}],
                }),
            ),
            Api::Gemini => (
                if stream {
                    "/v1beta/models/m:streamGenerateContent?alt=sse"
                } else {
                    "/v1beta/models/m:generateContent"
                },
                json!({
                    "tools": [{"functionDeclarations": [{"name": "Bash", "parameters": schema}]}],
                    "contents": [{"role": "user", "parts": [{"text": "go"}]}],
                }),
            ),
        }
    }

    /// The same request with a call and its result.
    fn with_a_call(api: Api, mut body: Value) -> Value {
        let (key, turns) = match api {
            Api::Anthropic => (
                "messages",
                vec![
                    json!({"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {}}]}),
                    json!({"role": "user", "content": [
                        {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "it ran"}]}]}),
                ],
            ),
            Api::Chat => (
                "messages",
                vec![
                    json!({"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "Bash", "arguments": "{}"}}]}),
                    json!({"role": "tool", "tool_call_id": "1", "content": "it ran"}),
                ],
            ),
            Api::Responses => (
                "input",
                vec![
                    json!({"type": "function_call", "call_id": "1", "name": "Bash", "arguments": "{}"}),
                    json!({"type": "function_call_output", "call_id": "1", "output": "it ran"}),
                ],
            ),
            Api::Gemini => (
                "contents",
                vec![
                    json!({"role": "model", "parts": [{"functionCall": {"name": "Bash", "args": {}}}]}),
                    json!({"role": "user", "parts": [{"functionResponse": {"name": "Bash", "response": "it ran"}}]}),
                ],
            ),
        };
        body[key].as_array_mut().unwrap().extend(turns);
        body
    }

    #[test]
    fn every_api_receives_the_step_in_its_own_form() {
        let script = [Step::Fetch, Step::Shell("date".into())];
        for api in [Api::Anthropic, Api::Chat, Api::Responses, Api::Gemini] {
            for stream in [false, true] {
                let (path, body) = request(api, stream);
                assert_eq!(Api::of(path), Some(api));
                let say = steps::next(&script, &api.read(&body), &body);
                let Say::Call { tool, input } = &say else { panic!("{api:?}: {say:?}") };
                assert_eq!(
                    (tool.name.as_str(), value(input)),
                    ("Bash", json!({"cmd": "date"})),
                    "a step without a tool is left out"
                );
                let reply = api.write(&body, path, &say, 1);
                assert_eq!(reply.kind() == "text/event-stream", stream, "{api:?}");
                assert!(reply.body().contains("date"), "{api:?}");

                let body = with_a_call(api, body);
                let conversation = api.read(&body);
                assert_eq!(
                    (conversation.calls, conversation.results.as_slice()),
                    (1, ["it ran".to_owned()].as_slice()),
                    "{api:?}"
                );
                assert!(
                    matches!(steps::next(&script, &conversation, &body), Say::Text(words) if words == FINAL),
                    "{api:?}"
                );
            }
        }
    }

    #[test]
    fn a_sub_agent_has_its_own_step() {
        let (_, mut body) = request(Api::Chat, false);
        body["messages"][0]["content"] = json!(steps::SUB_AGENT);
        let say = steps::next(&[], &chat::read(&body), &body);
        assert!(matches!(say, Say::Call { .. }), "{say:?}");
    }
}
