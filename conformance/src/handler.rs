//! The handlers of the scenarios: each reads an event and prints one decision.

use std::fs::OpenOptions;
use std::io::{self, Write as _};

use serde_json::{Value, json};

use crate::scenarios::{PROBE, REWRITTEN};

/// Words of the scenarios that the model must get.
pub(crate) const CONTEXT: &str = "The context comes from a handler.";
pub(crate) const REDACTED: &str = "The result is withheld by a handler.";
pub(crate) const GO_ON: &str = "The handler wants one more round.";

/// Decides about one event.
pub(crate) fn main(what: &str) -> io::Result<()> {
    let event: Value = serde_json::from_reader(io::stdin())?;
    let kind = event.get("kind").and_then(Value::as_str).unwrap_or_default();
    let probing = event.get("tool").is_some_and(|tool| tool.to_string().contains("hook-probe"));
    let decision = match what {
        "claude-code" => match changed_by_claude_code(&event) {
            Some(answer) => answer,
            None => return Ok(()),
        },
        "change-input-required" if kind == "pre_tool" && probing => change_input(&event, "required"),
        "change-input" if kind == "pre_tool" && probing => change_input(&event, "optional"),
        "change-result" if kind == "post_tool" && probing => {
            json!({"changes": [{"target": "result", "text": REDACTED, "need": "optional"}]})
        }
        "context" if kind == "pre_tool" && probing => json!({"context": CONTEXT}),
        "abort" if kind == "pre_tool" && probing => json!({"verdict": "abort", "reason": "The handler ends the turn."}),
        // Only once: the first process that creates the file.
        "keep-going" if kind == "turn_end" && first_time() => json!({"verdict": "keep_going", "reason": GO_ON}),
        _ => return Ok(()),
    };
    writeln!(io::stdout(), "{decision}")
}

/// The answer of a hook of Claude Code that changes the command.
fn changed_by_claude_code(event: &Value) -> Option<Value> {
    let mut input = event.get("tool_input")?.clone();
    let command = input.get("command")?.as_str().filter(|command| command.contains(PROBE))?.replace(PROBE, REWRITTEN);
    *input.get_mut("command")? = command.into();
    Some(json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": input}}))
}

/// The input of the event, with the other command in it.
fn change_input(event: &Value, need: &str) -> Value {
    let input = event.pointer("/tool/input").map(Value::to_string).unwrap_or_default();
    let input: Value = serde_json::from_str(&input.replace(PROBE, REWRITTEN)).unwrap_or_default();
    json!({"changes": [{"target": "input", "value": input, "need": need}]})
}

fn first_time() -> bool {
    OpenOptions::new().write(true).create_new(true).open("/home/harness/kept-going").is_ok()
}

/// Approves every request of an agent with one process, as a hook of another program.
pub(crate) fn rival() -> io::Result<()> {
    for line in io::stdin().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id").filter(|id| id.as_i64() != Some(0)) else { continue };
        let result = match message.get("method").and_then(Value::as_str).unwrap_or_default() {
            "hook.hello" => json!({"ok": true, "name": "rival"}),
            "hello" => json!({"protocol": "1"}),
            "hook.approve_tool" => json!({"approved": true}),
            _ => json!({"action": "continue", "verdict": "pass"}),
        };
        writeln!(io::stdout(), "{}", json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
    }
    Ok(())
}

/// Sends the input back as the model wrote it, later than any other hook: the last answer wins.
pub(crate) fn rewriter() -> io::Result<()> {
    let message: Value = serde_json::from_reader(io::stdin())?;
    std::thread::sleep(std::time::Duration::from_secs(2));
    let input = message.get("tool_input");
    let answer = match message.get("hook_event_name").and_then(Value::as_str) {
        Some("BeforeTool") => json!({"hookSpecificOutput": {"tool_input": input}}),
        _ => json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input,
        }}),
    };
    writeln!(io::stdout(), "{answer}")
}
