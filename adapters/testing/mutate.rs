//! Small, reproducible damage to a message.

use crate::Raw;
use crate::raw::json_string;

/// One value in a message, with its position.
pub(super) struct MessageValue {
    /// JSON pointer.
    pub(super) at: String,
    pub(super) value: Raw,
    key: Option<String>,
    parent: Raw,
}

/// Values of types that are rarely valid.
pub(super) const WRONG: [&str; 5] = ["5", "true", "[5]", "{\"a\":5}", "null"];

/// Returns every value of a message, up to four levels deep.
pub(super) fn spots(message: &Raw) -> Vec<MessageValue> {
    let mut out = Vec::new();
    collect(message, "", 4, &mut out);
    out
}

fn collect(parent: &Raw, at: &str, depth: usize, out: &mut Vec<MessageValue>) {
    if depth == 0 {
        return;
    }
    let members: Vec<(Option<String>, Raw)> = match (parent.object(), parent.array()) {
        (Ok(object), _) => object.members().map(|(key, value)| (Some(key.to_owned()), value)).collect(),
        (_, Ok(items)) => items.into_iter().map(|item| (None, item)).collect(),
        _ => return,
    };
    for (index, (key, value)) in members.into_iter().enumerate() {
        let at = format!("{at}/{}", key.clone().unwrap_or_else(|| index.to_string()));
        collect(&value, &at, depth - 1, out);
        out.push(MessageValue { at, value, key, parent: parent.clone() });
    }
}

impl MessageValue {
    /// Returns the message with another value here.
    pub(super) fn replaced(&self, message: &Raw, value: &str) -> Option<String> {
        message.replace(&self.value, value).map(|raw| raw.as_str().to_owned())
    }

    /// Returns the message without this member.
    pub(super) fn dropped(&self, message: &Raw) -> Option<String> {
        let key = self.key.as_ref()?;
        let rest = self.parent.object().ok()?;
        let rest: Vec<_> = rest
            .members()
            .filter(|(name, _)| name != key)
            .map(|(name, value)| format!("{}:{}", json_string(name), value.as_str()))
            .collect();
        self.with_parent(message, &format!("{{{}}}", rest.join(",")))
    }

    /// Returns the message with this member a second time, with another value, under the same key or one that differs
    /// in case.
    pub(super) fn twins(&self, message: &Raw, value: &str) -> Vec<String> {
        let Some(key) = &self.key else { return Vec::new() };
        let Some(open) = self.parent.as_str().strip_suffix('}') else { return Vec::new() };
        let other: String = key
            .chars()
            .map(|c| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect();
        [key.clone(), other]
            .iter()
            .filter_map(|name| self.with_parent(message, &format!("{open},{}:{value}}}", json_string(name))))
            .collect()
    }

    fn with_parent(&self, message: &Raw, text: &str) -> Option<String> {
        message.replace(&self.parent, text).map(|raw| raw.as_str().to_owned())
    }
}

/// Returns the message truncated at up to 40 positions.
pub(super) fn truncations(message: &Raw) -> Vec<String> {
    let text = message.as_str();
    let step = (text.len() / 40).max(1);
    (1..text.len()).step_by(step).filter_map(|end| text.get(..end).map(str::to_owned)).collect()
}

/// Texts that are not a message.
pub(super) const RUBBISH: [&str; 9] = ["", " \n", "null", "[]", "\"deny\"", "{", "{}{}", "not json", "{\"a\":NaN}"];
