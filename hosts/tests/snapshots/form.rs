//! The form of a reply: its document without the values that come from the message.

use serde_json::Value;
use snaphook_adapters::fit::Fitted;
use snaphook_adapters::model::{HookEvent, Reply, Target};

/// Returns the document of a reply without the members that are sent back as they came, and with only the new texts of
/// each new value. Replies to two events have the same form if they differ only in values of the events.
pub(crate) fn form(event: &HookEvent, fitted: &Fitted, reply: &Reply) -> Value {
    let Ok(mut document) = serde_json::from_str(&reply.stdout) else {
        return Value::String(reply.stdout.clone());
    };
    let parse = |text: &str| serde_json::from_str(text).unwrap_or_default();
    let mut sent = Vec::new();
    members("", &parse(event.raw.as_str()), &mut sent);
    let changes = Target::ALL.iter().filter_map(|target| fitted.change(*target));
    let new: Vec<_> = changes.map(|value| parse(value.as_str())).collect();
    reduce(&mut document, &new, &sent);
    document
}

/// Collects every value with the key of the member that holds it.
fn members(key: &str, value: &Value, out: &mut Vec<(String, Value)>) {
    out.push((key.to_owned(), value.clone()));
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| members(key, value, out)),
        Value::Array(list) => list.iter().for_each(|value| members(key, value, out)),
        _ => {}
    }
}

fn reduce(value: &mut Value, new: &[Value], sent: &[(String, Value)]) {
    if new.contains(value) {
        let mut parts = Vec::new();
        members("", value, &mut parts);
        let texts = parts.into_iter().map(|(_, part)| part).filter(Value::is_string);
        *value = texts.filter(|text| !sent.iter().any(|(_, was)| was == text)).collect();
        return;
    }
    match value {
        Value::Object(object) => {
            object.retain(|key, value| !sent.iter().any(|(name, was)| name == key && was == value));
            object.values_mut().for_each(|value| reduce(value, new, sent));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| reduce(value, new, sent)),
        _ => {}
    }
}
