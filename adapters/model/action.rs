//! The effects of a tool call. Policy refers to actions only, never to an agent's tools.

use std::sync::Arc;

use super::CommandText;
use crate::Raw;
use crate::protocol::{TaughtTool, ToolRow};

/// One tool call: the agent's own name and arguments, and the actions derived from them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool's name as the agent sent it.
    pub name: String,
    /// The arguments as the agent sent them; `{}` if the agent sent none and its protocol allows that.
    pub input: Raw,
    /// The agent's id of this call; absent: not sent.
    pub id: Option<String>,
    /// Every action of the call; never empty, at least [`Action::Other`].
    pub actions: Vec<Action>,
    /// The actions that the arguments of an unlisted tool suggest. Only deny and ask rules judge them.
    pub suggested_actions: Vec<Action>,
    /// The skill that the call loads; absent: none, or the agent runs no commands of the skill.
    pub skill: Option<Skill>,
    /// The row by which the arguments were read; `None` for a tool that the agent's table does not list.
    pub row: Option<&'static ToolRow>,
    /// The policy's description of the arguments; absent if it has none.
    pub taught: Option<Arc<TaughtTool>>,
}

impl ToolCall {
    /// Creates a call with known actions.
    pub fn new(name: impl Into<String>, input: Raw, actions: Vec<Action>) -> Self {
        Self {
            name: name.into(),
            input,
            id: None,
            actions,
            suggested_actions: Vec::new(),
            skill: None,
            row: None,
            taught: None,
        }
    }
}

/// A skill or command file whose shell lines the agent runs, without a hook, when a tool loads it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skill {
    /// The names in the arguments; empty: not named.
    pub names: Vec<String>,
    /// The text that replaces the variables of the skill.
    pub arguments: String,
    /// Another file of the skill that is read; absent: the skill itself.
    pub file: Option<String>,
    /// The folders that contain such files: absolute, below the home folder (`~/`), or below the working directory and
    /// each of its parent folders.
    pub places: &'static [&'static str],
}

impl Skill {
    /// Creates a skill without arguments.
    pub fn new(names: Vec<String>, places: &'static [&'static str]) -> Self {
        Self { names, arguments: String::new(), file: None, places }
    }
}

/// One effect of a tool call.
///
/// The JSON form is one object that starts with `kind`: `{"kind":"read","path":".env"}`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Runs a command in a new shell or process.
    Shell {
        /// The command.
        command: Command,
        /// The directory in the arguments; absent: the directory of the event.
        #[serde(skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        /// The shell that parses the command.
        shell: ShellKind,
    },
    /// Writes to the input of a shell that is already running.
    ShellInput {
        /// The text that is written.
        text: CommandText,
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
        /// As written in the arguments; `.` if the agent defaults to its working directory.
        path: String,
    },
    /// Searches names or contents below a folder.
    Search {
        /// As written in the arguments; `.` if the agent defaults to its working directory.
        path: String,
        /// The file pattern; absent: none, or the tool takes no pattern.
        #[serde(skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    /// Fetches one URL.
    Fetch {
        /// As written in the arguments.
        url: String,
    },
    /// Queries a search engine.
    WebSearch {
        /// The query; empty if it is not sent as text.
        query: String,
    },
    /// Calls a tool of an MCP server.
    Mcp(McpName),
    /// Starts another agent.
    Subagent {
        /// The type of the agent as sent; absent: not sent.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Any other effect; rules refer to such a call by the tool's native name.
    Other,
}

/// A command as the agent sends it; in JSON a string or an array of strings.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
#[expect(clippy::exhaustive_enums, reason = "a command is text for a shell or a list of words")]
pub enum Command {
    /// Text that a shell parses.
    Text(CommandText),
    /// Words that are executed without a shell.
    Argv(Vec<String>),
}

impl Command {
    /// Returns the text that a shell parses, or `None` for a list of words.
    pub fn text(&self) -> Option<&CommandText> {
        match self {
            Self::Text(text) => Some(text),
            Self::Argv(_) => None,
        }
    }
}

impl From<String> for Command {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<&str> for Command {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Vec<String>> for Command {
    fn from(words: Vec<String>) -> Self {
        Self::Argv(words)
    }
}

/// The shell of an agent's tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShellKind {
    /// sh, bash, dash, zsh and compatible shells.
    Posix,
    /// PowerShell.
    #[serde(rename = "powershell")]
    PowerShell,
    /// cmd.exe of Windows.
    Cmd,
    /// Not known; no part of the command counts as understood.
    Unknown,
}

/// The name of an MCP tool, in as much detail as the message contains.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum McpName {
    /// Server and tool, joined in a way that cannot be split reliably; without the agent's prefix.
    Joined(String),
    /// A name that may be the tool alone, or server and tool joined.
    Bare(String),
    /// Server and tool separately.
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
    fn an_action_is_serialized_as_one_flat_object() {
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
