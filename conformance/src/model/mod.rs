//! The scripted model: it says the next step of a script to whoever asks, in the form it was asked in.
//!
//! It keeps no state. Which step comes next is read from the request: the number of tool calls that
//! the conversation already holds.

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

/// What a request shows of the conversation.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// The tools that may be called.
    pub(crate) tools: Vec<Tool>,
    /// How many calls were made so far.
    pub(crate) calls: usize,
    /// What the model was told about each of them.
    pub(crate) told: Vec<String>,
}

/// One tool of a request.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The group that its name has to be said with.
    pub(crate) group: Option<String>,
}

/// How a tool is called.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// With an object that this JSON schema describes.
    Object(Value),
    /// With a text.
    Text,
    /// It offers further tools.
    Search(Value),
}

/// What the model says.
#[derive(Debug, Clone)]
pub(crate) enum Say {
    Text(String),
    Call {
        tool: Tool,
        /// JSON text: an attack may need members that a `Value` cannot hold, such as the same key twice.
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
    /// Which API a path belongs to.
    fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        [("/messages", Self::Anthropic), ("/chat/completions", Self::Chat), ("/responses", Self::Responses)]
            .into_iter()
            .find_map(|(end, api)| path.ends_with(end).then_some(api))
            .or_else(|| path.ends_with("enerateContent").then_some(Self::Gemini))
    }

    fn read(self, body: &Value) -> Asked {
        match self {
            Self::Anthropic => anthropic::read(body),
            Self::Chat => chat::read(body),
            Self::Responses => responses::read(body),
            Self::Gemini => gemini::read(body),
        }
    }

    fn write(self, body: &Value, path: &str, say: &Say, number: usize) -> Reply {
        match self {
            Self::Anthropic => anthropic::write(body, say, number),
            Self::Chat => chat::write(body, say, number),
            Self::Responses => responses::write(body, say, number),
            Self::Gemini => gemini::write(path, say, number),
        }
    }
}

/// The body of an answer.
enum Reply {
    Json(Value),
    /// Server-sent events: a name, where the API has them, and the data.
    Events(Vec<(Option<String>, String)>),
}

impl Reply {
    /// Events that carry their own name as `type`.
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

/// The members of an array in an object; none where there is no array.
fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text in an object; empty where there is none.
fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// All that a value says, as one text: the APIs write contents as a text or as a list of parts.
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

    /// A request of each API: the shell is offered under some name, and nothing was called yet.
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

    /// The same request with a call and its result in it.
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
    fn every_api_is_told_the_step_in_its_own_form() {
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
                    "what nobody does is left out"
                );
                let reply = api.write(&body, path, &say, 1);
                assert_eq!(reply.kind() == "text/event-stream", stream, "{api:?}");
                assert!(reply.body().contains("date"), "{api:?}");

                let body = with_a_call(api, body);
                let asked = api.read(&body);
                assert_eq!((asked.calls, asked.told.as_slice()), (1, ["it ran".to_owned()].as_slice()), "{api:?}");
                assert!(matches!(steps::next(&script, &asked, &body), Say::Text(words) if words == FINAL), "{api:?}");
            }
        }
    }

    #[test]
    fn a_sub_agent_has_a_step_of_its_own() {
        let (_, mut body) = request(Api::Chat, false);
        body["messages"][0]["content"] = json!(steps::SUB_AGENT);
        let say = steps::next(&[], &chat::read(&body), &body);
        assert!(matches!(say, Say::Call { .. }), "{say:?}");
    }
}
