//! A tool that no agent has, offered to the model and answered here.
//!
//! Two moments of one program. Before the model is called (`pre_model`) it adds the tool `weather`
//! to the request. When the model then calls that tool (`pre_tool`) it answers in the tool's place,
//! so the agent never looks for a tool it does not have.
//!
//! ```text
//! cargo install --path . --example answer_tool
//! snaphook hook picoclaw --policy "$PWD/examples/answer_tool.toml"
//! ```
//!
//! PicoClaw takes tools from a hook up to v0.2.6. A later one drops the new tool, which the change
//! allows by saying `optional`; a call of `weather` is answered there too, but the model has to hear
//! of the tool in another way.
//!
//! Nothing here needs Rust: the event is one JSON object on stdin, the answer one on stdout, and
//! `schemas/` describes both. Parts of the event that are not looked at stay [`RawValue`]s, so the
//! tools that were there before go back exactly as they came.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};

use serde_json::{json, value::RawValue};

type Object = BTreeMap<String, Box<RawValue>>;

fn main() -> Result<(), Box<dyn Error>> {
    let event: Object = serde_json::from_reader(io::stdin())?;
    let kind: String = serde_json::from_str(member(&event, "kind"))?;
    let answer = match kind.as_str() {
        "pre_model" => offer(&serde_json::from_str(member(&event, "request"))?)?,
        "pre_tool" => answer(&serde_json::from_str(member(&event, "tool"))?)?,
        _ => String::new(),
    };
    writeln!(io::stdout(), "{answer}")?;
    Ok(())
}

/// The request's tools and one more.
fn offer(request: &Object) -> Result<String, Box<dyn Error>> {
    let tools: Option<Vec<Box<RawValue>>> = serde_json::from_str(member(request, "tools"))?;
    let mut tools = tools.unwrap_or_default();
    let weather = json!({
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The weather in a city.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    });
    tools.push(serde_json::value::to_raw_value(&weather)?);
    let tools = serde_json::to_string(&tools)?;
    Ok(format!(r#"{{"changes":[{{"target":"request","value":{{"tools":{tools}}},"need":"optional"}}]}}"#))
}

/// The tool's work, done here; nothing to say about any other tool.
fn answer(tool: &Object) -> Result<String, Box<dyn Error>> {
    let name: String = serde_json::from_str(member(tool, "name"))?;
    if name != "weather" {
        return Ok(String::new());
    }
    let input: BTreeMap<String, String> = serde_json::from_str(member(tool, "input"))?;
    let response = match input.get("city").map(String::as_str) {
        Some(city @ ("Lisbon" | "Oslo")) => json!({"text": format!("{city}: 21 °C, light wind, no rain")}),
        Some(city) => json!({"text": format!("no station in {city}; try Lisbon or Oslo"), "is_error": true}),
        None => json!({"text": "weather needs a city", "is_error": true}),
    };
    Ok(json!({"verdict": "respond", "response": response}).to_string())
}

/// The JSON of a member; `null` where there is none.
fn member<'a>(object: &'a Object, key: &str) -> &'a str {
    object.get(key).map_or("null", |value| value.get())
}
