//! The tools of an agent, as data, and the function that reads the actions of a call.

use super::{Agent, McpNames, Problem};
use crate::Raw;
use crate::model::{Action, Command, McpName, ShellKind, Skill, ToolCall, patched};
use crate::raw::{JsonFault, Object, json_string};

/// One tool of an agent: the actions of its arguments.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolRow {
    /// The agent's own name of the tool.
    pub native: &'static str,
    /// The actions of a call; empty: no action that a rule other than `Tool(…)` can match.
    pub actions: &'static [ToolAction],
    /// JSON pointer to the text in the tool's result; absent: the result itself is the text.
    pub result_text: Option<&'static str>,
    /// The arguments of a small real call, from which test messages are built; the judged arguments are filled in.
    pub sample: &'static str,
    /// The argument by which the actions find the input if it is a text instead of an object; absent: an input that is a
    /// text is invalid.
    pub text_input: Option<&'static str>,
    /// True if commands run inside the tool without a call of a hook.
    pub unseen: bool,
    /// The skills that the tool loads; absent: the agent runs no shell lines of skills that this tool loads.
    pub skills: Option<&'static Skills>,
}

/// The skills that a tool loads and whose shell lines the agent runs.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Skills {
    /// The arguments with the name.
    pub names: &'static [&'static str],
    /// The argument with the values of the variables.
    pub arguments: &'static str,
    /// The argument with another file of the skill.
    pub file: &'static str,
    /// The folders of the skill files; see [`Skill::places`].
    pub places: &'static [&'static str],
}

impl Skills {
    /// Sets the arguments with the name, and the folders of the files.
    pub const fn new(names: &'static [&'static str], places: &'static [&'static str]) -> Self {
        Self { names, arguments: "", file: "", places }
    }

    /// Sets the argument with the values of the variables.
    #[must_use]
    pub const fn arguments(mut self, key: &'static str) -> Self {
        self.arguments = key;
        self
    }

    /// Sets the argument with another file of the skill.
    #[must_use]
    pub const fn file(mut self, key: &'static str) -> Self {
        self.file = key;
        self
    }
}

impl ToolRow {
    /// Describes a tool by its name and its actions.
    pub const fn new(native: &'static str, actions: &'static [ToolAction]) -> Self {
        Self { native, actions, result_text: None, sample: "{}", text_input: None, unseen: false, skills: None }
    }

    /// Sets the JSON pointer to the text of the result.
    #[must_use]
    pub const fn result_text(mut self, pointer: &'static str) -> Self {
        self.result_text = Some(pointer);
        self
    }

    /// States that the input may be a text, which the actions find as this argument. Such an input cannot be changed.
    #[must_use]
    pub const fn text_input(mut self, key: &'static str) -> Self {
        self.text_input = Some(key);
        self
    }

    /// States that commands run inside the tool without a call of a hook.
    #[must_use]
    pub const fn unseen(mut self) -> Self {
        self.unseen = true;
        self
    }

    /// States that the tool loads skills whose shell lines the agent runs.
    #[must_use]
    pub const fn skills(mut self, skills: &'static Skills) -> Self {
        self.skills = Some(skills);
        self
    }

    /// Returns true if an action or the sample has an argument of this name, regardless of case.
    pub fn has_argument(&self, name: &str) -> bool {
        let is = |key: &str| key.eq_ignore_ascii_case(name);
        let in_action = |act: &ToolAction| {
            act.slot.keys.iter().chain(act.with.as_ref()).any(|key| is(key))
                || act.only.is_some_and(|only| is(only.key))
        };
        let in_sample =
            || Raw::document(self.sample).object().is_ok_and(|sample| sample.members().any(|(key, _)| is(key)));
        self.actions.iter().any(in_action) || in_sample()
    }

    /// Sets the sample arguments.
    #[must_use]
    pub const fn sample(mut self, json: &'static str) -> Self {
        self.sample = json;
        self
    }
}

