//! Reads the actions of a call from its arguments.

use std::sync::Arc;

use super::{Absent, ActionKind, Agent, Element, McpNames, Problem, Skills, Slot, ToolAction, ToolRow};
use crate::Raw;
use crate::model::{Action, Command, CommandText, McpName, Skill, ToolCall, patched, without_nul};
use crate::raw::{JsonFault, Keys, Object, json_string};

/// The error in one argument.
pub(super) struct SlotFault {
    pub(super) key: String,
    pub(super) problem: Problem,
}

/// The treatment of a `null` in an argument that a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    /// The agent's decoder determines the value.
    Decoded,
    /// The argument is absent, because the call has already run.
    Absent,
}

/// Reads the actions of a call. Sets `lossy` if a judged string contains a lone surrogate.
pub(super) fn read(
    agent: &'static Agent,
    name: String,
    input: Raw,
    nulls: Nulls,
    lossy: &mut bool,
) -> Result<ToolCall, SlotFault> {
    let Some(row) = agent.tools.iter().find(|row| row.native == name) else {
        let suggested_actions = suggested_actions(agent, &input, &|_| false, lossy)?;
        let actions = actions_of_unlisted(agent, &name);
        return Ok(ToolCall { suggested_actions, ..ToolCall::new(name, input, actions) });
    };
    let mut actions = Vec::new();
    let mut skill = None;
    if !row.actions.is_empty() || row.skills.is_some() {
        let object =
            arguments(row, &input).map_err(|fault| SlotFault { key: String::new(), problem: Problem::Json(fault) })?;
        let refuses = agent.null_keeps_earlier_value && nulls == Nulls::Decoded;
        let mut reader = ArgumentReader { agent, object, refuses, lossy };
        for act in row.actions {
            reader.act(row, act, &mut actions)?;
        }
        skill = row.skills.map(|skills| reader.skill(skills)).transpose()?;
    }
    // A row that names a tool of an MCP server says nothing about the arguments of that tool.
    let names_other = !row.actions.is_empty() && row.actions.iter().all(|act| act.kind == ActionKind::Mcp);
    let suggested_actions = if names_other { suggested_actions(agent, &input, &|_| false, lossy)? } else { Vec::new() };
    if actions.is_empty() {
        actions.push(Action::Other);
    }
    Ok(ToolCall { skill, suggested_actions, row: Some(row), ..ToolCall::new(name, input, actions) })
}

/// Returns the arguments in an input, of which a text is one.
fn arguments(row: &ToolRow, input: &Raw) -> Result<Object, JsonFault> {
    match row.text_input.filter(|_| input.is_string()) {
        Some(key) => Raw::document(format!("{{{}:{}}}", json_string(key), input.as_str())).object(),
        None => input.object(),
    }
}

/// Argument names by which calls of unlisted tools are recognised, and the actions that such a call may take.
const SUGGESTED_BY_NAME: &[(&str, &[ActionKind])] = &[
    ("command", &[ActionKind::Shell]),
    ("cmd", &[ActionKind::Shell]),
    ("script", &[ActionKind::Shell]),
    ("path", FILE),
    ("file_path", FILE),
    ("filePath", FILE),
    ("absolute_path", FILE),
    ("target_file", FILE),
    ("paths", FILE),
    ("file_paths", FILE),
    ("files", FILE),
    ("url", &[ActionKind::Fetch]),
];
const FILE: &[ActionKind] = &[ActionKind::Read, ActionKind::Edit];

/// Returns the actions that a call of an unlisted tool may take, by the usual names of arguments. Arguments of another
/// type are ignored, and so are those at the places that `is_described` accepts. An object among the arguments may hold
/// those of a tool of an MCP server.
pub(super) fn suggested_actions(
    agent: &'static Agent,
    input: &Raw,
    is_described: &dyn Fn(&[&str]) -> bool,
    lossy: &mut bool,
) -> Result<Vec<Action>, SlotFault> {
    let Ok(object) = input.object() else { return Ok(Vec::new()) };
    let inner: Vec<_> =
        object.members().filter_map(|(name, value)| Some((name.to_owned(), value.object().ok()?))).collect();
    let mut actions = suggested_by_name(agent, object, &|key| is_described(&[key]), lossy)?;
    for (name, object) in inner {
        actions.extend(suggested_by_name(agent, object, &|key| is_described(&[name.as_str(), key]), lossy)?);
    }
    Ok(actions)
}

