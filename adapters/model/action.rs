//! What a tool call would do. Policy speaks about actions only, never about an agent's tools.

use crate::Raw;
use crate::protocol::ToolRow;

/// Holds one tool call: the agent's own name and arguments, and what they amount to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool's name as the agent sent it.
    pub name: String,
    /// The arguments as the agent sent them; `{}` where the agent sent none and its page allows that.
    pub input: Raw,
    /// The agent's id of this call, where it sends one.
    pub id: Option<String>,
    /// Everything the call would do; never empty ([`Action::Other`] at least).
    pub actions: Vec<Action>,
    /// The actions that the arguments of an unknown tool suggest. Only deny and ask rules judge them.
    pub likely: Vec<Action>,
    /// The skill that the call loads; absent: it loads none, or the agent runs no command of it.
    pub skill: Option<Skill>,
    /// The row that explained the arguments; `None` for a tool the agent's table does not know.
    pub row: Option<&'static ToolRow>,
}

impl ToolCall {
    /// Holds a call whose actions are known.
    pub fn new(name: impl Into<String>, input: Raw, actions: Vec<Action>) -> Self {
        Self { name: name.into(), input, id: None, actions, likely: Vec::new(), skill: None, row: None }
    }
}

/// Names a skill or command file whose shell lines the agent runs, without a hook, when a tool loads it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skill {
    /// The names in the arguments; empty: there is none.
    pub names: Vec<String>,
    /// The text that replaces its variables.
    pub arguments: String,
    /// Another file of the skill that is read; absent: the skill itself.
    pub file: Option<String>,
    /// The folders in which such files lie: absolute, below home (`~/`), or below the working directory and
    /// each folder above it.
    pub places: &'static [&'static str],
}

impl Skill {
    /// Names a skill without arguments.
    pub fn new(names: Vec<String>, places: &'static [&'static str]) -> Self {
        Self { names, arguments: String::new(), file: None, places }
    }
}

/// Names one thing that a tool call would do.
///
/// As JSON: one object, `kind` first: `{"kind":"read","path":".env"}`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Runs a command in a new shell or process.
    Shell {
        /// What is run.
        command: Command,
        /// The directory named in the arguments; absent: the event's.
        #[serde(skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        /// The shell that reads the text.
        shell: ShellKind,
    },
    /// Types into a shell that is already running.
    ShellInput {
        /// What is typed.
        text: String,
    },
    /// Reads a file.
    Read {
        /// As written in the arguments.
        path: String,
    },
    /// Creates or replaces a file, or appends to it.
    Write {
        /// As written in the arguments.
        path: String,
    },
    /// Changes part of a file.
    Edit {
        /// As written in the arguments.
        path: String,
    },
    /// Removes a file or folder.
    Delete {
        /// As written in the arguments.
        path: String,
    },
    /// Renames a file or folder.
    Move {
        /// The old name.
        from: String,
        /// The new name.
        to: String,
    },
    /// Lists a folder.
    List {
        /// As written; `.` where the agent's default is its working directory.
        path: String,
    },
    /// Searches names or contents below a folder.
    Search {
        /// As written; `.` where the agent's default is its working directory.
        path: String,
        /// The file pattern, where the tool takes one.
        #[serde(skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    /// Fetches one address.
    Fetch {
        /// As written in the arguments.
        url: String,
    },
    /// Asks a search engine.
    WebSearch {
        /// The query; empty where it is not sent as text.
        query: String,
    },
    /// Calls a tool of an MCP server.
    Mcp(McpName),
    /// Starts another agent.
    Subagent {
        /// Its type as sent; absent: the agent sends none.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Anything else; rules name it by the tool's native name.
    Other,
}

/// Holds a command as the agent sends it; as JSON a text or an array of texts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
#[expect(clippy::exhaustive_enums, reason = "a command is text for a shell or a list of words")]
pub enum Command {
    /// Text that a shell reads.
    Text(String),
    /// Words that are executed as they are.
    Argv(Vec<String>),
}

impl Command {
    /// The text that a shell reads; absent: it is a list of words.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Argv(_) => None,
        }
    }
}

impl From<String> for Command {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Command {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<String>> for Command {
    fn from(words: Vec<String>) -> Self {
        Self::Argv(words)
    }
}

/// Names the shell that an agent's tool uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShellKind {
    /// sh, bash, dash, zsh and their kin.
    Posix,
    /// PowerShell.
    #[serde(rename = "powershell")]
    PowerShell,
    /// Windows' cmd.exe.
    Cmd,
    /// Not known, so nothing in it counts as understood.
    Unknown,
}

/// Holds the name of an MCP tool in as much detail as the wire gives.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum McpName {
    /// The wire joins server and tool in a way that cannot be undone; without the agent's prefix.
    Joined(String),
    /// The wire sends a name that may be the tool alone, or server and tool joined.
    Bare(String),
    /// The wire separates server and tool.
    #[serde(untagged)]
    Split {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_one_flat_object() {
        let json = |action: &Action| serde_json::to_string(action).unwrap();
        let argv = Command::Argv(vec!["ls".to_owned(), "-l".to_owned()]);
        assert_eq!(
            json(&Action::Shell { command: argv, cwd: None, shell: ShellKind::PowerShell }),
            r#"{"kind":"shell","command":["ls","-l"],"shell":"powershell"}"#
        );
        let split = McpName::Split { server: "s".to_owned(), tool: "t".to_owned() };
        assert_eq!(json(&Action::Mcp(split)), r#"{"kind":"mcp","server":"s","tool":"t"}"#);
        assert_eq!(json(&Action::Mcp(McpName::Joined("s_t".to_owned()))), r#"{"kind":"mcp","joined":"s_t"}"#);
        assert_eq!(json(&Action::Other), r#"{"kind":"other"}"#);
    }
}
