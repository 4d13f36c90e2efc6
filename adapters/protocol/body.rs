//! A message, looked into field by field, with errors that name agent, event and field.

use std::sync::Arc;

use super::tool::{Nulls, SlotFault, read};
use super::{Agent, EventRow, Native, ParseError, Problem};
use crate::Raw;
use crate::model::{Detail, HookEvent, ToolCall, ToolResult};
use crate::raw::Object;

/// Looks into one message of an agent.
///
/// Required fields are faults where they are missing or of another type (J7); nothing turns into an
/// empty text by itself.
#[derive(Debug)]
pub struct Body {
    agent: &'static Agent,
    object: Arc<Object>,
    event: String,
    nulls: Nulls,
    lossy: bool,
}

impl Body {
    /// Splits the message and reads the event's name from a top-level key.
    ///
    /// # Errors
    /// Not an object, no event name, or clearly another agent's message.
    pub fn new(agent: &'static Agent, native: &Native, event_key: &str) -> Result<Self, ParseError> {
        let object = native.object().map_err(|fault| ParseError::NotJson { agent: agent.id, fault })?;
        let mut body = Self { agent, object, event: String::new(), nulls: Nulls::Decoded, lossy: false };
        body.refuse_strangers("")?;
        let event = body.text(event_key)?;
        body.refuse_strangers(&event)?;
        body.event = event;
        Ok(body)
    }

    /// Looks into a part of a message whose event is already known.
    ///
    /// # Errors
    /// The part is not an object.
    pub fn part(agent: &'static Agent, raw: &Raw, event: &str) -> Result<Self, ParseError> {
        let object = raw.object().map_err(|fault| ParseError::NotJson { agent: agent.id, fault })?;
        Ok(Self { agent, object: Arc::new(object), event: event.to_owned(), nulls: Nulls::Decoded, lossy: false })
    }

    /// The event's name as sent.
    pub fn event(&self) -> &str {
        &self.event
    }

    /// The members of the message.
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// Says that a call in the message has run, so that nothing is to be refused for its arguments.
    #[must_use]
    pub fn has_run(mut self) -> Self {
        self.nulls = Nulls::Absent;
        self
    }

    /// Whether a key is there and not `null`.
    pub fn has(&self, key: &str) -> bool {
        self.object.last(key).is_some_and(|value| !value.is_null())
    }

