//! Remembers the calls to which snaphook responded, for hosts that then run the tool anyway.
//!
//! v0.2.4 and v0.2.5 do not support `respond`, and their messages do not differ from those of v0.2.6, which does. A
//! host that supports it does not ask for approval afterwards. A call with a response that reaches the approval gate is
//! therefore refused.

use super::events;
use crate::fit::Fitted;
use crate::model::{HookEvent, ToolCall, Verdict};
use crate::protocol::Connection;
use crate::raw::{Object, json_string};
use crate::shared::json_rpc;

/// Identifies one call of one turn.
pub(super) struct Key {
    session: String,
    turn: String,
    rest: String,
}

impl Key {
    pub(super) fn of(params: &Object, call: &ToolCall) -> Self {
        let meta = params.last("meta").and_then(|meta| meta.object().ok());
        let part =
            |key| meta.as_ref().and_then(|meta| meta.last(key)).map_or_else(String::new, |raw| raw.as_str().to_owned());
        let rest = [&part("Iteration"), &json_string(&call.name), call.input.as_str()].map(str::to_owned);
        Self { session: part("SessionKey") + " ", turn: part("TurnID") + " ", rest: rest.join(" ") }
    }

    /// Returns the JSON literals of the key, each followed by a space, so that different calls have different keys.
    pub(super) fn text(&self) -> String {
        [self.session.as_str(), &self.turn, &self.rest].concat()
    }

    /// Returns true if another key belongs to the same session and another turn. The turn of a sub-agent has a
    /// different session.
    fn is_over(&self, other: &str) -> bool {
        other.strip_prefix(&self.session).is_some_and(|rest| !rest.starts_with(&self.turn))
    }
}

pub(super) fn remember(connection: &mut Connection, event: &HookEvent, fitted: &Fitted) {
    let responds = matches!(fitted.verdict(), Verdict::Respond(_));
    if connection.answered.is_empty() && !responds {
        return;
    }
    let (events::BEFORE_TOOL, Some(call), Some(params)) = (event.row.native, event.call(), json_rpc::params(event))
    else {
        return;
    };
    let key = Key::of(&params, call);
    connection.answered.retain(|other, _| !key.is_over(other));
    let text = key.text();
    connection.answered.shift_remove(&text);
    if let Verdict::Respond(response) = fitted.verdict() {
        connection.answered.insert(text, response.text.clone());
    }
}