fn suggested_by_name(
    agent: &'static Agent,
    object: Object,
    is_described: &dyn Fn(&str) -> bool,
    lossy: &mut bool,
) -> Result<Vec<Action>, SlotFault> {
    let mut actions = Vec::new();
    let mut reader = ArgumentReader::new(agent, object, lossy);
    for (key, kinds) in SUGGESTED_BY_NAME {
        let Some(value) = reader.find(key)? else { continue };
        let items = value.array().unwrap_or_default();
        let is_list = !items.is_empty() && items.iter().all(Raw::is_string);
        if !value.is_string() && !is_list {
            continue;
        }
        let mut found = Vec::new();
        for kind in *kinds {
            // A list is one command, but several files or addresses.
            let slot = if *kind == ActionKind::Shell { Slot::any(&[]) } else { Slot::one_or_each(&[]) };
            reader.push_all(&kind.on(slot), key, &value, &mut found)?;
        }
        let arguments = reader.find("args")?.and_then(|args| args.array().ok()).unwrap_or_default();
        let arguments: Option<Vec<_>> = arguments.iter().map(|word| Some(word.text()?.value)).collect();
        let with_arguments = match (found.last(), arguments.filter(|arguments| !arguments.is_empty())) {
            (Some(Action::Shell { command: Command::Text(program), shell, .. }), Some(arguments)) => {
                let command = Command::Argv([vec![program.whole().into_owned()], arguments].concat());
                Some(Action::Shell { command, cwd: None, shell: *shell })
            }
            _ => None,
        };
        if !is_described(key) {
            actions.append(&mut found);
        }
        actions.extend(with_arguments);
    }
    Ok(actions)
}

/// Returns the actions of a tool without a row: an MCP call, if the name has that form.
fn actions_of_unlisted(agent: &Agent, name: &str) -> Vec<Action> {
    let split = |prefix: &str, between: &str| {
        name.strip_prefix(prefix).and_then(|rest| match rest.split_once(between) {
            Some((server, tool)) => Some(McpName::Split { server: server.to_owned(), tool: tool.to_owned() }),
            // Without a prefix, any tool could be meant.
            None if prefix.is_empty() => None,
            None => Some(McpName::Bare(rest.to_owned())),
        })
    };
    let joined = |prefix: &str| name.strip_prefix(prefix).map(|rest| McpName::Joined(rest.to_owned()));
    let mcp = match agent.mcp {
        McpNames::None => None,
        McpNames::Split { prefix, between } => split(prefix, between),
        McpNames::SplitOrJoined { prefix, between, older } => split(prefix, between).or_else(|| joined(older)),
        McpNames::Tool { prefix } => name.strip_prefix(prefix).map(|rest| McpName::Bare(rest.to_owned())),
        McpNames::Joined { prefix } => joined(prefix),
        McpNames::Bare => return vec![Action::Mcp(McpName::Bare(name.to_owned())), Action::Other],
    };
    vec![mcp.map_or(Action::Other, Action::Mcp)]
}

/// Reads the values of arguments.
pub(super) struct ArgumentReader<'a> {
    agent: &'static Agent,
    object: Object,
    /// True if `null` is an error.
    refuses: bool,
    lossy: &'a mut bool,
}

impl<'a> ArgumentReader<'a> {
    /// Reads the values of an object.
    pub(super) fn new(agent: &'static Agent, object: Object, lossy: &'a mut bool) -> Self {
        Self { agent, object, refuses: false, lossy }
    }

    /// The way in which the agent finds an argument by its name.
    pub(super) fn keys(&self) -> Keys {
        self.agent.keys
    }

    /// Adds the actions on every string of a value.
    pub(super) fn push_all(
        &mut self,
        act: &ToolAction,
        key: &str,
        value: &Raw,
        actions: &mut Vec<Action>,
    ) -> Result<(), SlotFault> {
        for item in self.items(key, value, act)? {
            self.push(act, item, None, key, actions)?;
        }
        Ok(())
    }

