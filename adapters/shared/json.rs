//! Writes the small documents of answers, member by member, in a fixed order.

use crate::Raw;
use crate::raw::push_json_string;

/// Builds one JSON object. Values that came from the agent go in as they are.
#[derive(Debug, Clone, Default)]
pub struct Members(String);

impl Members {
    /// Starts an empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    #[must_use]
    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key, value.len() + 2);
        push_json_string(&mut self.0, value);
        self
    }

    /// Adds a text where there is one.
    #[must_use]
    pub fn maybe(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// Adds a truth value.
    #[must_use]
    pub fn bool(self, key: &str, value: bool) -> Self {
        self.json(key, if value { "true" } else { "false" })
    }

    /// Adds a value as it is.
    #[must_use]
    pub fn raw(self, key: &str, value: &Raw) -> Self {
        self.json(key, value.as_str())
    }

    /// Adds an object, unless it is empty.
    #[must_use]
    pub fn object(self, key: &str, members: Self) -> Self {
        if members.0.is_empty() { self } else { self.json(key, &members.finish()) }
    }

    /// Adds one JSON value as text. Line breaks between its parts become blanks: an answer is one line.
    #[must_use]
    pub fn json(mut self, key: &str, json: &str) -> Self {
        self.key(key, json.len());
        if json.contains(['\n', '\r']) {
            self.0.push_str(&json.replace(['\n', '\r'], " "));
        } else {
            self.0.push_str(json);
        }
        self
    }

    /// Begins a member whose value has about this length.
    fn key(&mut self, key: &str, value: usize) {
        self.0.reserve(key.len() + value + ROOM);
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_json_string(&mut self.0, key);
        self.0.push(':');
    }

    /// Adds the members of another object behind these.
    #[must_use]
    pub fn then(mut self, others: Self) -> Self {
        if self.0.is_empty() {
            return others;
        }
        if let Some(rest) = others.0.strip_prefix('{') {
            self.0.push(',');
            self.0.push_str(rest);
        }
        self
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The object as text; `{}` where nothing was added.
    pub fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

/// A document in the spelling of Go's own encoder, which escapes in texts what means something in HTML.
pub fn as_go_writes(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Such a character stands nowhere but in a text.
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// What stands around a key, and a little for the next one.
const ROOM: usize = 32;
