//! Reads a recorded call again, to show its command, path or address.

use snaphook_adapters::Raw;
use snaphook_adapters::model::ToolCall;
use snaphook_adapters::protocol::ActionKind;
use snaphook_adapters::registry::Registry;

use crate::audit::AuditEntry;

/// Reads the call again from its recorded arguments, in which secrets are masked; `None` if they are not recorded.
pub(in crate::cli) fn recorded_call(registry: &Registry, entry: &AuditEntry) -> Option<ToolCall> {
    let agent = registry.get(&entry.agent)?.agent();
    let input = Raw::checked(entry.input.clone()?).ok()?;
    ToolCall::new(entry.tool.clone()?, Raw::document("{}"), Vec::new()).with_input(agent, input)
}

/// The command, path or address of a call; all arguments if the tool is not known; empty if they are not recorded.
pub(in crate::cli) fn subject(registry: &Registry, entry: &AuditEntry) -> String {
    let call = recorded_call(registry, entry);
    let named = call.as_ref().and_then(|call| {
        let actions = call.actions.iter().chain(&call.suggested_actions);
        let texts = actions.filter_map(ActionKind::of).map(|(_, text, _)| text);
        texts.filter(|text| !text.is_empty()).reduce(|all, text| format!("{all}, {text}"))
    });
    named.or_else(|| entry.input.clone()).unwrap_or_default()
}