    fn act(&mut self, row: &ToolRow, act: &ToolAction, actions: &mut Vec<Action>) -> Result<(), SlotFault> {
        if let Some(only) = act.only {
            let happens = match self.text(only.key)? {
                Some(value) if only.or_unlisted && !row.lists_value(only.key, &value) => true,
                Some(value) => only.values.contains(&value.as_str()),
                None => only.or_absent,
            };
            if !happens {
                return Ok(());
            }
        }
        let with = act.with.map(|key| self.text(key)).transpose()?.flatten();
        let with = with.filter(|text| !text.trim().is_empty());
        let mut found = false;
        let mut problem = Problem::Missing;
        for key in act.slot.keys {
            let Some(value) = self.find(key)? else { continue };
            problem = Problem::Blank;
            for item in self.items(key, &value, act)? {
                found = true;
                self.push(act, item, with.clone(), key, actions)?;
            }
        }
        if let Some(element) = act.slot.element.filter(|element| element.loose) {
            for item in self.element(element)? {
                found = true;
                self.push(act, item, with.clone(), "", actions)?;
            }
        }
        match act.slot.absent {
            _ if found => Ok(()),
            Absent::Nothing => Ok(()),
            Absent::As(text) => {
                let key = act.slot.keys.first().copied().unwrap_or_default();
                self.push(act, text.into(), with, key, actions)
            }
            Absent::Fault => Err(SlotFault { key: act.slot.keys.join("` or `"), problem }),
        }
    }

    fn skill(&mut self, skills: &Skills) -> Result<Skill, SlotFault> {
        let mut names = Vec::new();
        for key in skills.names {
            names.extend(self.text(key)?);
        }
        // Values of every type are kept, because the agent may run their text.
        let arguments = self.find(skills.arguments)?.filter(|value| !value.is_null());
        let arguments =
            arguments.map(|value| value.text().map_or_else(|| value.as_str().to_owned(), |text| text.value));
        let file = self.text(skills.file)?;
        Ok(Skill { arguments: arguments.unwrap_or_default(), file, ..Skill::new(names, skills.places) })
    }

    /// Returns the strings in one slot. A blank string counts as absent, as agents treat it.
    fn items(&mut self, key: &str, value: &Raw, act: &ToolAction) -> Result<Vec<Command>, SlotFault> {
        let not_a = |what| SlotFault { key: key.to_owned(), problem: Problem::NotA(what) };
        if value.is_null() && act.slot.absent != Absent::Fault {
            return Ok(Vec::new());
        }
        if let Some(element) = act.slot.element {
            return self.elements(key, value, element);
        }
        if act.slot.each && !(act.slot.or_one && value.is_string()) {
            let items = value.array().map_err(|_| not_a("an array of strings"))?;
            return items
                .iter()
                .map(|item| self.command_text(key, item, "an array of strings").map(Command::Text))
                .collect();
        }
        if act.kind == ActionKind::Shell && value.as_str().starts_with('[') {
            let words = value.array().map_err(|_| not_a("a string or an array of strings"))?;
            let words =
                words.iter().map(|word| self.decode(key, word, "an array of strings")).collect::<Result<_, _>>()?;
            return Ok(vec![Command::Argv(words)]);
        }
        let text = self.command_text(key, value, "a string")?;
        let is_blank = text.start().trim().is_empty() && (text.is_whole() || text.whole().trim().is_empty());
        Ok(if is_blank { Vec::new() } else { vec![Command::Text(text)] })
    }

    /// Returns the objects of the action in a list of elements.
    fn elements(&mut self, key: &str, list: &Raw, element: Element) -> Result<Vec<Command>, SlotFault> {
        let want = if element.loose { "an array of strings and objects" } else { "an array of objects" };
        let fault = || SlotFault { key: key.to_owned(), problem: Problem::NotA(want) };
        let is_one = element.loose && !list.as_str().starts_with('[');
        let mut found = Vec::new();
        for value in if is_one { vec![list.clone()] } else { list.array().map_err(|_| fault())? } {
            let Ok(object) = value.object() else {
                if !element.loose {
                    return Err(fault());
                }
                found.push(Command::Text(self.command_text(key, &value, want)?));
                continue;
            };
            let mut inner =
                ArgumentReader { agent: self.agent, object, refuses: self.refuses, lossy: &mut *self.lossy };
            let here =
                inner.element(element).map_err(|fault| SlotFault { key: format!("{key}.{}", fault.key), ..fault })?;
            if here.is_empty() {
                let key = format!("{key}.{}", element.members.join("` or `"));
                return Err(SlotFault { key, problem: Problem::Missing });
            }
            found.extend(here);
        }
        Ok(found)
    }

    /// Returns the objects of the action in the members of an element.
    fn element(&mut self, element: Element) -> Result<Vec<Command>, SlotFault> {
        let words = element.words.map(|key| self.list(key)).transpose()?.flatten();
        let mut found = Vec::new();
        for key in element.members {
            for text in self.texts(key)?.unwrap_or_default() {
                found.push(match &words {
                    Some(words) => Command::Argv([vec![text], words.clone()].concat()),
                    None => text.into(),
                });
            }
        }
        Ok(found)
    }

