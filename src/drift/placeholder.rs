//! A message with the shape of another one and placeholders for its values.

use serde_json::{Map, Value};

use super::MessageShape;
use super::shape::MemberType;

/// Writes the message.
pub(crate) fn placeholder(shape: &MessageShape) -> Value {
    let mut message = Value::Object(Map::new());
    // Parents come before their members, because paths are sorted.
    for (path, is) in &shape.members {
        let value = match is {
            MemberType::Null => Value::Null,
            MemberType::Bool => false.into(),
            MemberType::Number => 0.into(),
            MemberType::Text => "text".into(),
            MemberType::Event => shape.event.as_str().into(),
            MemberType::Tool => shape.tool.as_deref().unwrap_or_default().into(),
            MemberType::Array => Value::Array(Vec::new()),
            MemberType::Object => Value::Object(Map::new()),
        };
        put(&mut message, path, value);
    }
    message
}

fn put(at: &mut Value, path: &str, value: Value) {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let name = step.trim_end_matches("[]");
    let Value::Object(members) = at else { return };
    let mut place = members.entry(name).or_insert(Value::Null);
    for _ in 0..(step.len() - name.len()) / 2 {
        if !place.is_array() {
            *place = Value::Array(Vec::new());
        }
        let Value::Array(items) = place else { return };
        if items.is_empty() {
            items.push(Value::Null);
        }
        let Some(first) = items.first_mut() else { return };
        place = first;
    }
    match rest {
        None => *place = value,
        Some(rest) => {
            if !place.is_object() {
                *place = Value::Object(Map::new());
            }
            put(place, rest, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use snaphook_adapters::protocol::Native;

    use super::*;

    #[test]
    fn a_placeholder_has_the_shape_and_no_value() {
        let message = json!({
            "a": "secret", "b": [{"c": 7, "d": [[true]]}], "e": {"/etc/passwd": 1, "x y": null}, "n": null, "list": [],
        });
        let shape = |message: &Value| MessageShape::of("x", &Native::new(message.to_string()), None).unwrap();
        let made = placeholder(&shape(&message));
        assert_eq!(made, json!({"a": "text", "b": [{"c": 0, "d": [[false]]}], "e": {"*": 0}, "n": null, "list": []}));
        assert_eq!(shape(&made), shape(&message));
    }
}
