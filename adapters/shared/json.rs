//! Writes small JSON objects member by member, in a fixed order.

use crate::Raw;
use crate::fit::Fitted;
use crate::model::{Reply, Target};
use crate::raw::push_json_string;

/// A builder of one JSON object. Values from the agent are inserted unchanged.
#[derive(Debug, Clone, Default)]
pub struct JsonBuilder(String);

impl JsonBuilder {
    /// Starts an empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a string.
    #[must_use]
    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key, value.len() + 2);
        push_json_string(&mut self.0, value);
        self
    }

    /// Adds a string if it is present.
    #[must_use]
    pub fn maybe(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// Adds a boolean.
    #[must_use]
    pub fn bool(self, key: &str, value: bool) -> Self {
        self.json(key, if value { "true" } else { "false" })
    }

    /// Adds a value unchanged.
    #[must_use]
    pub fn raw(self, key: &str, value: &Raw) -> Self {
        self.json(key, value.as_str())
    }

    /// Adds an object, unless it is empty.
    #[must_use]
    pub fn object(self, key: &str, members: Self) -> Self {
        if members.0.is_empty() { self } else { self.json(key, &members.finish()) }
    }

    /// Adds a JSON value. Line breaks between its parts become spaces, because a reply is one line.
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

    /// Adds the new values of a decision, each under the key of its target.
    #[must_use]
    pub fn changes(self, fitted: &Fitted, keys: &[(Target, &str)]) -> Self {
        let changed = keys.iter().filter_map(|(target, key)| Some((key, fitted.change(*target)?)));
        changed.fold(self, |members, (key, value)| members.raw(key, value))
    }

    /// Starts a member whose value has about this length.
    fn key(&mut self, key: &str, value: usize) {
        self.0.reserve(key.len() + value + MEMBER_RESERVE);
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_json_string(&mut self.0, key);
        self.0.push(':');
    }

    /// Appends the members of another object.
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

    /// Returns true if the object has no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the object as a reply; without members, the reply is empty.
    pub fn reply(self) -> Reply {
        if self.is_empty() { Reply::silent() } else { Reply::document(self.finish()) }
    }

    /// Returns the object as text; `{}` if it has no members.
    pub fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

/// The length of the syntax around a key, with a reserve for the next one.
const MEMBER_RESERVE: usize = 32;
