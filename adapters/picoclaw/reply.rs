//! Writes the replies, in the form of each method, and lists the changes that PicoClaw does not accept.

use super::{MAX_REPLY, NEW};
use crate::Raw;
use crate::fit::Fitted;
use crate::model::{Change, Detail, HookEvent, Reply, Response, Target, Verdict};
use crate::raw::{Object, json_string};
use crate::shared::json::JsonBuilder;
use crate::shared::json_rpc::{answer, params};

pub(super) const HELLO: &str = r#"{"ok":true,"name":"snaphook"}"#;

pub(super) fn hello(event: &HookEvent, _: &Fitted) -> Reply {
    answer(event, JsonBuilder::new().bool("ok", true).text("name", "snaphook"))
}

/// Replies without an opinion. A notification has no id, so its reply is empty.
pub(super) fn observed(event: &HookEvent, _: &Fitted) -> Reply {
    answer(event, action("continue"))
}

pub(super) fn before_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let members = match fitted.verdict() {
        Verdict::Respond(response) => action("respond").json("result", &respond(response).finish()),
        verdict => blocked(verdict).unwrap_or_else(|| match fitted.change(Target::Input) {
            Some(arguments) => {
                let tool = fitted.tool().map(Raw::string);
                let tool = tool.iter().map(|tool| ("tool", tool));
                changed(event, "call", &tool.chain([("arguments", arguments)]).collect::<Vec<_>>())
            }
            None => action("continue"),
        }),
    };
    answer(event, members)
}

/// An empty reply is a denial here, so an approval is always explicit.
pub(super) fn approve_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let blocks = fitted.verdict().kind().blocks();
    let members = JsonBuilder::new().bool("approved", !blocks);
    answer(event, if blocks { members.text("reason", fitted.verdict().reason()) } else { members })
}

pub(super) fn after_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let Some(result) = fitted.change(Target::Result).filter(|_| !fitted.verdict().kind().blocks()) else {
        return answer(event, blocked(fitted.verdict()).unwrap_or_else(|| action("continue")));
    };
    let whole = answer(event, changed(event, "result", &[("result", result)]));
    if whole.stdout.len() < MAX_REPLY {
        return whole;
    }
    // The host needs only the tool and the result, so the arguments are omitted.
    let name = event.call().map(|call| call.name.as_str());
    let short = JsonBuilder::new().maybe("tool", name).raw("result", result);
    answer(event, action("modify").object("result", short))
}

pub(super) fn before_llm(event: &HookEvent, fitted: &Fitted) -> Reply {
    let members = blocked(fitted.verdict()).unwrap_or_else(|| {
        let request = fitted.change(Target::Request).and_then(|request| request.object().ok());
        let mut changes: Vec<(&str, Raw)> = request.iter().flat_map(Object::members).collect();
        if let Some(messages) = fitted.change(Target::Messages) {
            changes.push(("messages", messages.clone()));
        }
        if request.is_none() && changes.is_empty() {
            return action("continue");
        }
        let changes: Vec<(&str, &Raw)> = changes.iter().map(|(key, value)| (*key, value)).collect();
        changed(event, "request", &changes)
    });
    answer(event, members)
}

pub(super) fn after_llm(event: &HookEvent, fitted: &Fitted) -> Reply {
    let members = blocked(fitted.verdict()).unwrap_or_else(|| match fitted.change(Target::Result) {
        Some(response) => changed(event, "response", &[("response", response)]),
        None => action("continue"),
    });
    answer(event, members)
}

fn action(word: &str) -> JsonBuilder {
    JsonBuilder::new().text("action", word)
}

fn blocked(verdict: &Verdict) -> Option<JsonBuilder> {
    let (word, reason) = match verdict {
        Verdict::Deny { reason } => ("deny_tool", reason),
        Verdict::Abort { reason } => ("abort_turn", reason),
        Verdict::HardAbort { reason } => ("hard_abort", reason),
        _ => return None,
    };
    Some(action(word).text("reason", reason))
}

/// The host replaces its request by the reply, so the reply contains the whole request with the changed members.
/// Without its tool a call is "not found"; without `meta` later hooks receive none.
fn changed(event: &HookEvent, key: &str, changes: &[(&str, &Raw)]) -> JsonBuilder {
    let mut whole = params(event);
    for (member, value) in changes {
        whole = whole.and_then(|object| object.with(member, value.as_str()).object().ok());
    }
    match whole {
        Some(object) => action("modify").raw(key, object.raw()),
        None => action("hard_abort").text("reason", "the change could not be written"),
    }
}

fn respond(response: &Response) -> JsonBuilder {
    let members = JsonBuilder::new()
        .text("for_llm", &response.text)
        .maybe("for_user", response.for_user.as_deref())
        .bool("silent", response.silent)
        .bool("is_error", response.is_error)
        .bool("async", false);
    let lists = [("media", &response.media), ("artifact_tags", &response.artifact_tags)];
    let members = lists.into_iter().filter(|(_, texts)| !texts.is_empty()).fold(members, |members, (key, texts)| {
        let texts: Vec<_> = texts.iter().map(|text| json_string(text)).collect();
        members.json(key, &format!("[{}]", texts.join(",")))
    });
    if response.handled { members.bool("response_handled", true) } else { members }
}

/// PicoClaw fails to decode a result whose member has another type, and continues as if there had been no reply.
pub(super) fn rejects_result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let fits = |object: &Object| {
        texts(object, &["for_user"])
            && ["silent", "async", "response_handled"].iter().all(|key| is(object, key, |v| v.bool().is_some()))
            && ["media", "artifact_tags"].iter().all(|key| is(object, key, |value| all_texts(&value)))
    };
    let object = change.value.object().ok()?;
    (!fits(&object)).then_some("a member of the result has the wrong type")
}

pub(super) fn rejects_request(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let before = params(event);
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
        "model" => (!value.is_string()).then_some("`model` must be a string"),
        "options" => value.object().is_err().then_some("`options` must be an object"),
        "tools" if !is_objects(&value) => Some("`tools` must be an array of objects"),
        "tools" if restores && before("tools").is_none_or(|tools| tools != value) => {
            Some("the agent restores changed tools")
        }
        "tools" => None,
        _ => Some("the agent accepts only model, options and tools in a request"),
    })
}

pub(super) fn rejects_response(event: &HookEvent, change: &Change) -> Option<&'static str> {
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
    let turn = || params(event)?.last("meta")?.object().ok()?.last("TurnID")?.text();
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
    keys.iter().all(|key| is(object, key, |value| value.is_string()))
}

/// Go's decoder accepts `null` for every type.
fn is(object: &Object, key: &str, what: impl Fn(Raw) -> bool) -> bool {
    object.last(key).is_none_or(|value| value.is_null() || what(value))
}

fn all_texts(value: &Raw) -> bool {
    value.array().is_ok_and(|items| items.iter().all(Raw::is_string))
}

fn is_objects(value: &Raw) -> bool {
    value.array().is_ok_and(|items| items.iter().all(|item| item.object().is_ok()))
}
