//! Splits one level of an object or array into slices.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::walk::Level;
use super::{JsonFault, Raw, text::decode_key};

/// The members of one object in the order in which they were sent, with undecoded values.
///
/// Repeated keys are kept; a lookup decides their meaning (J6).
#[derive(Debug, Clone)]
pub struct Object {
    raw: Raw,
    members: Vec<Member>,
}

#[derive(Debug, Clone)]
struct Member {
    key: ObjectKey,
    value: Range<usize>,
}

/// A key of an object.
#[derive(Debug, Clone)]
enum ObjectKey {
    /// An ASCII key without escapes: a slice of the document.
    Plain(Range<usize>),
    /// Any other key, decoded.
    Decoded(Box<str>),
}

impl ObjectKey {
    fn read(raw: &Raw, quoted: Range<usize>) -> Self {
        let json = raw.as_str().get(quoted.clone()).unwrap_or_default();
        if json.bytes().any(|byte| byte == b'\\' || !byte.is_ascii()) {
            return Self::Decoded(decode_key(json).into());
        }
        Self::Plain(raw.inside(quoted.start + 1..quoted.end.saturating_sub(1)))
    }

    /// Returns false if the key is certainly not a spelling of this name. The length rules out most keys.
    fn may_be(&self, name: &str) -> bool {
        match self {
            Self::Plain(span) => span.len() == name.len(),
            Self::Decoded(_) => true,
        }
    }
}

/// How an agent matches the keys of tool arguments and replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "keys are either compared exactly or folded")]
pub enum Keys {
    /// Byte for byte, as most hosts do.
    Exact,
    /// Without regard to case, with the last value taking effect, as in Go's decoder.
    Folded,
}

/// The error for a watched key that is ambiguous (J6).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` occurs twice with different values, or with keys that differ only in case")]
pub struct Ambiguous(pub(crate) String);

impl Object {
    pub(super) fn split(raw: &Raw) -> Result<Self, JsonFault> {
        if !raw.checked {
            return Self::check(raw);
        }
        let raw = raw.sound('{', "not an object")?;
        let mut level = Level::of(raw.as_str());
        let mut members = Vec::with_capacity(USUAL_MEMBERS);
        while let (Some(key), Some(value)) = (level.next(), level.next()) {
            members.push(Member { key: ObjectKey::read(&raw, key), value: raw.inside(value) });
        }
        Ok(Self { raw, members })
    }

    /// Checks and splits an unchecked value in one pass.
    fn check(raw: &Raw) -> Result<Self, JsonFault> {
        let raw = Raw { checked: true, ..raw.clone() };
        // The parser would look for the place of its error, and ask the processor for its features first.
        if !raw.as_str().starts_with('{') {
            return Err(JsonFault::new("not an object"));
        }
        let mut deserializer = serde_json::Deserializer::from_str(raw.as_str());
        let members = deserializer.deserialize_map(MembersVisitor { raw: &raw })?;
        deserializer.end()?;
        Ok(Self { raw, members })
    }

    /// Returns the object itself, as it was sent.
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    /// Looks up a watched key, or returns `None` if it is absent.
    ///
    /// # Errors
    /// [`Ambiguous`] if the key is repeated with another value, or another key differs from it only in case or Unicode
    /// compatibility form: hosts disagree about which value counts.
    pub fn get(&self, key: &str) -> Result<Option<Raw>, Ambiguous> {
        self.find(key, Keys::Exact)
    }

    /// Looks up a watched key like the agent's own decoder, and otherwise like [`Object::get`].
    pub fn find(&self, key: &str, keys: Keys) -> Result<Option<Raw>, Ambiguous> {
        let mut exact: Option<&Member> = None;
        let mut twin: Option<&Member> = None;
        for member in self.members.iter().filter(|member| member.key.may_be(key)) {
            let name = self.name(&member.key);
            if name == key {
                match exact {
                    Some(before) if self.text(before) != self.text(member) => return Err(Ambiguous(key.to_owned())),
                    _ => exact = Some(member),
                }
            } else if folds_to(name, key) {
                match twin {
                    Some(before) if self.text(before) != self.text(member) => return Err(Ambiguous(key.to_owned())),
                    _ => twin = Some(member),
                }
            }
        }
        match (exact, twin, keys) {
            (Some(_), Some(_), _) => Err(Ambiguous(key.to_owned())),
            (None, Some(member), Keys::Folded) | (Some(member), None, _) => {
                Ok(Some(self.raw.slice(member.value.clone())))
            }
            (None, _, _) => Ok(None),
        }
    }

    /// Returns every value of a key, in every spelling that [`Object::get`] treats as ambiguous.
    pub fn spelled(&self, key: &str) -> impl Iterator<Item = Raw> {
        self.members().filter(move |(name, _)| *name == key || folds_to(name, key)).map(|(_, value)| value)
    }

    /// Returns the last value of a key, for documents that snaphook writes.
    pub fn last(&self, key: &str) -> Option<Raw> {
        let member = self.members.iter().rev().find(|m| self.name(&m.key) == key)?;
        Some(self.raw.slice(member.value.clone()))
    }

    /// Returns the key and value of every member, in order, including repeated keys.
    pub fn members(&self) -> impl Iterator<Item = (&str, Raw)> {
        self.members.iter().map(|m| (self.name(&m.key), self.raw.slice(m.value.clone())))
    }

