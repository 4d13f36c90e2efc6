//! The steps of a script, and the model's answer for each.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::tools::NOTE;
use super::{Conversation, Say, Tool, ToolKind, tools};

/// The last answer of the model.
pub(super) const FINAL: &str = "All steps are done.";

/// The prompt that identifies a sub-agent's conversation.
pub(super) const SUB_AGENT: &str = "Run the one step of the sub-agent.";

/// The file that a sub-agent without a shell reads.
const SECRET_FILE: &str = "/home/user/project/secret/k";

/// One step of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// Run a command line.
    Shell(String),
    /// Run a command line and request elevated permissions, if the tool has an argument for this.
    Escalated(String),
    /// Run a command line in a folder: with an argument of the tool, or else with `cd`.
    ShellIn { command: String, folder: String },
    /// Write a file.
    Write { path: String, text: String },
    /// Change `note.txt`.
    Edit,
    /// Read a file.
    Read(String),
    /// Fetch a page.
    Fetch,
    /// Call the tool of the MCP server.
    Mcp,
    /// Start a sub-agent.
    SubAgent,
    /// Call the first of these tools that is offered, with exactly this JSON text, and what the tool requires.
    Call { tools: Vec<String>, input: String },
}

impl Step {
    /// One step for each kind of call that hooks see. A tool that has to be searched for first takes two steps.
    pub(crate) fn all(command: &str) -> Vec<Self> {
        let shell = Self::Shell(command.into());
        let twice = [Self::Mcp, Self::Fetch, Self::SubAgent].into_iter().flat_map(|step| [step.clone(), step]);
        [shell, Self::note(), Self::Read(NOTE.into()), Self::Edit].into_iter().chain(twice).collect()
    }

    /// Writes `note.txt`.
    pub(crate) fn note() -> Self {
        Self::Write { path: NOTE.into(), text: "alpha\nbeta\n".into() }
    }

    /// Calls a tool with exactly this input.
    pub(crate) fn call(tools: &[&str], input: &str) -> Self {
        Self::Call { tools: tools.iter().map(|&tool| tool.to_owned()).collect(), input: input.into() }
    }
}

/// The model's answer to a request: the step after the calls so far.
pub(super) fn next(script: &[Step], conversation: &Conversation, body: &Value) -> Say {
    let done = Say::Text(FINAL.into());
    if conversation.tools.is_empty() {
        // A side question, such as for a title.
        return Say::Text("Scripted".into());
    }
    let shell = Step::Shell("echo sub-agent > sub.txt".into());
    // The sub-agents of Crush only read.
    let can = tools::choose(&shell, &conversation.tools).is_some();
    let inner = [if can { shell } else { Step::Read(SECRET_FILE.into()) }];
    let script = if in_sub_agent(body) { &inner } else { script };
    // Steps without a tool are left out.
    let mut doable = script.iter().filter(|step| tools::choose(step, &conversation.tools).is_some());
    doable.nth(conversation.calls).and_then(|step| call(step, &conversation.tools)).unwrap_or(done)
}

/// Returns true for the conversation of a sub-agent: it contains our prompt, but not as the argument of a call.
pub(super) fn in_sub_agent(body: &Value) -> bool {
    let turns = ["messages", "input", "contents"].into_iter().find_map(|key| body.get(key)?.as_array());
    let said = |turn: &Value, roles: &[&str]| {
        roles.contains(&super::text(turn, "role")) && turn.to_string().contains(SUB_AGENT)
    };
    turns.is_some_and(|turns| {
        turns.iter().any(|turn| said(turn, &["user"]))
            && !turns.iter().any(|turn| {
                said(turn, &["assistant", "model"])
                    || super::text(turn, "type") == "function_call" && turn.to_string().contains(SUB_AGENT)
            })
    })
}

fn call(step: &Step, offered: &[Tool]) -> Option<Say> {
    let tool = tools::choose(step, offered)?;
    let input = match (&tool.kind, step) {
        (ToolKind::Text, _) => json!(tools::patch(step)?).to_string(),
        (ToolKind::Object(schema), Step::Call { tools, input })
            if tools.iter().any(|name| tool.name.ends_with(name)) =>
        {
            tools::with_required(input, schema)
        }
        (ToolKind::Object(schema) | ToolKind::Search(schema), _) => {
            tools::arguments(step, &tool.name, schema).to_string()
        }
    };
    Some(Say::Call { tool: tool.clone(), input })
}
