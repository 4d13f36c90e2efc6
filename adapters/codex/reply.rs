//! How each event is answered: a denial by exit 2 with its reason on stderr, the one form that no
//! parser can void; everything else as one document with nothing in it that is not needed.

use crate::Raw;
use crate::fit::Fitted;
use crate::model::{Change, HookEvent, Reply, Target, Verdict};
use crate::shared::claude_style::{Answer, is_mcp};
use crate::shared::json::Members;

/// Events whose answer nobody reads.
pub(super) fn silent(_: &HookEvent, _: &Fitted) -> Reply {
    Reply::silent()
}

/// `fit` has made sure that an approval comes with a new input and a new input with an approval.
pub(super) fn pre_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = Answer::riders(event, fitted);
    match (fitted.verdict(), fitted.change(Target::Input)) {
        (Verdict::Deny { reason }, _) => Reply::blocked(reason),
        (Verdict::Allow { reason }, Some(input)) => {
            answer.permission("allow", reason).raw("updatedInput", input).reply()
        }
        _ => answer.reply(),
    }
}

/// `interrupt`, a new input or new rules beside the behavior void the answer.
pub(super) fn permission(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = Answer::riders(event, fitted);
    match fitted.verdict() {
        Verdict::Deny { reason } => Reply::blocked(reason),
        Verdict::Allow { .. } => answer.object("decision", Members::new().text("behavior", "allow")).reply(),
        _ => answer.reply(),
    }
}

/// The model gets the reason of a block in the place of the output.
pub(super) fn post_tool(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = Answer::riders(event, fitted);
    match fitted.change(Target::Result).and_then(text_of) {
        Some(text) => answer.block(&text).reply(),
        None => answer.reply(),
    }
}

/// A prompt is refused by exit 2; an abort says `continue: false`.
pub(super) fn prompt(event: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::Deny { reason } => Reply::blocked(reason),
        _ => stops(event, fitted),
    }
}

/// `continue: false` ends the turn; texts ride along.
pub(super) fn stops(event: &HookEvent, fitted: &Fitted) -> Reply {
    let answer = Answer::riders(event, fitted);
    match fitted.verdict() {
        Verdict::Abort { reason } => answer.stop(reason).reply(),
        Verdict::KeepGoing { reason } => answer.block(reason).reply(),
        _ => answer.reply(),
    }
}

/// By exit alone, on events that are new to us.
pub(super) fn by_exit(_: &HookEvent, fitted: &Fitted) -> Reply {
    match fitted.verdict() {
        Verdict::Deny { reason } => Reply::blocked(reason),
        _ => Reply::silent(),
    }
}

/// Shell and patch take `command` as one text; anything else fails the call.
pub(super) fn drops_input(event: &HookEvent, change: &Change) -> Option<&'static str> {
    if change.target != Target::Input {
        return None;
    }
    let fits = event.call().is_some_and(|call| {
        let text = change.value.at("/command").is_some_and(|command| command.text().is_some());
        (is_mcp(&call.name) || text) && call.with_input(event.agent, change.value.clone()).is_some()
    });
    (!fits).then_some("the tool does not take such arguments")
}

/// A blank reason voids the answer, and the model would see the output after all.
pub(super) fn drops_result(_: &HookEvent, change: &Change) -> Option<&'static str> {
    let blank = change.target == Target::Result && text_of(&change.value).is_none();
    blank.then_some("the agent takes a result only as a text that is not blank")
}

/// A result that says only why.
#[expect(clippy::unnecessary_wraps, reason = "the row's type: not every agent can write one")]
pub(super) fn withhold(_: &HookEvent, reason: &str) -> Option<Raw> {
    Some(Raw::string(reason))
}

/// The text of a result: itself, or the texts of an MCP content array.
fn text_of(value: &Raw) -> Option<String> {
    if let Some(text) = value.text() {
        return Some(text.value).filter(|text| !text.trim().is_empty());
    }
    let items = value.at("/content").unwrap_or_else(|| value.clone()).array().ok()?;
    let texts: Vec<_> = items.iter().filter_map(|item| item.at("/text")?.text()).map(|text| text.value).collect();
    Some(texts.join("\n")).filter(|text| !text.trim().is_empty())
}
