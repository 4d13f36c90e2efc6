//! Changes that PicoClaw would not take: it puts the old value back, or cannot decode the answer and
//! goes on as if there had been none.

use super::{NEW, rpc};
use crate::Raw;
use crate::model::{Change, Detail, HookEvent, Target};
use crate::raw::Object;

pub(super) fn call(_: &HookEvent, change: &Change) -> Option<&'static str> {
    change.value.object().is_err().then_some("the arguments of a call are an object")
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
        _ => Some("a result of this agent is an object with the text `for_llm`"),
    }
}

pub(super) fn request(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let before = rpc::params(event);
    let before = |key: &str| before.as_ref().and_then(|params| params.last(key));
    let restores = restores(event);
    let kept = || before("messages").and_then(|value| system_messages(&value)).unwrap_or_default();
    let messages = |value: &Raw| match system_messages(value) {
        None => Some("messages are an array of objects with the texts `role` and `content`"),
        Some(after) if restores && after != kept() => Some("this agent puts changed system messages back"),
        Some(_) => None,
    };
    if change.target == Target::Messages {
        return messages(&change.value);
    }
    let Ok(object) = change.value.object() else { return Some("a request is changed by an object of its members") };
    object.members().find_map(|(key, value)| match key {
        // Said here too, one change of the messages could not be told from the other.
        "messages" => Some("messages are changed as `messages`, not as a member of the request"),
        "model" => value.text().is_none().then_some("`model` is a text"),
        "options" => value.object().is_err().then_some("`options` is an object"),
        "tools" if !is_objects(&value) => Some("`tools` is an array of objects"),
        "tools" if restores && before("tools").is_none_or(|tools| tools != value) => {
            Some("this agent puts changed tools back")
        }
        "tools" => None,
        _ => Some("a request of this agent takes only model, options and tools"),
    })
}

pub(super) fn response(event: &HookEvent, change: &Change) -> Option<&'static str> {
    if matches!(event.detail, Detail::Response { calls_tools: true, .. }) || calls_tools(&change.value) {
        return Some("the names and arguments of tool calls are not in the message, and would be lost");
    }
    match change.value.object() {
        Ok(object) if texts(&object, &["content", "reasoning_content", "finish_reason", "reasoning"]) => None,
        _ => Some("a response of this agent is an object with the text `content`"),
    }
}

/// Whether the model called tools in an answer; what cannot be read counts as that.
pub(super) fn calls_tools(response: &Raw) -> bool {
    let Ok(object) = response.object() else { return !response.is_null() };
    object
        .last("tool_calls")
        .is_some_and(|calls| !calls.is_null() && calls.array().map_or(true, |calls| !calls.is_empty()))
}

/// Versions since v0.2.8 put tools and system messages back. v0.2.7 has the same messages; so have,
/// without a `context`, their side questions, which belong to no turn.
fn restores(event: &HookEvent) -> bool {
    let turn = || rpc::params(event)?.last("meta")?.object().ok()?.last("TurnID")?.text();
    event.dialect == NEW || turn().is_none_or(|turn| turn.value.is_empty())
}

/// The system messages of a conversation with their places; `None` where it is not one.
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

/// Go's decoder takes `null` for anything.
fn is(object: &Object, key: &str, what: impl Fn(Raw) -> bool) -> bool {
    object.last(key).is_none_or(|value| value.is_null() || what(value))
}

fn all_texts(value: &Raw) -> bool {
    value.array().is_ok_and(|items| items.iter().all(|item| item.text().is_some()))
}

fn is_objects(value: &Raw) -> bool {
    value.array().is_ok_and(|items| items.iter().all(|item| item.object().is_ok()))
}
