//! Finds the hooks in a file, each with the command that the agent starts.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, EventRow, Reader};

use super::command_line::{CommandLine, CommandPaths};
use super::edit::{Document, EditFault, Format};
use super::ours::named;
use super::target::SetupContext;
use crate::files;

/// One hook of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegisteredHook {
    pub(crate) line: CommandLine,
    command: StartedBy,
    /// Every word that may name an event: the members on the path to the hook, and the texts and lists next to its command.
    events: Vec<String>,
}

/// How the agent starts a command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum StartedBy {
    /// With a shell.
    Shell(String),
    /// Directly: the first word is the program.
    Words(Vec<String>),
}

impl RegisteredHook {
    /// Returns true if the agent starts the hook for the event of a row.
    pub(crate) fn serves(&self, row: &EventRow) -> bool {
        let event = row.registered_name();
        let in_role = row.is_in_role(self.line.role());
        in_role && (self.names(event) || self.line.event() == Some(event))
    }

    /// Returns true if one of the words that may name an event is this one.
    pub(crate) fn names(&self, event: &str) -> bool {
        self.events.iter().any(|word| word == event)
    }

    /// The command line in one text; `None` if it is a list of words.
    pub(crate) fn shell_text(&self) -> Option<&str> {
        match &self.command {
            StartedBy::Shell(text) => Some(text),
            StartedBy::Words(_) => None,
        }
    }

    /// The policies that the line names, as they are after its shell has replaced the home folder.
    pub(crate) fn policies(&self, context: &SetupContext) -> Vec<PathBuf> {
        let home = context.places.home.as_ref().filter(|_| matches!(self.command, StartedBy::Shell(_)));
        let path = |policy: &str| {
            let below = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| policy.strip_prefix(home));
            home.zip(below).map_or_else(|| PathBuf::from(policy), |(home, below)| home.join(below))
        };
        self.line.policies().map(path).collect()
    }

    /// The paths in the line.
    fn paths(&self, agent: &Agent, context: &SetupContext) -> Option<CommandPaths> {
        let policies = self.policies(context).iter().map(|policy| policy.display().to_string()).collect();
        Some(CommandPaths { policies, ..self.line.paths(agent.id)? })
    }

    /// The same hook, which leaves no record in the log.
    pub(crate) fn unlogged(&self, agent: &Agent) -> Self {
        let call = format!("hook {}", agent.id);
        let command = match &self.command {
            StartedBy::Shell(text) => StartedBy::Shell(text.replacen(&call, &format!("{call} {NO_AUDIT}"), 1)),
            StartedBy::Words(words) => {
                let mut words = words.clone();
                if let Some(at) = words.iter().position(|word| word == agent.id) {
                    words.insert(at + 1, NO_AUDIT.to_owned());
                }
                StartedBy::Words(words)
            }
        };
        Self { command, ..self.clone() }
    }

    /// The command, as the agent starts it.
    pub(crate) fn start(&self, agent: &Agent) -> Command {
        let mut command = match &self.command {
            StartedBy::Shell(text) => {
                let users = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
                let shell = match agent.registration.shell {
                    Reader::Sh | Reader::Embedded => "sh".into(),
                    Reader::UserShell => users.unwrap_or_else(|| "/bin/sh".into()),
                };
                let mut command = Command::new(shell);
                command.args(["-c", text]);
                command
            }
            StartedBy::Words(words) => {
                let mut words = words.iter();
                let mut command = Command::new(words.next().map(String::as_str).unwrap_or_default());
                command.args(words);
                command
            }
        };
        let kept = agent.registration.environment;
        if !kept.is_empty() {
            command.env_clear();
            command.envs(kept.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        }
        command
    }
}

const NO_AUDIT: &str = "--no-audit";

/// Finds the hooks of a file that call snaphook for an agent.
pub(crate) fn our_hooks(path: &Path, text: &str, agent: &str) -> Result<Vec<RegisteredHook>, EditFault> {
    let document = Document::parse(Format::of(&path.to_string_lossy()), text)?;
    let nodes = named(&document, agent)?.into_iter().map(|found| found.node);
    Ok(nodes.flat_map(|node| hooks_of(&node.value, &node.at)).collect())
}

/// Finds the lines in the files of an agent that call snaphook: the file of each, and its paths.
pub(crate) fn registered_lines(context: &SetupContext, agent: &Agent) -> Vec<(PathBuf, CommandPaths)> {
    let lines = |file: PathBuf| {
        let text = files::read_text(&file).unwrap_or_default();
        let hooks = our_hooks(&file, &text, agent.id).unwrap_or_default();
        hooks.into_iter().filter_map(move |hook| Some((file.clone(), hook.paths(agent, context)?)))
    };
    context.files(agent).into_iter().flat_map(lines).collect()
}

/// Finds every member `command` of a value, with the `args` next to it. `at` is the path to the value.
pub(crate) fn hooks_of(value: &Value, at: &[String]) -> Vec<RegisteredHook> {
    let mut hooks = Vec::new();
    find(value, at, &mut hooks);
    hooks
}

fn find(value: &Value, at: &[String], hooks: &mut Vec<RegisteredHook>) {
    match value {
        Value::Object(members) => {
            let others = members.iter().filter(|(name, _)| !["command", "args"].contains(&name.as_str()));
            let named = |value: &Value| value.as_str().map(|word| vec![word.to_owned()]).or_else(|| words(value));
            let words = others.filter_map(|(_, value)| named(value)).flatten();
            let events = at.iter().cloned().chain(words).collect();
            hooks.extend(members.get("command").and_then(|command| hook(command, members.get("args"), events)));
            for (name, value) in members {
                find(value, &[at, std::slice::from_ref(name)].concat(), hooks);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| find(value, at, hooks)),
        _ => {}
    }
}

fn hook(command: &Value, args: Option<&Value>, events: Vec<String>) -> Option<RegisteredHook> {
    let command = match (command, args) {
        (Value::String(text), None) => StartedBy::Shell(text.clone()),
        (Value::String(program), Some(args)) => StartedBy::Words([vec![program.clone()], words(args)?].concat()),
        (list, _) => StartedBy::Words(words(list)?),
    };
    let line = match &command {
        StartedBy::Shell(text) => CommandLine::of_shell_text(text),
        StartedBy::Words(words) => CommandLine::of_words(words.clone()),
    };
    Some(RegisteredHook { line, command, events })
}

fn words(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}
