//! Tools whose arguments a policy describes.

use std::sync::Arc;

use super::arguments::{ArgumentReader, SlotFault, suggested_actions};
use super::{ActionKind, Agent, ParseError, Problem, Slot, ToolAction};
use crate::Raw;
use crate::model::{Action, HookEvent, ShellKind, ToolCall};
use crate::raw::Keys;

/// A policy's description of the arguments of a tool. For a tool in the agent's table, it adds to the row of that tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaughtTool {
    /// The arguments.
    pub arguments: Vec<TaughtArgument>,
    /// True if the usual names of arguments suggest actions, apart from arguments that are described.
    pub guesses: bool,
}

impl TaughtTool {
    /// Describes a tool by its arguments.
    pub fn new(arguments: Vec<TaughtArgument>) -> Self {
        Self { arguments, guesses: true }
    }

    /// Returns true if usual names suggest other actions than without this description.
    fn changes_guesses(&self) -> bool {
        !self.guesses || self.arguments.iter().any(|argument| argument.applies == DescriptionUse::Exclusive)
    }
}

/// One argument of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaughtArgument {
    /// The kinds of the actions on the argument.
    pub kinds: &'static [ActionKind],
    /// JSON pointer into the arguments.
    pub pointer: String,
    /// True if the argument may be an array of strings, each of which counts.
    pub each: bool,
    /// The shell that runs a command; absent: the agent's usual shell.
    pub shell: Option<ShellKind>,
    /// How the description applies to the call.
    pub applies: DescriptionUse,
    /// True if the pointer may start in an object among the arguments, where some agents put those of an MCP tool.
    pub is_mcp: bool,
    /// The place of the description, for messages.
    pub place: String,
}

/// How a description applies to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there are only these three cases")]
pub enum DescriptionUse {
    /// The tool may be another one, so only deny and ask rules judge the argument.
    Possible,
    /// The tool is the described one.
    Certain,
    /// The same, and the usual name of the argument suggests no other action.
    Exclusive,
}

impl TaughtArgument {
    /// Describes an argument by the actions on it.
    pub fn new(kinds: &'static [ActionKind], pointer: impl Into<String>) -> Self {
        Self {
            kinds,
            pointer: pointer.into(),
            each: false,
            shell: None,
            applies: DescriptionUse::Exclusive,
            is_mcp: false,
            place: String::new(),
        }
    }

    /// Returns true if the call is certainly of the described tool.
    fn is_certain(&self) -> bool {
        self.applies != DescriptionUse::Possible
    }

    /// Returns the actions of a tool row for this argument.
    fn actions(&self) -> impl Iterator<Item = ToolAction> {
        let slot = if self.each { Slot::one_or_each(&[]) } else { Slot::any(&[]) };
        self.kinds.iter().map(move |kind| ToolAction { shell: self.shell, ..kind.on(slot).words() })
    }

    /// Returns the actions on the argument, and its places.
    fn read(&self, input: &Raw, reader: &mut ArgumentReader<'_>) -> Result<(Vec<Action>, Vec<Vec<String>>), Problem> {
        let (mut actions, mut places) = (Vec::new(), Vec::new());
        for (at, value) in self.values(input, reader.keys())? {
            let key = at.last().map_or("", String::as_str);
            for act in self.actions() {
                reader.push_all(&act, key, &value, &mut actions).map_err(|fault| fault.problem)?;
            }
            places.push(at);
        }
        Ok((actions, places))
    }

    /// Returns the values of the argument with their places, of which there are several only among the arguments of an MCP
    /// tool.
    fn values(&self, input: &Raw, keys: Keys) -> Result<Vec<(Vec<String>, Raw)>, Problem> {
        let steps = steps(&self.pointer);
        let mut found = Vec::from_iter(value_at(input, &steps, keys)?.map(|value| (steps.clone(), value)));
        let looks_inside = self.is_mcp && found.is_empty();
        for (name, inner) in inner_objects(input).into_iter().filter(|_| looks_inside) {
            let inside = value_at(&inner, &steps, keys)?;
            found.extend(inside.map(|value| ([&[name], steps.as_slice()].concat(), value)));
        }
        Ok(found)
    }
}

impl HookEvent {
    /// Adds the actions of the arguments that a policy describes to the call of the event.
    ///
    /// # Errors
    /// An argument has another type than described, or is ambiguous.
    pub fn teach(&mut self, tool: Arc<TaughtTool>) -> Result<(), ParseError> {
        let (agent, mut lossy) = (self.agent, self.lossy);
        if let Some(call) = self.call_mut() {
            *call = call.clone().taught(agent, tool, &mut lossy)?;
        }
        self.lossy = lossy;
        Ok(())
    }
}

