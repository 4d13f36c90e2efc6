//! The account of one agent, parsed from its data file.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use snaphook_adapters::protocol::EventRow;

use crate::{AnswerPart, Effect, Mark, Pattern};

/// The effect of each reply to one agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Account {
    /// The id of the agent.
    pub agent: String,
    /// The form of its messages.
    pub speaks: Form,
    /// The date of the protocol page that the account follows.
    pub page: String,
    /// Members that the agent always sends and that the model has no field for: by row, event or `*`; name and JSON.
    pub sends: BTreeMap<String, BTreeMap<String, String>>,
    events: Vec<EventAccount>,
    rows: HashMap<String, usize>,
}

/// The form of an agent's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Form {
    /// The form that Claude Code began.
    ClaudeStyle,
    /// The two forms of Cline.
    Cline,
    /// One object with the members that the agent's [`Fields`](snaphook_adapters::protocol::Fields) name.
    Flat,
    /// The same, written by a Go program.
    FlatGo,
    /// The form of docker-agent.
    DockerAgent,
    /// The form of hygge.
    Hygge,
    /// The form of PicoClaw.
    Picoclaw,
    /// The form of the plug-ins that snaphook installs.
    Plugin,
}

/// The effects of replies to some events of the agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EventAccount {
    /// The rows, by [`EventRow::key`].
    pub rows: Vec<String>,
    /// Every member that the agent accepts, as a JSON pointer; any other member voids the reply. Empty: the agent
    /// ignores unknown members.
    #[serde(default)]
    pub accepts: Vec<String>,
    /// The effects; the first match counts.
    pub effects: Vec<EffectRule>,
    /// The parts of a reply that take effect in addition to the verdict.
    #[serde(default)]
    pub parts: Vec<PartRule>,
}

/// One form of reply, and its effect.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EffectRule {
    /// The hosts to which the rule applies; empty: all hosts of the row.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// The exit codes; absent: any.
    pub exit: Option<Exit>,
    /// Patterns for parts of the reply, by place; all must match.
    #[serde(default)]
    pub says: BTreeMap<String, Pattern>,
    /// The effect.
    pub effect: Effect,
    /// The evidence.
    pub mark: Mark,
    /// True if the agent discards the whole reply, so that no part of it takes effect.
    #[serde(default)]
    pub void: bool,
}

/// One part of a reply that takes effect in addition to the verdict.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PartRule {
    /// The hosts to which the rule applies; empty: all hosts of the row.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// The exit codes; absent: any.
    pub exit: Option<Exit>,
    /// Patterns for parts of the reply, by place; all must match.
    #[serde(default)]
    pub says: BTreeMap<String, Pattern>,
    /// The place of the part: a JSON pointer into stdout, or `stdout` or `stderr` as a whole.
    pub at: String,
    /// The meaning of the part.
    #[serde(rename = "as", deserialize_with = "part")]
    pub part: AnswerPart,
}

fn part<'de, D: serde::Deserializer<'de>>(from: D) -> Result<AnswerPart, D::Error> {
    AnswerPart::try_from(String::deserialize(from)?).map_err(serde::de::Error::custom)
}

/// The exit codes to which a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "toml::Value")]
#[expect(clippy::exhaustive_enums, reason = "one code, or every failure")]
pub enum Exit {
    /// This code.
    Is(u8),
    /// `"not 0"`: every code but 0.
    Failing,
}

impl Exit {
    pub(crate) fn holds(self, exit: u8) -> bool {
        match self {
            Self::Is(code) => exit == code,
            Self::Failing => exit != 0,
        }
    }
}

impl TryFrom<toml::Value> for Exit {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        match &value {
            toml::Value::String(word) if word == "not 0" => Ok(Self::Failing),
            value => {
                let code = value.as_integer().and_then(|code| u8::try_from(code).ok());
                code.map(Self::Is)
                    .ok_or_else(|| format!("invalid exit code `{value:?}`; expected 0 to 255 or \"not 0\""))
            }
        }
    }
}

/// A data file that cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// The text is not an account.
    #[error(transparent)]
    Text(#[from] toml::de::Error),
    /// Two `[[event]]` tables name the same row.
    #[error("the row `{0}` is described twice")]
    Twice(String),
}

impl Account {
    /// Reads an account from the text of a data file.
    ///
    /// # Errors
    /// The text is not an account, or describes a row twice.
    pub fn parse(text: &str) -> Result<Self, AccountError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct AccountFile {
            agent: String,
            speaks: Form,
            page: String,
            #[serde(default)]
            sends: BTreeMap<String, BTreeMap<String, String>>,
            event: Vec<EventAccount>,
        }
        let AccountFile { agent, speaks, page, sends, event: events } = toml::from_str(text)?;
        let mut rows = HashMap::new();
        for (place, event) in events.iter().enumerate() {
            for row in &event.rows {
                if rows.insert(row.clone(), place).is_some() {
                    return Err(AccountError::Twice(row.clone()));
                }
            }
        }
        Ok(Self { agent, speaks, page, sends, events, rows })
    }

    /// Returns the effects of replies to the event of a row, or `None` if no table describes the row.
    pub fn row(&self, row: &EventRow) -> Option<&EventAccount> {
        self.rows.get(&row.key()).and_then(|place| self.events.get(*place))
    }

    /// Returns the tables of the file, in order.
    pub fn events(&self) -> &[EventAccount] {
        &self.events
    }

    /// Returns every row that the file describes.
    pub fn rows(&self) -> impl Iterator<Item = &str> {
        self.events.iter().flat_map(|event| &event.rows).map(String::as_str)
    }
}

impl EventAccount {
    /// Returns the effects on one host.
    pub fn effects_on(&self, host: &str) -> impl Iterator<Item = &EffectRule> {
        self.effects.iter().filter(move |rule| is_for(&rule.hosts, host))
    }

    /// Returns true if the agent shows the reason of a verdict to the model or the user.
    pub fn tells_reasons(&self) -> bool {
        self.parts.iter().any(|rule| rule.part == AnswerPart::Reason)
    }
}

impl EffectRule {
    /// Describes the replies to which the rule applies, with code in backquotes. A reply to which an earlier rule
    /// applies is not among them.
    pub fn condition(&self) -> String {
        let mut parts = Vec::new();
        if !self.hosts.is_empty() {
            parts.push(format!("on {}", self.hosts.join(", ")));
        }
        parts.extend(self.exit.map(|exit| match exit {
            Exit::Is(code) => format!("exit code {code}"),
            Exit::Failing => "an exit code other than 0".to_owned(),
        }));
        parts.extend(self.says.iter().map(|(at, pattern)| format!("`{at}`: `{pattern}`")));
        if parts.is_empty() { "any other reply".to_owned() } else { parts.join(", ") }
    }
}

pub(crate) fn is_for(hosts: &[String], host: &str) -> bool {
    hosts.is_empty() || hosts.iter().any(|id| id == host)
}
