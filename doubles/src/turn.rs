//! One tool call of PicoClaw, through all of its gates.

use serde_json::{Map, Value, json};
use snaphook_hosts::Effect;
use snaphook_hosts::cases::Report;

use crate::lines::HookConnection;

/// A tool call of the model of a session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PlayedCall {
    /// The session.
    pub session: String,
    /// The number of the turn.
    pub turn: u32,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

impl PlayedCall {
    /// A call in the first turn of a session.
    pub fn new(session: impl Into<String>, tool: impl Into<String>, arguments: Value) -> Self {
        Self { session: session.into(), turn: 1, tool: tool.into(), arguments }
    }

    /// The parameters of a method about this call, in the form of a version.
    pub fn params(&self, host: &str, trace: &str) -> Value {
        let mut params = Map::new();
        params.insert(
            "meta".to_owned(),
            json!({"AgentID": "main", "TurnID": format!("main-turn-{}", self.turn), "ParentTurnID": "",
                "SessionKey": self.session, "Iteration": 1, "TracePath": trace, "Source": "runTurn"}),
        );
        let old = matches!(host, "v0.2.4" | "v0.2.5" | "v0.2.6");
        if !old {
            let inbound = json!({"channel": "cli", "chat_id": "direct", "chat_type": "direct", "sender_id": "cron"});
            params.insert("context".to_owned(), json!({ "inbound": inbound }));
        }
        params.insert("tool".to_owned(), json!(self.tool));
        if self.arguments.as_object().is_some_and(|arguments| !arguments.is_empty()) {
            params.insert("arguments".to_owned(), self.arguments.clone());
        }
        if old {
            params.insert("channel".to_owned(), json!("cli"));
            params.insert("chat_id".to_owned(), json!("direct"));
        }
        Value::Object(params)
    }
}

/// The result of a call.
#[derive(Debug, Clone, serde::Serialize)]
#[non_exhaustive]
pub struct Turn {
    /// The report of each gate, in order.
    pub steps: Vec<Report>,
    /// The tool and the arguments with which it ran; absent: it did not run.
    pub ran: Option<(String, Value)>,
    /// The result that the model gets in the end; absent: a refusal.
    pub result: Option<Value>,
}

impl HookConnection<'_> {
    /// Takes a call through `before_tool`, `approve_tool`, the tool itself and `after_tool`. `run` is
    /// the tool: it gets name and arguments and returns its result.
    pub fn tool_call(&self, call: &PlayedCall, run: impl FnOnce(&str, &Value) -> Value) -> Turn {
        let mut call = call.clone();
        let mut turn = Turn { steps: Vec::new(), ran: None, result: None };
        if self.asks("tool") {
            let before = self.call("hook.before_tool", &call.params(self.host, "turn.tool.before"));
            let effect = before.effect;
            if let Some(arguments) = before.carried("input") {
                call.arguments = arguments.clone();
            }
            if let Some(Value::String(tool)) = before.heard.at("/result/call/tool") {
                call.tool = tool;
            }
            turn.result = before.carried("result").cloned();
            turn.steps.push(before);
            if !effect.runs() {
                return turn;
            }
        }
        if self.asks("approve") {
            let approve = self.call("hook.approve_tool", &call.params(self.host, "turn.tool.approve"));
            let effect = approve.effect;
            turn.steps.push(approve);
            if !matches!(effect, Effect::Approves | Effect::Flow) {
                return turn;
            }
        }
        let result = run(&call.tool, &call.arguments);
        turn.ran = Some((call.tool.clone(), call.arguments.clone()));
        turn.result = Some(result.clone());
        if self.asks("tool") {
            let mut params = call.params(self.host, "turn.tool.after");
            if let Some(params) = params.as_object_mut() {
                params.insert("result".to_owned(), result);
                params.insert("duration".to_owned(), json!(15_000_000));
            }
            let after = self.call("hook.after_tool", &params);
            if let Some(changed) = after.carried("result") {
                turn.result = Some(changed.clone());
            }
            turn.steps.push(after);
        }
        turn
    }

    fn asks(&self, mode: &str) -> bool {
        self.modes.iter().any(|known| known == mode)
    }
}