impl ToolCall {
    /// Returns the call with the actions that a policy describes.
    ///
    /// A tool of the agent's table keeps its own actions. For any other tool the described ones take the place of
    /// [`Action::Other`], and deny and ask rules still judge the name of an MCP tool.
    pub(super) fn taught(
        mut self,
        agent: &'static Agent,
        tool: Arc<TaughtTool>,
        lossy: &mut bool,
    ) -> Result<Self, ParseError> {
        let fault = |pointer: &str, problem, place: &str| ParseError::Described {
            agent: agent.id,
            tool: self.name.clone(),
            pointer: pointer.to_owned(),
            problem,
            place: place.to_owned(),
        };
        let Ok(object) = self.input.object() else { return Ok(self) };
        let mut reader = ArgumentReader::new(agent, object, lossy);
        let (mut certain, mut possible, mut replaced) = (Vec::new(), Vec::new(), Vec::new());
        for argument in &tool.arguments {
            let read = argument.read(&self.input, &mut reader);
            let (mut actions, mut places) = match read {
                Ok(read) => read,
                Err(problem) if argument.is_certain() => {
                    return Err(fault(&argument.pointer, problem, &argument.place));
                }
                // It may be an argument of another tool.
                Err(_) => continue,
            };
            if argument.is_certain() { &mut certain } else { &mut possible }.append(&mut actions);
            if argument.applies == DescriptionUse::Exclusive {
                replaced.append(&mut places);
            }
        }
        if self.row.is_none() && tool.changes_guesses() {
            let is_described = |at: &[&str]| replaced.iter().any(|replaced| replaced == at);
            let guesses = |lossy| suggested_actions(agent, &self.input, &is_described, lossy);
            let found = if tool.guesses { guesses(lossy) } else { Ok(Vec::new()) };
            self.suggested_actions = found.map_err(|SlotFault { key, problem }| fault(&key, problem, ""))?;
        }
        if self.row.is_none() && !certain.is_empty() {
            let named = self.actions.extract_if(.., |action| matches!(action, Action::Mcp(_) | Action::Other));
            possible.extend(named.filter(|action| *action != Action::Other));
        }
        for action in certain {
            add(action, &mut self.actions);
        }
        let is_certain = |action: &Action| self.actions.iter().any(|certain| is_same(certain, action));
        self.suggested_actions.retain(|action| !is_certain(action));
        possible.retain(|action| !is_certain(action));
        for action in possible {
            add(action, &mut self.suggested_actions);
        }
        self.taught = Some(tool);
        Ok(self)
    }

    /// Returns the places of the commands that a policy describes, with the commands.
    pub(super) fn taught_commands(&self, agent: &Agent) -> Vec<(Vec<String>, Raw)> {
        let arguments = self.taught.iter().flat_map(|tool| &tool.arguments);
        let commands =
            arguments.filter(|argument| argument.is_certain() && argument.kinds.contains(&ActionKind::Shell));
        commands.flat_map(|argument| argument.values(&self.input, agent.keys).unwrap_or_default()).collect()
    }
}

fn add(action: Action, actions: &mut Vec<Action>) {
    if !actions.iter().any(|known| is_same(known, &action)) {
        actions.push(action);
    }
}

/// Returns true if two actions are judged alike. The folder of a command is known from a tool row only.
fn is_same(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Shell { command, shell, .. }, Action::Shell { command: others, shell: its, .. }) => {
            command == others && shell == its
        }
        _ => one == other,
    }
}

/// Returns the members of an input that are objects.
pub(super) fn inner_objects(input: &Raw) -> Vec<(String, Raw)> {
    let Ok(object) = input.object() else { return Vec::new() };
    let inner = object.members().filter(|(_, value)| value.as_str().starts_with('{'));
    inner.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the keys in a JSON pointer.
fn steps(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

/// Returns the value at some keys; `null` is absent.
fn value_at(input: &Raw, steps: &[String], keys: Keys) -> Result<Option<Raw>, Problem> {
    let mut here = input.clone();
    for step in steps {
        let next = match here.as_str().as_bytes().first() {
            Some(b'[') => step.parse().ok().and_then(|at: usize| here.array().ok()?.into_iter().nth(at)),
            Some(b'{') => here.object().map_err(Problem::Json)?.find(step, keys)?,
            _ => None,
        };
        let Some(next) = next else { return Ok(None) };
        here = next;
    }
    Ok(Some(here).filter(|value| !value.is_null()))
}

/// Returns the value with the part at some keys replaced. A key that is repeated is replaced wherever it occurs.
pub(super) fn with_part(value: &Raw, steps: &[String], keys: Keys, json: &str) -> Option<Raw> {
    let Some((step, rest)) = steps.split_first() else { return Some(Raw::document(json)) };
    if let Ok(items) = value.array() {
        let item = items.get(step.parse::<usize>().ok()?)?;
        return value.replace(item, with_part(item, rest, keys, json)?.as_str());
    }
    let object = value.object().ok()?;
    let part = with_part(&object.find(step, keys).ok()??, rest, keys, json)?;
    Some(object.with(object.spelling(step, keys)?, part.as_str()))
}
