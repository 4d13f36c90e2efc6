//! The form that an MCP server asks the user to fill in.

use crate::Raw;
use crate::model::HookEvent;
use crate::raw::json_string;

/// Returns the content of the event's form for a text: an object with the fields of the form, or the text of its only
/// field.
///
/// Returns `None` if the text is neither. The result of a question has no form, so any object is accepted.
pub(super) fn content(event: &HookEvent, text: &str) -> Option<Raw> {
    let schema = event.raw.at("/requested_schema");
    let fields = schema.as_ref().and_then(|schema| schema.at("/properties")?.object().ok());
    let filled = Raw::checked(text.trim()).ok().filter(|value| {
        value.object().is_ok_and(|filled| {
            let known = |key: &str| fields.as_ref().is_none_or(|fields| fields.has(key));
            filled.members().all(|(key, _)| known(key))
        })
    });
    filled.filter(|_| fields.is_some() || event.raw.at("/action").is_some()).or_else(|| {
        let fields = fields.as_ref()?;
        let mut members = fields.members();
        let (name, field) = members.next()?;
        let is_text = field.at("/type").and_then(|kind| kind.text()).is_some_and(|kind| kind.value == "string");
        (is_text && members.next().is_none())
            .then(|| Raw::document(format!("{{{}:{}}}", json_string(name), json_string(text))))
    })
}