    /// The row of this message's event; where the table does not know it, one of the two rows for
    /// unknown events, by whether there is a tool call in it (`tool_key`).
    pub fn row(&self, native: &Native, dialect: &str, case: &str, tool_key: &str) -> &'static EventRow {
        let stray = if self.has(tool_key) { self.agent.stray_call } else { self.agent.stray };
        self.agent.row(&self.event, dialect, native.line.role, case).unwrap_or(stray)
    }

    /// A required text.
    pub fn text(&mut self, key: &str) -> Result<String, ParseError> {
        self.maybe(key)?.ok_or_else(|| self.fault(key, Problem::Missing))
    }

    /// A text that may be absent; `null` counts as absent.
    pub fn maybe(&mut self, key: &str) -> Result<Option<String>, ParseError> {
        let Some(value) = self.raw(key)? else { return Ok(None) };
        let text = value.text().ok_or_else(|| self.fault(key, Problem::NotA("a text")))?;
        if text.value.contains('\0') {
            return Err(self.fault(key, Problem::Nul));
        }
        self.lossy |= text.lossy;
        Ok(Some(text.value))
    }

    /// A text that may hold anything, NUL included: prompts and results rather than names and paths.
    pub fn prose(&mut self, key: &str) -> Result<Option<String>, ParseError> {
        let Some(value) = self.raw(key)? else { return Ok(None) };
        let text = value.text().ok_or_else(|| self.fault(key, Problem::NotA("a text")))?;
        Ok(Some(text.value))
    }

    /// A value that may be absent; `null` counts as absent.
    pub fn raw(&self, key: &str) -> Result<Option<Raw>, ParseError> {
        let found = self.object.get(key).map_err(|e| self.fault(key, e.into()))?;
        Ok(found.filter(|value| !value.is_null()))
    }

    /// A required value.
    pub fn required(&self, key: &str) -> Result<Raw, ParseError> {
        self.raw(key)?.ok_or_else(|| self.fault(key, Problem::Missing))
    }

    /// A required object, looked into.
    pub fn inner(&self, key: &str) -> Result<Self, ParseError> {
        let value = self.required(key)?;
        let object = value.object().map_err(|_| self.fault(key, Problem::NotA("an object")))?;
        Ok(Self {
            agent: self.agent,
            object: Arc::new(object),
            event: self.event.clone(),
            nulls: self.nulls,
            lossy: false,
        })
    }

    /// A truth value that may be absent.
    pub fn bool(&self, key: &str) -> Result<Option<bool>, ParseError> {
        let Some(value) = self.raw(key)? else { return Ok(None) };
        value.bool().map(Some).ok_or_else(|| self.fault(key, Problem::NotA("true or false")))
    }

    /// A tool call; both name and arguments are required.
    pub fn tool_call(&mut self, name_key: &str, input_key: &str) -> Result<ToolCall, ParseError> {
        let input = self.required(input_key)?;
        self.call_with(name_key, input_key, input)
    }

    /// A tool call of an agent that leaves out empty arguments.
    pub fn tool_call_or_empty(&mut self, name_key: &str, input_key: &str) -> Result<ToolCall, ParseError> {
        let input = self.raw(input_key)?.unwrap_or_else(|| Raw::document("{}"));
        self.call_with(name_key, input_key, input)
    }

    /// The result of a call whose text part the call's row names.
    pub fn tool_result(&self, call: &ToolCall, key: &str) -> Result<ToolResult, ParseError> {
        let raw = self.required(key)?;
        let part = match call.row.and_then(|row| row.result_text) {
            Some(pointer) => raw.at(pointer),
            None => Some(raw.clone()),
        };
        Ok(ToolResult::new(raw).text(part))
    }

    /// The error for a field of this message.
    pub fn fault(&self, field: &str, problem: Problem) -> ParseError {
        let event = if self.event.is_empty() { String::new() } else { format!("{}: ", self.event) };
        ParseError::Field { agent: self.agent.id, event, field: field.to_owned(), problem }
    }

    /// Finishes the event: row, dialect and detail, with the message it came from.
    pub fn event_of(
        &self,
        native: &Native,
        row: &'static EventRow,
        dialect: &'static str,
        detail: Detail,
    ) -> HookEvent {
        let mut event = HookEvent::new(self.agent, row, native.body.clone());
        event.dialect = dialect;
        event.native.clone_from(&self.event);
        event.detail = detail;
        event.lossy = self.lossy;
        event
    }

    fn call_with(&mut self, name_key: &str, input_key: &str, input: Raw) -> Result<ToolCall, ParseError> {
        let name = self.text(name_key)?;
        if name.is_empty() {
            return Err(self.fault(name_key, Problem::Missing));
        }
        let fault = |SlotFault { key, problem }| match (key.is_empty(), problem) {
            (true, _) => self.fault(input_key, Problem::NotA("an object")),
            (false, problem) => self.fault(&format!("{input_key}.{key}"), problem),
        };
        let mut lossy = self.lossy;
        let call = read(self.agent, name, input, self.nulls, &mut lossy).map_err(fault)?;
        self.lossy = lossy;
        Ok(call)
    }

    fn refuse_strangers(&self, event: &str) -> Result<(), ParseError> {
        let strange = self.agent.strangers.iter().find(|mark| {
            let here = if event.is_empty() { mark.events.is_empty() } else { mark.events.contains(&event) };
            here && mark.agent != self.agent.id && self.object.has(mark.key)
        });
        match strange {
            Some(mark) => Err(ParseError::Stranger { agent: self.agent.id, other: mark.agent, field: mark.key }),
            None => Ok(()),
        }
    }
}