/// One action of a tool, and the argument that holds its object.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolAction {
    /// The kind of the action.
    pub kind: ActionKind,
    /// The argument with the object of the action.
    pub slot: Slot,
    /// A second argument: the directory of a command, the file pattern of a search, or the new name of a move.
    pub with: Option<&'static str>,
    /// The condition of the action; absent: always.
    pub only: Option<ActionCondition>,
    /// The shell that runs a command; absent: the agent's usual shell.
    pub shell: Option<ShellKind>,
    /// True if the agent executes an array of words without a shell, including one that a hook returns. Otherwise an
    /// array is judged and never rewritten.
    pub words: bool,
}

impl ToolAction {
    /// Sets the second argument.
    #[must_use]
    pub const fn with(mut self, key: &'static str) -> Self {
        self.with = Some(key);
        self
    }

    /// Sets the shell of a tool that does not use the agent's usual one.
    #[must_use]
    pub const fn shell(mut self, shell: ShellKind) -> Self {
        self.shell = Some(shell);
        self
    }

    /// States that a command may be an array of words, which the agent executes without a shell.
    #[must_use]
    pub const fn words(mut self) -> Self {
        self.words = true;
        self
    }

    /// Restricts the action to calls in which another argument has one of some values.
    #[must_use]
    pub const fn only(mut self, only: ActionCondition) -> Self {
        self.only = Some(only);
        self
    }
}

/// The condition of an action: an argument has one of some values.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ActionCondition {
    /// The argument.
    pub key: &'static str,
    /// The values; test messages use the first.
    pub values: &'static [&'static str],
    /// True if the action also happens when the argument is absent.
    pub or_absent: bool,
}

impl ActionCondition {
    /// Requires the argument to have one of the values.
    pub const fn when(key: &'static str, values: &'static [&'static str]) -> Self {
        Self { key, values, or_absent: false }
    }

    /// Accepts an absent argument as well.
    #[must_use]
    pub const fn or_absent(mut self) -> Self {
        self.or_absent = true;
        self
    }
}

/// The kind of an action in a tool row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "described at Action")]
pub enum ActionKind {
    Shell,
    ShellInput,
    Read,
    Write,
    Edit,
    Delete,
    Move,
    List,
    Search,
    Fetch,
    WebSearch,
    Subagent,
    /// A call of an MCP tool: the server, and its tool as the second argument.
    Mcp,
    /// A patch in the `*** Begin Patch` format: one action for each file in the patch.
    Patch,
}

impl ActionKind {
    /// Describes an action of this kind that every call of the tool takes on the argument in the slot.
    pub const fn on(self, slot: Slot) -> ToolAction {
        ToolAction { kind: self, slot, with: None, only: None, shell: None, words: false }
    }
}

/// The position of an action's object in the arguments.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Slot {
    /// The keys that may hold the object; each key that is present counts.
    pub keys: &'static [&'static str],
    /// True if the argument is an array, each element of which counts.
    pub each: bool,
    /// True if the argument may be one string instead of an array.
    pub or_one: bool,
    /// The members that hold the objects if the elements of the array are JSON objects; empty: the elements are strings.
    pub members: &'static [&'static str],
    /// The form of an element that is an object; absent: an element is a string.
    pub element: Option<Element>,
    /// The meaning of an argument that is absent or blank.
    pub absent: Absent,
}

/// The form of an element of an argument that is an object. The argument may also be one element instead of an array,
/// and all arguments together may be one element.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Element {
    /// The members with the object of the action; each that is present counts.
    pub members: &'static [&'static str],
    /// The member with the words that follow the program, which then runs without a shell; absent: none.
    pub words: Option<&'static str>,
}

impl Element {
    /// Describes an element by its members.
    pub const fn new(members: &'static [&'static str]) -> Self {
        Self { members, words: None }
    }

    /// Sets the member with the words that follow the program.
    #[must_use]
    pub const fn words(mut self, key: &'static str) -> Self {
        self.words = Some(key);
        self
    }
}

