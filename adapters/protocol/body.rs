//! Reads the fields of a message. Errors name the agent, the event and the field.

use std::sync::Arc;

use super::arguments::{Nulls, SlotFault, read};
use super::{Agent, Dialect, EventRow, Fields, Native, ParseError, Problem, Role};
use crate::Raw;
use crate::model::{Detail, EventKind, HookEvent, ToolCall, ToolResult};
use crate::raw::Object;
use crate::shared::json::JsonBuilder;

/// A message of an agent, of which fields are read one by one.
///
/// A required field that is missing or has the wrong type is an error (J7); no field defaults to an empty string.
#[derive(Debug)]
pub struct Body {
    agent: &'static Agent,
    raw: Raw,
    object: Arc<Object>,
    event: String,
    role: Role,
    fields: &'static Fields,
    dialect: Option<&'static str>,
    case: Option<&'static str>,
    row: &'static EventRow,
    lossy: bool,
}

impl Body {
    /// Parses the message, reads the name of its event, and selects the row of the event.
    ///
    /// # Errors
    /// The message is not an object, has no event name, or belongs to another agent.
    pub fn new(agent: &'static Agent, native: &Native) -> Result<Self, ParseError> {
        let object = native.object().map_err(|fault| ParseError::NotJson { agent: agent.id, fault })?;
        let is_in = |dialect: &&Dialect| dialect.event_key.is_none_or(|key| object.has(key));
        let dialect = agent.dialects.iter().find(is_in);
        let mut body = Self {
            agent,
            raw: native.body.clone(),
            object,
            event: String::new(),
            role: native.line.role,
            fields: dialect.map_or(&agent.fields, |dialect| &dialect.fields),
            dialect: dialect.map(|dialect| dialect.name),
            case: None,
            row: agent.unknown,
            lossy: false,
        };
        body.check_sender("")?;
        let event = match dialect.map(|dialect| dialect.event_key) {
            None => body.text(agent.event_key())?,
            Some(Some(key)) => body.text(key)?,
            Some(None) => {
                let event = native.line.event.clone().ok_or_else(|| body.fault("--event", Problem::Missing))?;
                if let Some(key) = body.missing_event_key(&event) {
                    return Err(body.fault(key, Problem::Missing));
                }
                event
            }
        };
        body.check_sender(&event)?;
        body.event = event;
        body.select();
        Ok(body)
    }

