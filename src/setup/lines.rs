//! The lines in a file that call us, as the agent would start them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, EventRow, Reader, Role, Setup};
use yaml_rust2::YamlLoader;

use super::edit::yaml::of_yaml;
use super::edit::{Document, Entry, Fault, Format, parts};
use super::look::named;
use super::target::Target;

/// Holds one registered line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// A program and its arguments, or one text for a shell.
    pub(crate) command: Started,
    /// Every word in it, for finding flags.
    words: Vec<String>,
    /// Everything around it that may name events: the members that lead to it, and lists beside it.
    around: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Started {
    Shell(String),
    Words(Vec<String>),
}

impl Line {
    /// The value behind a flag of ours.
    pub(crate) fn flag(&self, name: &str) -> Option<&str> {
        let at = self.words.iter().position(|word| word == name)?;
        self.words.get(at + 1).map(String::as_str)
    }

    /// The program that the line starts with `hook` and the agent's name.
    fn program(&self, agent: &str) -> Option<&str> {
        // Anything else before the program, such as `echo`, is what the line runs.
        let starts_another = |word: &&String| {
            ["exec", "command", "env", "nice", "nohup", "timeout"].contains(&word.as_str())
                || word.contains('=')
                || word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        };
        let at = self.words.iter().take_while(starts_another).count();
        match self.words.get(at..)? {
            [program, hook, whose, ..] if hook == "hook" && whose == agent => Some(program),
            _ => None,
        }
    }

    /// Returns true if the line runs snaphook for an agent. A program of another name is taken for ours only if
    /// something else in the line names us, such as the path of the policy.
    pub(crate) fn calls(&self, agent: &str) -> bool {
        self.program(agent).is_some_and(|program| {
            let name = program.rsplit('/').next().unwrap_or(program);
            let rest = name.strip_prefix("snaphook");
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', '.']))
                || self.words.iter().any(|word| word != program && word.contains("snaphook"))
        })
    }

    /// What it names, where it calls our hook for an agent.
    pub(crate) fn names(&self, agent: &str) -> Option<Setup> {
        let mut setup = Setup::new(self.program(agent)?);
        setup.policy = self.flag("--policy").map(str::to_owned);
        setup.audit = self.flag("--audit").map(str::to_owned);
        setup.trust = self.flag("--trust").map(str::to_owned);
        Some(setup)
    }

    /// Which of several lines of one event it is.
    pub(crate) fn role(&self) -> Role {
        let has = |flag: &str| self.words.iter().any(|word| word == flag);
        match () {
            () if has("--guarded") => Role::Guarded,
            () if has("--preempt") => Role::Preempt,
            () => Role::Alone,
        }
    }

    /// Whether the agent starts it for an event.
    pub(crate) fn serves(&self, row: &EventRow) -> bool {
        let word = if row.brought_by.is_empty() { row.native } else { row.brought_by };
        self.around.iter().any(|around| around == word) && (row.roles.is_empty() || row.roles.contains(&self.role()))
    }

    /// The command as the agent starts it.
    pub(crate) fn start(&self, agent: &Agent) -> Command {
        let mut command = match &self.command {
            Started::Shell(text) => {
                let users = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
                let shell = match agent.registration.shell {
                    Reader::Sh => "sh".into(),
                    Reader::UserShell => users.unwrap_or_else(|| "/bin/sh".into()),
                };
                let mut command = Command::new(shell);
                command.args(["-c", text]);
                command
            }
            Started::Words(words) => {
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

/// Finds the lines of a file that call us for an agent.
pub(crate) fn lines(path: &Path, text: &str, agent: &str) -> Result<Vec<Line>, Fault> {
    let format = Format::of(&path.to_string_lossy());
    let document = Document::parse(format, text)?;
    let mut lines = Vec::new();
    for place in named(&document, agent)? {
        lines.extend(of_entry(&place.entry, format));
    }
    Ok(lines)
}

/// The lines that a block has where it is installed.
pub(crate) fn of_block(target: &Target, setup: &Setup) -> Vec<Line> {
    let (entries, _) = parts(target.format, &(target.block.text)(setup)).unwrap_or_default();
    entries.iter().flat_map(|entry| of_entry(entry, target.format)).collect()
}

/// The lines of one entry.
pub(crate) fn of_entry(entry: &Entry, format: Format) -> Vec<Line> {
    let mut lines = Vec::new();
    match (format, &entry.value) {
        (Format::Own | Format::Yaml, Value::String(text)) => {
            let yaml = YamlLoader::load_from_str(text).unwrap_or_default();
            for yaml in &yaml {
                commands(&of_yaml(yaml), &entry.at, &mut lines);
            }
        }
        (_, value) => commands(value, &entry.at, &mut lines),
    }
    lines
}

/// Every `command` in a value, with its `args`.
fn commands(value: &Value, at: &[String], into: &mut Vec<Line>) {
    match value {
        Value::Object(members) => {
            let texts = members.iter().filter(|(name, _)| !["command", "args"].contains(&name.as_str()));
            let texts = texts.filter_map(|(_, value)| words(value)).flatten();
            let around = at.iter().cloned().chain(texts).collect();
            into.extend(members.get("command").and_then(|command| line(command, members.get("args"), around)));
            for (name, value) in members {
                commands(value, &[at, std::slice::from_ref(name)].concat(), into);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| commands(value, at, into)),
        _ => {}
    }
}

fn words(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

fn line(command: &Value, args: Option<&Value>, around: Vec<String>) -> Option<Line> {
    let command = match (command, args) {
        (Value::String(program), Some(args)) => Started::Words([vec![program.clone()], words(args)?].concat()),
        (Value::String(text), None) => Started::Shell(text.clone()),
        (list, _) => Started::Words(words(list)?),
    };
    let words = match &command {
        Started::Words(words) => words.clone(),
        Started::Shell(text) => words_in(text),
    };
    Some(Line { command, words, around })
}

/// The words of a text for a shell, and of the text that it hands on to another one.
fn words_in(text: &str) -> Vec<String> {
    let words = shlex::split(text).unwrap_or_default();
    if let Some([flag, script]) = words.get(1..3).filter(|_| words.len() == 3)
        && flag == "-c"
    {
        return words_in(script);
    }
    let bare = |word: &String| word.strip_prefix("out=$(").unwrap_or(word).trim_end_matches([')', ';']).to_owned();
    words.iter().map(bare).collect()
}