impl Slot {
    /// One required key.
    pub const fn key(keys: &'static [&'static str; 1]) -> Self {
        Self { keys, each: false, or_one: false, members: &[], element: None, absent: Absent::Fault }
    }

    /// Several keys, of which the agent uses the first that is not blank; all are judged.
    pub const fn any(keys: &'static [&'static str]) -> Self {
        Self { keys, each: false, or_one: false, members: &[], element: None, absent: Absent::Fault }
    }

    /// A required array of strings.
    pub const fn each(keys: &'static [&'static str; 1]) -> Self {
        Self { keys, each: true, or_one: false, members: &[], element: None, absent: Absent::Fault }
    }

    /// Several keys, each of which may hold a string or an array of strings; all are judged.
    pub const fn one_or_each(keys: &'static [&'static str]) -> Self {
        Self { keys, each: true, or_one: true, members: &[], element: None, absent: Absent::Fault }
    }

    /// Several keys of arrays, whose elements are strings or objects; all are judged.
    pub const fn elements(keys: &'static [&'static str], element: Element) -> Self {
        Self { keys, each: true, or_one: true, members: &[], element: Some(element), absent: Absent::Fault }
    }

    /// A required array of JSON objects. Each of these members, a string or an array of strings, counts; an element
    /// without one is invalid.
    pub const fn members(keys: &'static [&'static str; 1], members: &'static [&'static str]) -> Self {
        Self { keys, each: true, or_one: false, members, element: None, absent: Absent::Fault }
    }

    /// Returns the argument with one object in it, as JSON. `object` is JSON.
    pub fn holding(&self, object: &str) -> String {
        match self.members.first() {
            Some(member) => format!("[{{{}:{object}}}]", json_string(member)),
            None if self.each => format!("[{object}]"),
            None => object.to_owned(),
        }
    }

    /// Sets the meaning of an absent argument.
    #[must_use]
    pub const fn absent(mut self, absent: Absent) -> Self {
        self.absent = absent;
        self
    }
}

/// The meaning of an absent argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there are only these three cases")]
pub enum Absent {
    /// The call is invalid (J7).
    Fault,
    /// The call does not take this action.
    Nothing,
    /// The agent uses this default.
    As(&'static str),
}

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
        let suggested_actions = suggested_actions(agent, &input, lossy)?;
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
            reader.act(act, &mut actions)?;
        }
        skill = row.skills.map(|skills| reader.skill(skills)).transpose()?;
    }
    if actions.is_empty() {
        actions.push(Action::Other);
    }
    Ok(ToolCall { skill, row: Some(row), ..ToolCall::new(name, input, actions) })
}

/// Returns the arguments in an input, of which a text is one.
fn arguments(row: &ToolRow, input: &Raw) -> Result<Object, JsonFault> {
    match row.text_input.filter(|_| input.text().is_some()) {
        Some(key) => Raw::document(format!("{{{}:{}}}", json_string(key), input.as_str())).object(),
        None => input.object(),
    }
}

/// Argument names by which calls of unlisted tools are recognised, and the actions that such a call may take.
const SUGGESTED_BY_NAME: &[(&str, &[ActionKind])] = &[
    ("command", &[ActionKind::Shell]),
    ("cmd", &[ActionKind::Shell]),
    ("script", &[ActionKind::Shell]),
    ("path", &[ActionKind::Read, ActionKind::Edit]),
    ("file_path", &[ActionKind::Read, ActionKind::Edit]),
    ("url", &[ActionKind::Fetch]),
];

/// Returns the actions that a call of an unlisted tool may take, by the usual names of arguments. Arguments of another
/// type are ignored.
fn suggested_actions(agent: &'static Agent, input: &Raw, lossy: &mut bool) -> Result<Vec<Action>, SlotFault> {
    let mut actions = Vec::new();
    let Ok(object) = input.object() else { return Ok(actions) };
    let mut reader = ArgumentReader { agent, object, refuses: false, lossy };
    for (key, kinds) in SUGGESTED_BY_NAME {
        let Some(value) = reader.find(key)? else { continue };
        let words = if kinds.contains(&ActionKind::Shell) { value.array().unwrap_or_default() } else { Vec::new() };
        let is_list = !words.is_empty() && words.iter().all(|word| word.text().is_some());
        if value.text().is_none() && !is_list {
            continue;
        }
        for kind in *kinds {
            let act = kind.on(Slot::any(&[]));
            for item in reader.items(key, &value, &act)? {
                reader.push(&act, item, None, key, &mut actions)?;
            }
        }
        let arguments = reader.find("args")?.and_then(|args| args.array().ok()).unwrap_or_default();
        let arguments: Option<Vec<_>> = arguments.iter().map(|word| Some(word.text()?.value)).collect();
        if let (Some(Action::Shell { command: Command::Text(program), shell, .. }), Some(arguments)) =
            (actions.last().cloned(), arguments.filter(|arguments| !arguments.is_empty()))
        {
            let command = Command::Argv([vec![program], arguments].concat());
            actions.push(Action::Shell { command, cwd: None, shell });
        }
    }
    Ok(actions)
}