    /// Returns the key that would name this event, if it belongs only to dialects whose messages name their event.
    fn missing_event_key(&self, event: &str) -> Option<&'static str> {
        let rows = || self.agent.events.iter().filter(|row| row.native == event);
        let is_here = |row: &EventRow| {
            let dialects = row.selector.dialects;
            dialects.is_empty() || self.dialect.is_some_and(|dialect| dialects.contains(&dialect))
        };
        if rows().any(is_here) {
            return None;
        }
        let mut others = rows().flat_map(|row| row.selector.dialects);
        others.find_map(|name| self.agent.dialects.iter().find(|dialect| dialect.name == *name)?.event_key)
    }

    /// Selects the row of a dialect.
    #[must_use]
    pub fn dialect(mut self, dialect: &'static str) -> Self {
        self.dialect = Some(dialect);
        self.fields = self.agent.fields_of(self.dialect);
        self.select();
        self
    }

    /// Selects the row of a special case of the event.
    #[must_use]
    pub fn case(mut self, case: &'static str) -> Self {
        self.case = Some(case);
        self.select();
        self
    }

    /// Returns the row of the event. For an event that the table does not list, it is one of the two rows for unknown
    /// events, depending on whether the message contains a tool call: a tool, or arguments of one.
    pub fn row(&self) -> &'static EventRow {
        self.row
    }

    /// Returns the kind of the event.
    pub fn kind(&self) -> EventKind {
        self.row.kind
    }

    fn select(&mut self) {
        let lacks =
            |row: &&EventRow| row.native == self.event && row.selector.without.is_some_and(|member| !self.has(member));
        let case = self.case.or_else(|| self.agent.events.iter().find(lacks)?.selector.case);
        let row = self.agent.row(&self.event, self.dialect, self.role, case);
        let Fields { tool, input, call_within, .. } = *self.fields;
        let has_call = || call_within.map_or(self.has(tool) || self.has(input), |object| self.has(object));
        let unknown = || if has_call() { self.agent.unknown_call } else { self.agent.unknown };
        self.row = row.unwrap_or_else(unknown);
    }

    /// Returns the name of the event as sent.
    pub fn name(&self) -> &str {
        &self.event
    }

    /// Returns the members of the message.
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// Returns true if the key is present and its value is not `null`.
    pub fn has(&self, key: &str) -> bool {
        self.object.last(key).is_some_and(|value| !value.is_null())
    }

    /// Returns a required string.
    pub fn text(&mut self, key: &str) -> Result<String, ParseError> {
        self.maybe(key)?.ok_or_else(|| self.fault(key, Problem::Missing))
    }

    /// Returns an optional string; `null` counts as absent.
    pub fn maybe(&mut self, key: &str) -> Result<Option<String>, ParseError> {
        let Some(value) = self.raw(key)? else { return Ok(None) };
        let text = value.text().ok_or_else(|| self.fault(key, Problem::NotA("a string")))?;
        if text.value.contains('\0') {
            return Err(self.fault(key, Problem::Nul));
        }
        self.lossy |= text.lossy;
        Ok(Some(text.value))
    }

    /// Returns an optional string that may contain NUL characters, such as a prompt or a result.
    pub fn prose(&self, key: &str) -> Result<Option<String>, ParseError> {
        let Some(value) = self.raw(key)? else { return Ok(None) };
        let text = value.text().ok_or_else(|| self.fault(key, Problem::NotA("a string")))?;
        Ok(Some(text.value))
    }

    /// Returns an optional value; `null` counts as absent.
    pub fn raw(&self, key: &str) -> Result<Option<Raw>, ParseError> {
        let found = self.object.get(key).map_err(|e| self.fault(key, e.into()))?;
        Ok(found.filter(|value| !value.is_null()))
    }

    /// Returns a required value.
    pub fn required(&self, key: &str) -> Result<Raw, ParseError> {
        self.raw(key)?.ok_or_else(|| self.fault(key, Problem::Missing))
    }

    /// Returns a required object inside the message, to read its fields.
    ///
    /// # Errors
    /// The object is missing or has the wrong type.
    pub fn part(&self, key: &str) -> Result<Self, ParseError> {
        let value = self.required(key)?;
        let object = value.object().map_err(|_| self.fault(key, Problem::NotA("an object")))?;
        Ok(Self { object: Arc::new(object), raw: self.raw.clone(), event: self.event.clone(), ..*self })
    }

    /// Returns an optional boolean.
    pub fn bool(&self, key: &str) -> Result<Option<bool>, ParseError> {
        let Some(value) = self.raw(key)? else { return Ok(None) };
        value.bool().map(Some).ok_or_else(|| self.fault(key, Problem::NotA("a boolean")))
    }

    /// Returns the object that contains the prompt and the result, if it is not the message itself.
    fn within(&self) -> Result<Option<Self>, ParseError> {
        self.fields.within.map(|object| self.part(object)).transpose()
    }

    /// Returns a tool call whose members have other names than those of the agent's table.
    ///
    /// # Errors
    /// A member is missing or has the wrong type.
    pub fn call_in(&mut self, fields: &'static Fields) -> Result<ToolCall, ParseError> {
        self.fields = fields;
        self.call()
    }

    /// Returns the tool call of the message, with its id. The arguments may be absent if the agent omits empty ones.
    pub fn call(&mut self) -> Result<ToolCall, ParseError> {
        let Fields { tool, input: input_key, call_id, omits_empty_input, input_may_be_text, .. } = *self.fields;
        let flat = self.row.selector.tool.filter(|of| of.is_flat);
        let input = match flat.map_or_else(|| self.raw(input_key), |of| Ok(Some(self.arguments(of.name))))? {
            None if omits_empty_input => Raw::document("{}"),
            None => return Err(self.fault(input_key, Problem::Missing)),
            Some(input) => {
                let text = input.text().filter(|_| input_may_be_text);
                self.lossy |= text.as_ref().is_some_and(|text| text.lossy);
                let object = text.and_then(|text| Raw::document(text.value).object().ok());
                object.map_or(input, |object| object.raw().clone())
            }
        };
        let name = match self.row.selector.tool {
            Some(of) => of.name.to_owned(),
            None => self.text(tool)?,
        };
        if name.is_empty() {
            return Err(self.fault(tool, Problem::Missing));
        }
        let fault = |SlotFault { key, problem }| match (key.is_empty(), problem) {
            (true, _) => self.fault(input_key, Problem::NotA("an object")),
            (false, problem) if flat.is_some() => self.fault(&key, problem),
            (false, problem) => self.fault(&format!("{input_key}.{key}"), problem),
        };
        let nulls = if self.row.gates() { Nulls::Decoded } else { Nulls::Absent };
        let mut lossy = self.lossy;
        let call = read(self.agent, name, input, nulls, &mut lossy).map_err(fault)?;
        self.lossy = lossy;
        let id = call_id.map(|key| self.maybe(key)).transpose()?.flatten();
        Ok(ToolCall { id, ..call })
    }

    /// Returns the tool call of the message, from the object that contains it.
    fn contained_call(&mut self) -> Result<ToolCall, ParseError> {
        let Some(object) = self.fields.call_within else { return self.call() };
        let mut part = self.part(object)?;
        let call = part.call()?;
        self.lossy |= part.lossy;
        Ok(call)
    }

    /// Returns the members of the message that are arguments of a tool. Ambiguous ones stay ambiguous.
    fn arguments(&self, tool: &str) -> Raw {
        let row = self.agent.tools.iter().find(|row| row.native == tool);
        let arguments = self.object.members().filter(|(key, _)| row.is_some_and(|row| row.has_argument(key)));
        Raw::document(arguments.fold(JsonBuilder::new(), |members, (key, value)| members.raw(key, &value)).finish())
    }

    /// Reads the part of the message that depends on the kind of the event, by the names in [`Fields`].
    ///
    /// # Errors
    /// A field is missing or has the wrong type.
    pub fn detail(&mut self) -> Result<Detail, ParseError> {
        Ok(match self.kind() {
            EventKind::PreTool | EventKind::Permission => Detail::Tool(self.contained_call()?),
            EventKind::PostTool => match self.row.error {
                Some(key) => self.failed(key)?,
                None => self.done(self.fields.result)?,
            },
            EventKind::Prompt => Detail::Prompt { text: self.prompt()? },
            EventKind::TurnEnd | EventKind::SubagentEnd => Detail::TurnEnd { again: self.again()? },
            _ => Detail::Other,
        })
    }

    /// Reads a tool call and its result.
    ///
    /// # Errors
    /// Those of [`call`](Self::call) and [`result`](Self::result).
    pub fn done(&mut self, key: &str) -> Result<Detail, ParseError> {
        let call = self.contained_call()?;
        let result = self.within()?.as_ref().unwrap_or(self).result(&call, key)?;
        Ok(Detail::ToolDone { call, result })
    }

    /// Reads a tool call that failed, and its error, which is the text of the result.
    fn failed(&mut self, key: &str) -> Result<Detail, ParseError> {
        let call = self.contained_call()?;
        let error = self.required(key)?;
        let result = ToolResult::new(error.clone()).text(Some(error)).is_error(Some(true));
        Ok(Detail::ToolDone { call, result })
    }

    /// Returns the result of a call. If neither [`Fields`] nor the tool's row names the text of the result, the text is
    /// the first one of an MCP content array; such a result may be `null`.
    ///
    /// # Errors
    /// The result is missing or has the wrong type.
    pub fn result(&self, call: &ToolCall, key: &str) -> Result<ToolResult, ParseError> {
        if let Some((text, is_error)) = self.fields.result_members {
            let part = self.part(key)?;
            let result = ToolResult::new(part.object().raw().clone());
            return Ok(result.text(part.raw(text)?).is_error(part.bool(is_error)?));
        }
        let result = match self.raw(key)? {
            None if self.object().has(key) => ToolResult::new(Raw::document("null")),
            None => return Err(self.fault(key, Problem::Missing)),
            Some(_) => self.tool_result(call, key)?,
        };
        let content = || ["/0/text", "/content/0/text"].iter().find_map(|at| result.raw.at(at));
        let text = result.text.clone().or_else(content);
        Ok(result.text(text))
    }

    /// Returns the prompt, which is empty if its absence is the case of the row.
    fn prompt(&self) -> Result<String, ParseError> {
        let Fields { prompt: key, prompt_parts, .. } = *self.fields;
        if prompt_parts {
            let wrong = |_| self.fault(key, Problem::NotA("a list of content parts"));
            let mut texts = Vec::new();
            for part in self.required(key)?.array().map_err(wrong)? {
                let text = part.object().map_err(wrong)?.get("text").map_err(|e| self.fault(key, e.into()))?;
                let text =
                    text.map(|text| text.text().ok_or_else(|| self.fault(key, Problem::NotA("a text")))).transpose()?;
                texts.extend(text.map(|text| text.value));
            }
            return Ok(texts.join("\n"));
        }
        match self.within()?.as_ref().unwrap_or(self).prose(key)? {
            Some(text) => Ok(text),
            None if self.row.selector.without == Some(key) => Ok(String::new()),
            None => Err(self.fault(key, Problem::Missing)),
        }
    }

    /// Returns the required flag at the end of a turn; false if the agent has no such flag.
    fn again(&self) -> Result<bool, ParseError> {
        match self.fields.again {
            Some(key) => match self.bool(key)? {
                None if !self.fields.omits_again => Err(self.fault(key, Problem::Missing)),
                again => Ok(again.unwrap_or_default()),
            },
            None => Ok(false),
        }
    }

    /// Returns the result of a call. The row of the tool determines the text part.
    pub fn tool_result(&self, call: &ToolCall, key: &str) -> Result<ToolResult, ParseError> {
        let raw = self.required(key)?;
        let part = match (call.row.and_then(|row| row.result_text), self.fields.result_text) {
            (Some(pointer), _) => raw.at(pointer),
            (None, Some(pointer)) => raw.at(pointer).map(|part| part.at("/0/text").unwrap_or(part)),
            (None, None) => Some(raw.clone()),
        };
        Ok(ToolResult::new(raw).text(part))
    }

    /// Returns the error for a field of this message.
    pub fn fault(&self, field: &str, problem: Problem) -> ParseError {
        let event = if self.event.is_empty() { String::new() } else { format!("{}: ", self.event) };
        ParseError::Field { agent: self.agent.id, event, field: field.to_owned(), problem }
    }

    /// Selects the row of a listed event for an unknown event, so that the reply has the form of the listed one.
    #[must_use]
    pub fn answered_as(mut self, native: &str) -> Self {
        self.row = self.agent.row(native, self.dialect, self.role, self.case).unwrap_or(self.row);
        self
    }

    /// Completes the event with the fields that every message has: session, working directory and mode. An empty string
    /// counts as absent.
    ///
    /// # Errors
    /// One of these fields is ambiguous or not a string.
    pub fn event(mut self, detail: Detail) -> Result<HookEvent, ParseError> {
        let Fields { session, cwd, mode, .. } = *self.fields;
        let mut filled = |key: Option<&str>| {
            let text = key.map(|key| self.maybe(key)).transpose()?.flatten();
            Ok(text.filter(|text| !text.is_empty()))
        };
        let (session, cwd, mode) = (filled(session)?, filled(cwd)?, filled(mode)?);
        let cwd = match cwd {
            None => self.root()?,
            cwd => cwd,
        };
        let mut event = HookEvent::new(self.agent, self.row, self.raw);
        event.dialect = self.dialect;
        event.native = self.event;
        event.detail = detail;
        event.lossy = self.lossy;
        (event.session, event.cwd, event.mode) = (session, cwd, mode);
        Ok(event)
    }

    /// Returns the first of the folders of a session.
    fn root(&mut self) -> Result<Option<String>, ParseError> {
        let Some(key) = self.fields.roots else { return Ok(None) };
        let Some(roots) = self.raw(key)? else { return Ok(None) };
        let fault = || self.fault(key, Problem::NotA("an array of strings"));
        let Some(first) = roots.array().map_err(|_| fault())?.into_iter().next() else { return Ok(None) };
        let text = first.text().ok_or_else(fault)?;
        if text.value.contains('\0') {
            return Err(self.fault(key, Problem::Nul));
        }
        self.lossy |= text.lossy;
        Ok(Some(text.value).filter(|text| !text.is_empty()))
    }

    fn check_sender(&self, event: &str) -> Result<(), ParseError> {
        let foreign = self.agent.foreign_fields.iter().find(|mark| {
            let here = if event.is_empty() { mark.events.is_empty() } else { mark.events.contains(&event) };
            // Nearly all messages have none of the fields.
            here && self.object.has(mark.key)
                && mark.without.is_none_or(|key| !self.object.has(key))
                && !mark.is_sent_by(self.agent.id)
        });
        match foreign {
            Some(mark) => Err(ParseError::ForeignSender { agent: self.agent.id, other: mark.agent, field: mark.key }),
            None => Ok(()),
        }
    }
}
