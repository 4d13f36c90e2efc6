//! JSON-RPC 2.0 lines: ids, replies, and the replies to invalid lines.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json::JsonBuilder;
use crate::Raw;
use crate::fit::{Limits, one_paragraph};
use crate::model::{HookEvent, Reply};
use crate::protocol::{HookProtocol, Native, Problem};
use crate::raw::Object;

/// Returns the id of a call, or `None` for a notification, which has no reply.
///
/// The host drops a reply whose id is not the same number, so only an unsigned number is valid.
pub(crate) fn id(message: &Object) -> Result<Option<Raw>, Problem> {
    match message.get("id")? {
        None => Ok(None),
        Some(id) if matches!(id.as_str(), "0" | "null") => Ok(None),
        Some(id) if is_id(id.as_str()) => Ok(Some(id)),
        Some(_) => Err(Problem::NotA("an unsigned number")),
    }
}

/// Returns the parameters of a parsed message.
pub(crate) fn params(event: &HookEvent) -> Option<Object> {
    event.payload.as_ref()?.object().ok()
}

/// Replies to the call of the event.
pub(crate) fn answer(event: &HookEvent, members: JsonBuilder) -> Reply {
    let id = event.reply_to.as_ref().map(|id| id.as_str().to_owned());
    let id = id.or_else(|| LineHead::read(&event.raw, Until::Id).id);
    line(id.as_deref(), "result", &members.finish())
}

/// Returns a reply line; empty if the message has no id.
pub(crate) fn result(id: Option<&Raw>, result: &str) -> Reply {
    line(id.map(Raw::as_str), "result", result)
}

/// Replies to a line whose event could not be parsed.
///
/// The host writes the id and the method first, so they can often be read from a line that is invalid further on. Such
/// a call is refused in the form of its method. Without a method the reply is `blocks`, the members that block in the
/// form of every gate, because an error object lets a tool run.
pub(crate) fn emergency(
    protocol: &dyn HookProtocol,
    native: &Native,
    reason: &str,
    blocks: fn(&str) -> JsonBuilder,
) -> Reply {
    let head = LineHead::read(&native.body, Until::End);
    let Some(id) = head.id else { return Reply::silent() };
    let reason = one_paragraph(reason, Limits::default().reason);
    match head.method {
        Some(method) if protocol.agent().events.iter().any(|row| row.native == method) => {
            let stub = JsonBuilder::new().json("id", &id).text("method", &method).finish();
            protocol.refuse(&Native::new(stub), &reason)
        }
        Some(_) => {
            let error = JsonBuilder::new().json("code", "-32601").text("message", &reason);
            line(Some(&id), "error", &error.finish())
        }
        None => line(Some(&id), "result", &blocks(&reason).finish()),
    }
}

fn line(id: Option<&str>, key: &str, json: &str) -> Reply {
    let Some(id) = id else { return Reply::silent() };
    Reply::document(JsonBuilder::new().text("jsonrpc", "2.0").json("id", id).json(key, json).finish())
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The start of a line, which may be incomplete.
#[derive(Debug)]
struct LineHead {
    until: Until,
    id: Option<String>,
    method: Option<String>,
}

/// The part of a line that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// To the id, which the host writes first, so that a reply needs no second pass over a long message.
    Id,
    /// To the end, or to the first error.
    End,
}

impl LineHead {
    fn read(line: &Raw, until: Until) -> Self {
        let mut head = Self { until, id: None, method: None };
        let _stopped_before_the_end = serde_json::Deserializer::from_str(line.as_str()).deserialize_map(&mut head);
        head
    }
}

impl<'de> Visitor<'de> for &mut LineHead {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<&RawValue>()? {
            match key.get() {
                "\"id\"" => {
                    let id = map.next_value::<&RawValue>()?.get();
                    self.id = Some(id.to_owned()).filter(|id| is_id(id) && id != "0");
                    if self.until == Until::Id {
                        return Ok(());
                    }
                }
                "\"method\"" => {
                    let method = Raw::document(map.next_value::<&RawValue>()?.get()).text().map(|m| m.value);
                    // A name with a NUL character is an error, not an unknown method.
                    self.method = method.filter(|method| !method.contains('\0'));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}
