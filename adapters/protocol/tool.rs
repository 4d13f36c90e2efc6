//! The tools of an agent, as data.

use super::Slot;
use crate::Raw;
use crate::model::ShellKind;

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
    /// The folders of the skill files; see [`Skill::places`](crate::model::Skill::places).
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

    /// Returns true if an action is restricted to this value of an argument.
    pub(super) fn lists_value(&self, key: &str, value: &str) -> bool {
        let conditions = self.actions.iter().filter_map(|act| act.only);
        conditions.filter(|only| only.key == key).any(|only| only.values.contains(&value))
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
    /// True if the action may also happen with a value that no action of the tool lists.
    pub or_unlisted: bool,
}

impl ActionCondition {
    /// Requires the argument to have one of the values.
    pub const fn when(key: &'static str, values: &'static [&'static str]) -> Self {
        Self { key, values, or_absent: false, or_unlisted: false }
    }

    /// Accepts an absent argument as well.
    #[must_use]
    pub const fn or_absent(mut self) -> Self {
        self.or_absent = true;
        self
    }

    /// Accepts values that no action of the tool lists as well: another version of the agent may know more spellings.
    #[must_use]
    pub const fn or_unlisted(mut self) -> Self {
        self.or_unlisted = true;
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
