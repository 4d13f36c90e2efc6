//! Results that an agent accepts only as a text: it becomes the reason of a block in place of the output.

use crate::Raw;
use crate::model::{Change, HookEvent};

/// A blank reason invalidates the reply, and the model would receive the output.
pub fn rejects_result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    text_of(&change.value).is_none().then_some("the agent accepts a result only as a string that is not blank")
}

/// Writes a result that contains only the reason.
pub fn withheld_result(_: &HookEvent, reason: &str) -> Option<Raw> {
    Some(Raw::string(reason))
}

/// Returns the text of a result: a string itself, its text for the model, or the texts of an MCP content array.
pub fn text_of(value: &Raw) -> Option<String> {
    if let Some(text) = value.text().or_else(|| value.at("/llmContent")?.text()) {
        return Some(text.value).filter(|text| !text.trim().is_empty());
    }
    let items = value.at("/content").unwrap_or_else(|| value.clone()).array().ok()?;
    let texts: Vec<_> = items.iter().filter_map(|item| item.at("/text")?.text()).map(|text| text.value).collect();
    Some(texts.join("\n")).filter(|text| !text.trim().is_empty())
}