    fn push(
        &mut self,
        act: &ToolAction,
        item: Command,
        with: Option<String>,
        key: &str,
        actions: &mut Vec<Action>,
    ) -> Result<(), SlotFault> {
        let text = match (act.kind, item) {
            (ActionKind::Shell, command) => {
                let shell = act.shell.unwrap_or(self.agent.shell);
                actions.push(Action::Shell { command, cwd: with, shell });
                return Ok(());
            }
            (ActionKind::ShellInput, Command::Text(text)) => {
                actions.push(Action::ShellInput { text });
                return Ok(());
            }
            (_, Command::Text(text)) => text.into_string(),
            (_, Command::Argv(words)) => words.join(" "),
        };
        actions.push(match act.kind {
            ActionKind::Patch => {
                let files = patched(&text).ok_or_else(|| SlotFault {
                    key: key.to_owned(),
                    problem: Problem::NotA("a patch in the `*** Begin Patch` format"),
                })?;
                actions.extend(files);
                return Ok(());
            }
            ActionKind::Shell | ActionKind::ShellInput => Action::ShellInput { text: text.into() },
            ActionKind::Read => Action::Read { path: text },
            ActionKind::Write => Action::Write { path: text },
            ActionKind::Edit => Action::Edit { path: text },
            ActionKind::Delete => Action::Delete { path: text },
            ActionKind::Move => Action::Move { from: text, to: with.unwrap_or_default() },
            ActionKind::List => Action::List { path: text },
            ActionKind::Search => Action::Search { path: text, pattern: with },
            ActionKind::Fetch => Action::Fetch { url: text },
            ActionKind::WebSearch => Action::WebSearch { query: text },
            ActionKind::Subagent => Action::Subagent { name: Some(text).filter(|name| !name.is_empty()) },
            ActionKind::Mcp => Action::Mcp(match with {
                Some(tool) => McpName::Split { server: text, tool },
                None => McpName::Bare(text),
            }),
        });
        Ok(())
    }

    fn find(&self, key: &str) -> Result<Option<Raw>, SlotFault> {
        let fault = |problem| SlotFault { key: key.to_owned(), problem };
        match self.object.find(key, self.agent.keys).map_err(|e| fault(e.into()))? {
            Some(value) if self.refuses && value.is_null() => Err(fault(Problem::Null)),
            found => Ok(found),
        }
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, SlotFault> {
        match self.find(key)?.filter(|value| !value.is_null()) {
            Some(value) => self.decode(key, &value, "a string").map(Some),
            None => Ok(None),
        }
    }

    /// Returns the strings of a member that is a string or an array of strings.
    fn texts(&mut self, key: &str) -> Result<Option<Vec<String>>, SlotFault> {
        match self.find(key)?.filter(Raw::is_string) {
            Some(value) => self.decode(key, &value, "a string").map(|text| Some(vec![text])),
            None => self.list(key),
        }
    }

    /// Returns the strings of a member that is an array of strings.
    fn list(&mut self, key: &str) -> Result<Option<Vec<String>>, SlotFault> {
        const WANT: &str = "an array of strings";
        let Some(value) = self.find(key)?.filter(|value| !value.is_null()) else { return Ok(None) };
        let items = value.array().map_err(|_| SlotFault { key: key.to_owned(), problem: Problem::NotA(WANT) })?;
        items.iter().map(|item| self.decode(key, item, WANT)).collect::<Result<_, _>>().map(Some)
    }

    fn command_text(&mut self, key: &str, value: &Raw, want: &'static str) -> Result<CommandText, SlotFault> {
        CommandText::read(value, want, self.lossy).map_err(|problem| SlotFault { key: key.to_owned(), problem })
    }

    fn decode(&mut self, key: &str, value: &Raw, want: &'static str) -> Result<String, SlotFault> {
        let fault = |problem| SlotFault { key: key.to_owned(), problem };
        let text = value.text().ok_or_else(|| fault(Problem::NotA(want)))?;
        without_nul(text, self.lossy).map_err(fault)
    }
}

impl ToolCall {
    /// Reads a call of a tool that has no row, regardless of its name.
    pub(crate) fn unknown(agent: &'static Agent, name: String, input: Raw, actions: Vec<Action>) -> Option<Self> {
        let suggested_actions = suggested_actions(agent, &input, &|_| false, &mut false).ok()?;
        Some(Self { suggested_actions, ..Self::new(name, input, actions) })
    }