/// Returns the actions of a tool without a row: an MCP call, if the name has that form.
fn actions_of_unlisted(agent: &Agent, name: &str) -> Vec<Action> {
    let mcp = match agent.mcp {
        McpNames::None => None,
        McpNames::Split { prefix, between } => {
            name.strip_prefix(prefix).and_then(|rest| match rest.split_once(between) {
                Some((server, tool)) => Some(McpName::Split { server: server.to_owned(), tool: tool.to_owned() }),
                // Without a prefix, any tool could be meant.
                None if prefix.is_empty() => None,
                None => Some(McpName::Bare(rest.to_owned())),
            })
        }
        McpNames::Tool { prefix } => name.strip_prefix(prefix).map(|rest| McpName::Bare(rest.to_owned())),
        McpNames::Joined { prefix } => name.strip_prefix(prefix).map(|rest| McpName::Joined(rest.to_owned())),
        McpNames::Bare => return vec![Action::Mcp(McpName::Bare(name.to_owned())), Action::Other],
    };
    vec![mcp.map_or(Action::Other, Action::Mcp)]
}

struct ArgumentReader<'a> {
    agent: &'static Agent,
    object: Object,
    /// True if `null` is an error.
    refuses: bool,
    lossy: &'a mut bool,
}

impl ArgumentReader<'_> {
    fn act(&mut self, act: &ToolAction, actions: &mut Vec<Action>) -> Result<(), SlotFault> {
        if let Some(only) = act.only {
            match self.text(only.key)? {
                Some(value) if only.values.contains(&value.as_str()) => {}
                None if only.or_absent => {}
                _ => return Ok(()),
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
        if let Some(element) = act.slot.element {
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
                self.push(act, Command::Text(text.to_owned()), with, key, actions)
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
        if !act.slot.members.is_empty() {
            return self.members(key, value, act.slot.members);
        }
        if let Some(element) = act.slot.element {
            let elements = if value.as_str().starts_with('[') { value.array() } else { Ok(vec![value.clone()]) };
            let mut items = Vec::new();
            for value in elements.map_err(|_| not_a("an array of strings and objects"))? {
                match value.object() {
                    Ok(object) => {
                        let mut inner =
                            ArgumentReader { agent: self.agent, object, refuses: true, lossy: &mut *self.lossy };
                        let found = inner.element(element)?;
                        if found.is_empty() {
                            return Err(SlotFault { key: element.members.join("` or `"), problem: Problem::Missing });
                        }
                        items.extend(found);
                    }
                    Err(_) => items.push(Command::Text(self.decode(key, &value, "an array of strings and objects")?)),
                }
            }
            return Ok(items);
        }
        if act.slot.each && !(act.slot.or_one && value.text().is_some()) {
            let items = value.array().map_err(|_| not_a("an array of strings"))?;
            return items.iter().map(|item| self.decode(key, item, "an array of strings").map(Command::Text)).collect();
        }
        if act.kind == ActionKind::Shell && value.as_str().starts_with('[') {
            let words = value.array().map_err(|_| not_a("a string or an array of strings"))?;
            let words =
                words.iter().map(|word| self.decode(key, word, "an array of strings")).collect::<Result<_, _>>()?;
            return Ok(vec![Command::Argv(words)]);
        }
        let text = self.decode(key, value, "a string")?;
        Ok(if text.trim().is_empty() { Vec::new() } else { vec![Command::Text(text)] })
    }

    /// Returns the strings in some members of each element of a list.
    fn members(&mut self, key: &str, list: &Raw, members: &[&str]) -> Result<Vec<Command>, SlotFault> {
        let fault = |key: &str, problem| SlotFault { key: key.to_owned(), problem };
        let elements = list.array().map_err(|_| fault(key, Problem::NotA("an array of objects")))?;
        let mut found = Vec::new();
        for element in &elements {
            let object = element.object().map_err(|_| fault(key, Problem::NotA("an array of objects")))?;
            let before = found.len();
            for member in members {
                let at = format!("{key}.{member}");
                let value = object.find(member, self.agent.keys).map_err(|problem| fault(&at, problem.into()))?;
                let Some(value) = value.filter(|value| !value.is_null()) else { continue };
                let items = if value.text().is_some() { Ok(vec![value]) } else { value.array() };
                for item in items.map_err(|_| fault(&at, Problem::NotA("a string or an array of strings")))? {
                    found.push(Command::Text(self.decode(&at, &item, "a string")?));
                }
            }
            if found.len() == before {
                return Err(fault(&format!("{key}.{}", members.join("` or `")), Problem::Missing));
            }
        }
        Ok(found)
    }

    /// Returns the objects of the action in the members of an element.
    fn element(&mut self, element: Element) -> Result<Vec<Command>, SlotFault> {
        let words = element.words.map(|key| self.find(key)).transpose()?.flatten();
        let words = words.filter(|words| !words.is_null()).map(|words| {
            let fault = || SlotFault {
                key: element.words.unwrap_or_default().to_owned(),
                problem: Problem::NotA("an array of strings"),
            };
            let words = words.array().map_err(|_| fault())?;
            words
                .iter()
                .map(|word| self.decode("", word, "a string").map_err(|_| fault()))
                .collect::<Result<Vec<_>, _>>()
        });
        let words = words.transpose()?;
        let mut found = Vec::new();
        for key in element.members {
            let Some(text) = self.text(key)? else { continue };
            found.push(match &words {
                Some(words) => Command::Argv([vec![text], words.clone()].concat()),
                None => Command::Text(text),
            });
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
            (_, Command::Text(text)) => text,
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
            ActionKind::Shell | ActionKind::ShellInput => Action::ShellInput { text },
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

    fn decode(&mut self, key: &str, value: &Raw, want: &'static str) -> Result<String, SlotFault> {
        let fault = |problem| SlotFault { key: key.to_owned(), problem };
        let text = value.text().ok_or_else(|| fault(Problem::NotA(want)))?;
        *self.lossy |= text.lossy;
        if text.value.contains('\0') {
            return Err(fault(Problem::Nul));
        }
        Ok(text.value)
    }
}

impl ToolCall {
    /// Reads a call of a tool that has no row, regardless of its name.
    pub(crate) fn unknown(agent: &'static Agent, name: String, input: Raw, actions: Vec<Action>) -> Option<Self> {
        let suggested_actions = suggested_actions(agent, &input, &mut false).ok()?;
        Some(Self { suggested_actions, ..Self::new(name, input, actions) })
    }

    /// Returns the arguments of the call; an input that is a text is one of them.
    pub fn arguments(&self) -> Option<Object> {
        self.row.map_or_else(|| self.input.object(), |row| arguments(row, &self.input)).ok()
    }

    /// Returns the same call with other arguments, or `None` if the tool cannot be called with them.
    pub fn with_input(&self, agent: &'static Agent, input: Raw) -> Option<Self> {
        input.object().ok()?;
        if self.input.text().is_some() {
            return None;
        }
        let mut lossy = false;
        let read = read(agent, self.name.clone(), input, Nulls::Decoded, &mut lossy).ok()?;
        Some(Self { id: self.id.clone(), ..read })
    }

    /// Builds the agent's own call for an action from its tool rows, or returns `None` if no tool of the agent takes
    /// that action.
    pub fn sketch(agent: &'static Agent, action: &Action) -> Option<Self> {
        let (what, text, with) = split_action(action)?;
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

fn split_action(action: &Action) -> Option<(ActionKind, String, Option<String>)> {
    Some(match action.clone() {
        Action::Shell { command: Command::Text(text), cwd, .. } => (ActionKind::Shell, text, cwd),
        Action::ShellInput { text } => (ActionKind::ShellInput, text, None),
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
