//! Collects the additions to a verdict: changes, contexts and notices (V5, C7).

use std::sync::Arc;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Change, Decision, Detail, HookEvent, Need, Target, ToolResult};
use snaphook_policy::Policy;

/// The additions of all handlers, in configured order.
#[derive(Debug, Default)]
pub(super) struct Additions {
    pub(super) changes: Vec<Change>,
    context: Vec<String>,
    notice: Vec<String>,
    summary: Option<String>,
    extra: Vec<(String, Raw)>,
}

impl Additions {
    /// Adds those of one decision. `Err` if two required changes of the same target differ.
    pub(super) fn take(&mut self, decision: Decision) -> Result<(), String> {
        self.context.extend(decision.context);
        self.notice.extend(decision.notice);
        self.summary = decision.summary.or(self.summary.take());
        for (key, value) in decision.extra {
            self.extra.retain(|(of, _)| *of != key);
            self.extra.push((key, value));
        }
        if decision.verdict.kind().blocks() {
            return Ok(());
        }
        for change in decision.changes {
            match self.changes.iter_mut().find(|before| before.target == change.target) {
                None => self.changes.push(change),
                Some(before) if before.need == Need::Required && change.need == Need::Required => {
                    let is_same_tool = change.tool.is_none() || change.tool == before.tool;
                    if !before.value.means(&change.value) || !is_same_tool {
                        return Err(format!("two required changes of the {} differ", change.target.word()));
                    }
                }
                Some(before) => {
                    before.value = change.value;
                    // Without a name, it is a change of the call that this handler has seen.
                    before.tool = change.tool.or(before.tool.take());
                    if change.need == Need::Required {
                        before.need = Need::Required;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn context(&mut self, text: String) {
        self.context.push(text);
    }

    pub(super) fn notice(&mut self, text: String) {
        self.notice.push(text);
    }

    pub(super) fn input(&self) -> Option<&Change> {
        self.changes.iter().find(|change| change.target == Target::Input)
    }

    /// Attaches the additions to a decision. Changes are attached only if it does not block.
    pub(super) fn attach_to(self, mut decision: Decision) -> Decision {
        if !decision.verdict.kind().blocks() {
            decision.changes = self.changes;
        }
        let joined = |texts: Vec<String>| (!texts.is_empty()).then(|| texts.join("\n"));
        decision.context = joined(self.context);
        decision.notice = joined(self.notice);
        decision.summary = self.summary;
        decision.extra = self.extra;
        decision
    }
}

/// The event with a change applied, which the next handler and the rules see. `Err` if the new value cannot be parsed.
pub(crate) fn changed(event: &HookEvent, change: &Change, policy: &Policy) -> Result<HookEvent, String> {
    let mut event = event.clone();
    match (&mut event.detail, change.target) {
        (Detail::Tool(call), Target::Input) => {
            let other = change.other_tool(call);
            let new = match other {
                Some(tool) => call.of_other_tool(event.agent, tool, change.value.clone()),
                None => call.with_input(event.agent, change.value.clone()),
            };
            *call = new.ok_or("the new arguments cannot be parsed")?;
            if other.is_some()
                && let Some(tool) = policy.described(event.agent.id, &call.name, &call.actions)
            {
                event.teach(Arc::new(tool)).map_err(|error| error.to_string())?;
            }
        }
        (Detail::ToolDone { call, result }, Target::Result) => {
            let raw = change.value.clone();
            let text = match call.row.and_then(|row| row.result_text) {
                Some(pointer) => raw.at(pointer),
                None => Some(raw.clone()),
            };
            *result = ToolResult::new(raw).text(text).is_error(result.is_error);
        }
        (Detail::Prompt { text }, Target::Prompt) => {
            *text = change.value.text().ok_or("the new prompt is not a string")?.value;
        }
        (Detail::Request { request }, Target::Messages) => {
            let members = request.object().map_err(|error| error.to_string())?;
            if members.has("messages") {
                *request = members.with("messages", change.value.as_str());
            }
        }
        (Detail::Request { request }, Target::Request) => {
            for (key, value) in change.value.object().map_err(|error| error.to_string())?.members() {
                *request = request.object().map_err(|error| error.to_string())?.with(key, value.as_str());
            }
        }
        (Detail::Response { response, .. }, Target::Result) => *response = change.value.clone(),
        _ => {}
    }
    Ok(event)
}
