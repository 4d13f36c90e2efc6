//! A handler that offers a new tool to the model and implements it.
//!
//! Before a request to the model (`pre_model`), the handler adds the tool `weather` to the request. When
//! the model calls the tool (`pre_tool`), the handler responds in its place, so the agent never has to
//! know the tool.
//!
//! ```text
//! cargo install --path . --example answer_tool
//! snaphook hook picoclaw --policy "$PWD/examples/answer_tool.toml"
//! ```
//!
//! PicoClaw accepts tools from a hook up to v0.2.6. Later versions drop the new tool, which the change
//! permits with `optional`. A call of `weather` is answered there too, but the model has to learn about
//! the tool in another way.
//!
//! A handler can be written in any language: it reads one JSON object on stdin and prints one on
//! stdout; `schemas/` describes both. This one keeps unused parts of the event as [`RawValue`]s, so
//! that the existing tools are returned byte for byte.

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

/// Adds the tool to the tools of the request.
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

/// Responds to a call of the tool. Has no opinion on other tools.
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

/// The JSON of a member; `null` if the member is absent.
fn member<'a>(object: &'a Object, key: &str) -> &'a str {
    object.get(key).map_or("null", |value| value.get())
}
