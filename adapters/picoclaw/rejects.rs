//! Changes that PicoClaw does not accept: it restores the old value, or cannot decode the reply and continues as if
//! there had been no reply.

use super::{NEW, rpc};
use crate::Raw;
use crate::model::{Change, Detail, HookEvent, Target};
use crate::raw::Object;

pub(super) fn call(_: &HookEvent, change: &Change) -> Option<&'static str> {
    change.value.object().is_err().then_some("the agent expects an object as the arguments")
}

pub(super) fn result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let fits = |object: &Object| {
        texts(object, &["for_llm", "for_user"])
            && ["silent", "is_error", "async", "response_handled"]
                .iter()
                .all(|key| is(object, key, |v| v.bool().is_some()))
            && ["media", "artifact_tags"].iter().all(|key| is(object, key, |value| all_texts(&value)))
    };
    match change.value.object() {
        Ok(object) if object.has("for_llm") && fits(&object) => None,
        _ => Some("the agent expects a result with the string `for_llm`"),
    }
}

pub(super) fn request(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let before = rpc::params(event);
    let before = |key: &str| before.as_ref().and_then(|params| params.last(key));
    let restores = restores(event);
    let kept = || before("messages").and_then(|value| system_messages(&value)).unwrap_or_default();
    let messages = |value: &Raw| match system_messages(value) {
        None => Some("the agent expects an array of messages with the strings `role` and `content`"),
        Some(after) if restores && after != kept() => Some("the agent restores changed system messages"),
        Some(_) => None,
    };
    if change.target == Target::Messages {
        return messages(&change.value);
    }
    let Ok(object) = change.value.object() else {
        return Some("a change of the request must be an object of its members");
    };
    object.members().find_map(|(key, value)| match key {
        // Otherwise the same change of the messages would have two forms.
        "messages" => Some("messages can be changed only with the target `messages`"),
        "model" => value.text().is_none().then_some("`model` must be a string"),
        "options" => value.object().is_err().then_some("`options` must be an object"),
        "tools" if !is_objects(&value) => Some("`tools` must be an array of objects"),
        "tools" if restores && before("tools").is_none_or(|tools| tools != value) => {
            Some("the agent restores changed tools")
        }
        "tools" => None,
        _ => Some("the agent accepts only model, options and tools in a request"),
    })
}

pub(super) fn response(event: &HookEvent, change: &Change) -> Option<&'static str> {
    if matches!(event.detail, Detail::Response { calls_tools: true, .. }) || calls_tools(&change.value) {
        return Some("the message does not contain the names and arguments of tool calls, which would be lost");
    }
    match change.value.object() {
        Ok(object) if texts(&object, &["content", "reasoning_content", "finish_reason", "reasoning"]) => None,
        _ => Some("the agent expects a response with the string `content`"),
    }
}

/// Returns true if the model called tools in an answer, or if the answer is invalid.
pub(super) fn calls_tools(response: &Raw) -> bool {
    let Ok(object) = response.object() else { return !response.is_null() };
    object
        .last("tool_calls")
        .is_some_and(|calls| !calls.is_null() && calls.array().map_or(true, |calls| !calls.is_empty()))
}

/// Versions since v0.2.8 restore tools and system messages. Messages of v0.2.7 are the same, and so are those of its
/// side questions, which have no `context` and belong to no turn.
fn restores(event: &HookEvent) -> bool {
    let turn = || rpc::params(event)?.last("meta")?.object().ok()?.last("TurnID")?.text();
    event.dialect == Some(NEW) || turn().is_none_or(|turn| turn.value.is_empty())
}

/// Returns the system messages of a conversation with their positions, or `None` if the value is not a conversation.
fn system_messages(value: &Raw) -> Option<Vec<(usize, Raw)>> {
    let mut system = Vec::new();
    for (place, message) in value.array().ok()?.into_iter().enumerate() {
        let object = message.object().ok()?;
        let role = object.last("role")?.text()?;
        if !texts(&object, &["content", "reasoning_content", "tool_call_id", "model_name"]) {
            return None;
        }
        if role.value == "system" {
            system.push((place, message));
        }
    }
    Some(system)
}

fn texts(object: &Object, keys: &[&str]) -> bool {
    keys.iter().all(|key| is(object, key, |value| value.text().is_some()))
}

/// Go's decoder accepts `null` for every type.
fn is(object: &Object, key: &str, what: impl Fn(Raw) -> bool) -> bool {
    object.last(key).is_none_or(|value| value.is_null() || what(value))
}

fn all_texts(value: &Raw) -> bool {
    value.array().is_ok_and(|items| items.iter().all(|item| item.text().is_some()))
}

fn is_objects(value: &Raw) -> bool {
    value.array().is_ok_and(|items| items.iter().all(|item| item.object().is_ok()))
}
