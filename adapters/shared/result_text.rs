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

/// Returns the text of a result: a string, or the texts of a list of content parts; the result itself, its text for the
/// model, or its content.
pub fn text_of(value: &Raw) -> Option<String> {
    let value = ["/llmContent", "/content"].iter().find_map(|at| value.at(at)).unwrap_or_else(|| value.clone());
    let text = if let Some(text) = value.text() {
        text.value
    } else {
        let items = value.array().ok()?;
        let texts: Vec<_> = items.iter().filter_map(|item| item.at("/text")?.text()).map(|text| text.value).collect();
        texts.join("\n")
    };
    Some(text).filter(|text| !text.trim().is_empty())
}
