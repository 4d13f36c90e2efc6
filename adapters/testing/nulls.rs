//! A `null` never hides a value that the agent's tool uses and hooks do not receive.

use super::Suite;
use crate::Raw;
use crate::model::ToolCall;
use crate::protocol::{ToolAction, ToolRow};

/// Finds watched arguments for which `null` is read as absent, of agents whose decoder keeps the value of an earlier
/// member of the same name.
pub fn nulls(suite: &Suite) -> Vec<String> {
    let agent = suite.protocol().agent();
    if !agent.null_keeps_earlier_value {
        return Vec::new();
    }
    let actions = agent.tools.iter().flat_map(|row| row.actions.iter().map(move |act| (row, act)));
    let mut found = Vec::new();
    for (row, act) in actions {
        let keys = act.slot.keys.iter().copied().chain(act.with).chain(act.only.map(|only| only.key));
        for key in keys {
            let Some(input) = arguments(row, act, key) else { continue };
            let call = ToolCall::new(row.native, Raw::document("{}"), Vec::new());
            if call.with_input(agent, input).is_some() {
                found.push(format!("{} {}: `{key}` is null and read as absent", agent.id, row.native));
            }
        }
    }
    found
}

/// Returns arguments with which an action happens, except that one of them is `null`.
fn arguments(row: &ToolRow, act: &ToolAction, null: &str) -> Option<Raw> {
    let value = act.slot.holding("\"x\"");
    let mut input = Raw::document(row.sample);
    if let Some(only) = &act.only {
        input = input.object().ok()?.with(only.key, &format!("\"{}\"", only.values.first()?));
    }
    for key in act.slot.keys {
        input = input.object().ok()?.with(key, &value);
    }
    Some(input.object().ok()?.with(null, "null"))
}