    /// Builds a call of a tool by its name, as the agent sends it. A tool of an MCP server may have the name
    /// `mcp__SERVER__TOOL`.
    ///
    /// Returns `None` if the tool cannot be called with these arguments.
    pub fn named(agent: &'static Agent, tool: &str, input: Raw) -> Option<Self> {
        input.object().ok()?;
        let mcp = tool.strip_prefix("mcp__").and_then(|name| name.split_once("__"));
        let name = mcp.map_or_else(|| tool.to_owned(), |(server, tool)| agent.mcp.name(server, tool));
        read(agent, name, input, Nulls::Decoded, &mut false).ok()
    }

    /// Returns the arguments of the call; an input that is a text is one of them.
    pub fn arguments(&self) -> Option<Object> {
        self.row.map_or_else(|| self.input.object(), |row| arguments(row, &self.input)).ok()
    }

    /// Returns the same call with other arguments, or `None` if the tool cannot be called with them.
    pub fn with_input(&self, agent: &'static Agent, input: Raw) -> Option<Self> {
        input.object().ok()?;
        if self.input.is_string() {
            return None;
        }
        let mut lossy = false;
        let read = read(agent, self.name.clone(), input, Nulls::Decoded, &mut lossy).ok()?;
        let read = match &self.taught {
            Some(tool) => read.taught(agent, Arc::clone(tool), &mut lossy).ok()?,
            None => read,
        };
        Some(Self { id: self.id.clone(), ..read })
    }

    /// Returns the call of another tool in the place of this one, or `None` if it cannot be called with these arguments. What
    /// a policy describes of it is not known.
    pub fn of_other_tool(&self, agent: &'static Agent, tool: &str, input: Raw) -> Option<Self> {
        input.object().ok()?;
        let read = read(agent, tool.to_owned(), input, Nulls::Decoded, &mut false).ok()?;
        Some(Self { id: self.id.clone(), ..read })
    }

    /// Builds the agent's own call for an action from its tool rows, or returns `None` if no tool of the agent takes
    /// that action.
    pub fn sketch(agent: &'static Agent, action: &Action) -> Option<Self> {
        let (what, text, with) = ActionKind::of(action)?;
        let fits = |act: &&ToolAction| act.kind == what && (what != ActionKind::Move || act.with.is_some());
        let (row, act) = agent.tools.iter().find_map(|row| row.actions.iter().find(fits).map(|act| (row, act)))?;
        let key = act.slot.keys.first()?;
        let value = act.slot.holding(&json_string(&text));
        let mut input = Raw::document(row.sample);
        for only in act.only.iter().filter(|only| !only.or_absent) {
            input = input.object().ok()?.with(only.key, &json_string(only.values.first()?));
        }
        input = input.object().ok()?.with(key, &value);
        if let (Some(key), Some(with)) = (act.with, with) {
            input = input.object().ok()?.with(key, &json_string(&with));
        }
        let mut lossy = false;
        read(agent, row.native.to_owned(), input, Nulls::Decoded, &mut lossy).ok()
    }
}

impl ActionKind {
    /// Returns the kind of an action with its object and its second argument, or `None` if no tool row names its kind or
    /// the command is a list of words.
    pub fn of(action: &Action) -> Option<(Self, String, Option<String>)> {
        Some(match action.clone() {
            Action::Shell { command: Command::Text(text), cwd, .. } => (ActionKind::Shell, text.into_string(), cwd),
            Action::ShellInput { text } => (ActionKind::ShellInput, text.into_string(), None),
            Action::Read { path } => (ActionKind::Read, path, None),
            Action::Write { path } => (ActionKind::Write, path, None),
            Action::Edit { path } => (ActionKind::Edit, path, None),
            Action::Delete { path } => (ActionKind::Delete, path, None),
            Action::Move { from, to } => (ActionKind::Move, from, Some(to)),
            Action::List { path } => (ActionKind::List, path, None),
            Action::Search { path, pattern } => (ActionKind::Search, path, pattern),
            Action::Fetch { url } => (ActionKind::Fetch, url, None),
            Action::WebSearch { query } => (ActionKind::WebSearch, query, None),
            Action::Subagent { name } => (ActionKind::Subagent, name.unwrap_or_default(), None),
            _ => return None,
        })
    }
}
