//! An MCP server with two tools: `say_it` says a word, `run_line` runs a command line.

use std::io::{self, BufRead as _, Write as _};
use std::process::Command;

use serde_json::{Value, json};

/// The program that starts it in a container.
pub(crate) const PROGRAM: &str = "/home/harness/conformance";
/// The arguments of that program.
pub(crate) const ARGUMENTS: &[&str] = &["mcp"];

/// Answers JSON-RPC requests, one for each line, until the end of stdin.
pub(crate) fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id") else { continue };
        let result = match message.get("method").and_then(Value::as_str).unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": message.pointer("/params/protocolVersion"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "my-srv", "version": "1.0.0"},
            }),
            "tools/list" => json!({"tools": [{
                "name": "say_it",
                "description": "Says a word.",
                "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
            }, {
                "name": "run_line",
                "description": "Runs a command line.",
                "inputSchema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
            }]}),
            "tools/call" if message.pointer("/params/name") == Some(&json!("run_line")) => {
                let line = message.pointer("/params/arguments/command").and_then(Value::as_str).unwrap_or_default();
                let said = Command::new("sh").args(["-c", line]).output()?;
                json!({"content": [{"type": "text", "text": String::from_utf8_lossy(&said.stdout)}]})
            }
            "tools/call" => {
                // The file shows that the call was made.
                std::fs::write("/home/user/project/mcp.txt", "")?;
                let word = message.pointer("/params/arguments/word").and_then(Value::as_str).unwrap_or_default();
                json!({"content": [{"type": "text", "text": format!("It says {word}.")}]})
            }
            _ => json!({}),
        };
        writeln!(io::stdout(), "{}", json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
    }
    Ok(())
}