    /// Returns true if the object has a key in exactly this spelling.
    pub fn has(&self, key: &str) -> bool {
        self.members.iter().any(|m| m.key.may_be(key) && self.name(&m.key) == key)
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns true if the object has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the same object with the value of one member replaced, or appended if the key is absent.
    ///
    /// `json` must be one JSON value. Every other byte stays as it was sent.
    #[must_use]
    pub fn with(&self, key: &str, json: &str) -> Raw {
        let source = self.raw.as_str();
        let base = self.raw.span.start;
        let mut out = String::with_capacity(source.len() + json.len() + key.len());
        let mut done = 0;
        for member in self.members.iter().filter(|m| self.name(&m.key) == key) {
            out.push_str(source.get(done..member.value.start - base).unwrap_or_default());
            out.push_str(json);
            done = member.value.end - base;
        }
        if done == 0 {
            let close = source.rfind('}').unwrap_or(source.len());
            out.push_str(source.get(..close).unwrap_or_default());
            if !self.members.is_empty() {
                out.push(',');
            }
            out.push_str(&super::json_string(key));
            out.push(':');
            out.push_str(json);
            done = close;
        }
        out.push_str(source.get(done..).unwrap_or_default());
        Raw::document(out)
    }

    /// Returns the spelling of a key in this object, under the agent's way of matching keys.
    pub fn spelling(&self, key: &str, keys: Keys) -> Option<&str> {
        let names = || self.members.iter().map(|m| self.name(&m.key));
        names().find(|n| *n == key).or_else(|| names().find(|n| keys == Keys::Folded && folds_to(n, key)))
    }

    fn name<'a>(&'a self, key: &'a ObjectKey) -> &'a str {
        match key {
            ObjectKey::Plain(span) => self.raw.doc.get(span.clone()).unwrap_or_default(),
            ObjectKey::Decoded(text) => text,
        }
    }

    fn text(&self, member: &Member) -> &str {
        self.raw.doc.get(member.value.clone()).unwrap_or_default()
    }
}

pub(super) fn split_array(raw: &Raw) -> Result<Vec<Raw>, JsonFault> {
    let raw = raw.sound('[', "not an array")?;
    Ok(Level::of(raw.as_str()).map(|item| raw.slice(raw.inside(item))).collect())
}

/// Returns true if two different keys differ only in case or compatibility form (`ſ`, the Kelvin sign, full-width
/// letters). Go and some databases match such names.
fn folds_to(name: &str, key: &str) -> bool {
    if name.len() == key.len() && name.is_ascii() {
        return name != key && name.eq_ignore_ascii_case(key);
    }
    if name.is_ascii() {
        return false;
    }
    name.chars().map(fold).eq(key.chars().map(fold))
}

/// Returns the letter as which a host may treat this one.
pub(super) fn fold(c: char) -> char {
    match c {
        'ſ' => 's',
        '\u{212A}' => 'k',
        '\u{FF01}'..='\u{FF5E}' => {
            char::from_u32(u32::from(c) - 0xFEE0).map_or(c, |narrow| narrow.to_ascii_lowercase())
        }
        _ => c.to_ascii_lowercase(),
    }
}

struct MembersVisitor<'a> {
    raw: &'a Raw,
}

impl<'de> Visitor<'de> for MembersVisitor<'_> {
    type Value = Vec<Member>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let text = self.raw.as_str();
        let place = |part: &RawValue| {
            let start = part.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
            start..start + part.get().len()
        };
        let mut members = Vec::with_capacity(USUAL_MEMBERS);
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            members.push(Member { key: ObjectKey::read(self.raw, place(key)), value: self.raw.inside(place(value)) });
        }
        Ok(members)
    }
}

/// The usual maximum number of members of an object.
const USUAL_MEMBERS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> Object {
        Raw::document(json).object().unwrap()
    }

    #[test]
    fn repeated_and_similar_keys_with_different_values_are_ambiguous() {
        for json in [
            r#"{"cmd":"ls","cmd":"rm"}"#,
            r#"{"cmd":"ls","CMD":"ls"}"#,
            r#"{"cmd":"ls","c\u006dd":"rm"}"#,
            r#"{"cmd":"ls","ｃmd":"rm"}"#,
        ] {
            assert!(object(json).get("cmd").is_err(), "{json}");
        }
        assert!(object(r#"{"task":1,"tas\u212a":2}"#).get("task").is_err());
        assert!(object(r#"{"sk":1,"ſk":2}"#).get("sk").is_err());
    }

    #[test]
    fn keys_repeated_with_the_same_value_and_unwatched_keys_are_accepted() {
        let twice = object(r#"{"cmd":"ls","x":1,"x":2,"cmd":"ls"}"#);
        assert_eq!(twice.get("cmd").unwrap().unwrap().as_str(), "\"ls\"");
        assert_eq!(twice.with("cmd", "\"id\"").as_str(), r#"{"cmd":"id","x":1,"x":2,"cmd":"id"}"#);
    }

    #[test]
    fn a_host_that_ignores_case_accepts_another_spelling() {
        let upper = object(r#"{"CMD":"rm"}"#);
        assert_eq!(upper.get("cmd").unwrap(), None);
        assert_eq!(upper.find("cmd", Keys::Folded).unwrap().unwrap().as_str(), "\"rm\"");
        assert_eq!(upper.spelling("cmd", Keys::Folded), Some("CMD"));
    }

    #[test]
    fn a_missing_key_is_appended() {
        assert_eq!(object("{}").with("a", "1").as_str(), r#"{"a":1}"#);
        assert_eq!(object("{ \"b\" : 2 }").with("a", "1").as_str(), "{ \"b\" : 2 ,\"a\":1}");
    }

    #[test]
    fn invalid_json_is_an_error() {
        for bad in ["", "null", "[]", "{\"a\":01}", "{\"a\":NaN}", "{\"a\":1,}", "{\"a\":1} x", "{\"a\":\"\t\"}"] {
            assert!(Raw::document(bad).object().is_err(), "{bad:?}");
        }
    }
}
