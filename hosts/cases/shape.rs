//! Compares a reply with the pattern of a case.

use serde_json::Value;

/// Returns true if a text matches the pattern of a case. `shape` is the pattern and `answer` the text, parsed as JSON
/// if possible.
///
/// The empty pattern matches only the empty text, `text:` any text that is not JSON, and an object each object of this
/// shape. Any other pattern matches only itself.
pub(super) fn fits(
    pattern: &str,
    shape: Option<&Value>,
    text: &str,
    answer: Option<&Value>,
    optional: &[String],
) -> bool {
    if pattern.trim() == text.trim() && pattern.is_empty() == text.is_empty() {
        return true;
    }
    match (shape, answer) {
        (Some(shape), Some(answer)) => same(shape, answer, "", optional),
        (None, None) => pattern == "text:" && !text.is_empty(),
        _ => false,
    }
}

fn same(shape: &Value, value: &Value, at: &str, optional: &[String]) -> bool {
    match (shape, value) {
        (Value::String(any), _) if any == "**" => true,
        (Value::String(any), Value::String(text)) if any == "*" => !text.is_empty(),
        (Value::Object(shape), Value::Object(object)) => {
            let here = |key: &str| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            shape
                .iter()
                .all(|(key, shape)| object.get(key).is_some_and(|value| same(shape, value, &here(key), optional)))
                && object.keys().all(|key| shape.contains_key(key) || optional.contains(&here(key)))
        }
        (Value::Array(shapes), Value::Array(values)) => {
            shapes.len() == values.len() && shapes.iter().zip(values).all(|(s, v)| same(s, v, at, optional))
        }
        (shape, value) => shape == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, optional: &[&str]) -> bool {
        let optional: Vec<_> = optional.iter().map(|&at| at.to_owned()).collect();
        let shape = serde_json::from_str::<Value>(pattern).ok().filter(Value::is_object);
        fits(pattern, shape.as_ref(), text, serde_json::from_str(text).ok().as_ref(), &optional)
    }

    #[test]
    fn a_shape_requires_every_key_and_allows_no_other() {
        assert!(check(r#"{"a":{"b":"*"}}"#, "{\"a\": {\"b\": \"x\"}}\n", &[]));
        assert!(!check(r#"{"a":{"b":"*"}}"#, r#"{"a":{"b":""}}"#, &[]));
        assert!(!check(r#"{"a":{"b":"*"}}"#, r#"{"a":{"b":"x","c":1}}"#, &[]));
        assert!(check(r#"{"a":{"b":"**"}}"#, r#"{"a":{"b":null,"c":1}}"#, &["/a/c"]));
        assert!(!check(r#"{"a":1,"b":2}"#, r#"{"a":1}"#, &["/b"]));
    }

    #[test]
    fn empty_text_and_literals_are_distinguished() {
        assert!(check("", "", &[]) && !check("", "\n", &[]) && check("\n", "\n", &[]));
        assert!(check("text:", "hello", &[]) && !check("text:", "", &[]) && !check("text:", "{}", &[]));
        assert!(check("[1]", "[1]\n", &[]) && check("{\"a\"", "{\"a\"", &[]) && check("text:", "{\"a\"", &[]));
    }
}
