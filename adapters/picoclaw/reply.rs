//! Writes the replies, in the form of each method.

use super::MAX_REPLY;
use super::rpc::{answer, params};
use crate::Raw;
use crate::fit::Fitted;
use crate::model::{HookEvent, Reply, Response, Target, Verdict};
use crate::raw::{Object, json_string};
use crate::shared::json::JsonBuilder;

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
            Some(arguments) => changed(event, "call", &[("arguments", arguments)]),
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
    let media: Vec<_> = response.media.iter().map(|reference| json_string(reference)).collect();
    let members = if media.is_empty() { members } else { members.json("media", &format!("[{}]", media.join(","))) };
    if response.handled { members.bool("response_handled", true) } else { members }
}
