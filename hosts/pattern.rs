//! Patterns for the value at one place of a reply.

use std::fmt;

use serde::Deserialize;
use snaphook_adapters::Raw;
use snaphook_adapters::model::HookEvent;
use toml::Value;

/// A pattern for the value at one place of a reply. The head of each data file explains the notation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
#[non_exhaustive]
pub enum Pattern {
    /// `"word"`: exactly this text.
    Word(String),
    /// `true` or `false`: this truth value.
    Bool(bool),
    /// `"<text>"`: any text that is not blank.
    Text,
    /// `"<any>"`: any value but `null`.
    Present,
    /// `"<object>"`: an object.
    Object,
    /// `"<nothing>"`: no value, or `null`; for `stdout` and `stderr`: blank.
    Nothing,
    /// `"<event>"`: the name of the event.
    EventName,
    /// `"<same id>"`: the id of the request, as the same number.
    SameId,
    /// `"<misfit>"`: arguments with which the tool of the event cannot be called: a required one is missing or
    /// has another type.
    Misfit,
    /// `"<list>"`: an array that is not empty.
    List,
    /// `"<broken JSON>"`: text that begins like an object but is not a single JSON object.
    Broken,
    /// `"<plain text>"`: text that does not begin like an object.
    Plain,
    /// `{ not = … }`: any value that does not match the other pattern, or no value.
    Not(Box<Self>),
    /// `{ each = … }`: an array in which each item matches the other pattern.
    Each(Box<Self>),
    /// `{ all = […] }`: a value that matches every pattern.
    All(Vec<Self>),
    /// `[…]`: a value that matches one of the patterns.
    OneOf(Vec<Self>),
}

impl Pattern {
    /// Returns true if the pattern matches the value at a place in a reply to the event.
    pub fn describes(&self, value: Option<&Raw>, event: &HookEvent) -> bool {
        let text = || value.and_then(Raw::text).map(|text| text.value);
        match self {
            Self::Word(word) => text().is_some_and(|text| text == *word),
            Self::Bool(is) => value.and_then(Raw::bool) == Some(*is),
            Self::Text => text().is_some_and(|text| !text.trim().is_empty()),
            Self::Present => value.is_some(),
            Self::Object => value.is_some_and(|value| value.object().is_ok()),
            Self::Nothing => value.is_none(),
            Self::EventName => text().as_deref() == Some(&event.native),
            Self::SameId => value.is_some() && value == event.raw.at("/id").as_ref(),
            Self::Misfit => value
                .zip(event.call())
                .is_some_and(|(input, call)| call.with_input(event.agent, input.clone()).is_none()),
            Self::List => value.is_some_and(|value| value.array().is_ok_and(|items| !items.is_empty())),
            Self::Broken => text().is_some_and(|text| text.starts_with('{') && Raw::document(text).object().is_err()),
            Self::Plain => text().is_some_and(|text| !text.starts_with('{')),
            Self::Not(other) => !other.describes(value, event),
            Self::Each(other) => value
                .and_then(|value| value.array().ok())
                .is_some_and(|items| items.iter().all(|item| other.describes(Some(item), event))),
            Self::All(others) => others.iter().all(|other| other.describes(value, event)),
            Self::OneOf(others) => others.iter().any(|other| other.describes(value, event)),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |patterns: &[Self], by: &str| patterns.iter().map(Self::to_string).collect::<Vec<_>>().join(by);
        match self {
            Self::Word(word) => write!(f, "\"{word}\""),
            Self::Bool(is) => write!(f, "{is}"),
            Self::Text => f.write_str("<text>"),
            Self::Present => f.write_str("<any>"),
            Self::Object => f.write_str("<object>"),
            Self::Nothing => f.write_str("<nothing>"),
            Self::EventName => f.write_str("<event>"),
            Self::SameId => f.write_str("<same id>"),
            Self::Misfit => f.write_str("<misfit>"),
            Self::List => f.write_str("<list>"),
            Self::Broken => f.write_str("<broken JSON>"),
            Self::Plain => f.write_str("<plain text>"),
            Self::Not(other) => write!(f, "not {other}"),
            Self::Each(other) => write!(f, "each {other}"),
            Self::All(others) => f.write_str(&joined(others, " and ")),
            Self::OneOf(others) => f.write_str(&joined(others, " or ")),
        }
    }
}

impl TryFrom<Value> for Pattern {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let list = |items: Vec<Value>| items.into_iter().map(Self::try_from).collect::<Result<Vec<_>, _>>();
        Ok(match value {
            Value::Boolean(is) => Self::Bool(is),
            Value::Array(items) => Self::OneOf(list(items)?),
            Value::String(word) if word.starts_with('<') => match word.as_str() {
                "<text>" => Self::Text,
                "<any>" => Self::Present,
                "<object>" => Self::Object,
                "<nothing>" => Self::Nothing,
                "<event>" => Self::EventName,
                "<same id>" => Self::SameId,
                "<misfit>" => Self::Misfit,
                "<list>" => Self::List,
                "<broken JSON>" => Self::Broken,
                "<plain text>" => Self::Plain,
                _ => return Err(format!("unknown pattern `{word}`")),
            },
            Value::String(word) => Self::Word(word),
            Value::Table(table) => {
                let mut members = table.into_iter();
                match (members.next(), members.next()) {
                    (Some((key, other)), None) if key == "not" => Self::Not(Box::new(Self::try_from(other)?)),
                    (Some((key, other)), None) if key == "each" => Self::Each(Box::new(Self::try_from(other)?)),
                    (Some((key, Value::Array(items))), None) if key == "all" => Self::All(list(items)?),
                    _ => return Err("invalid pattern; expected one of `not`, `each` and `all`".to_owned()),
                }
            }
            other => {
                return Err(format!(
                    "invalid pattern of type {}; expected a text, truth value, list or table",
                    other.type_str()
                ));
            }
        })
    }
}
