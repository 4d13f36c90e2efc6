//! Translates a tool call to calls of another agent, and new arguments back.

use std::path::{Component, Path, PathBuf};

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Command, McpName, ShellKind, ToolCall};
use snaphook_adapters::protocol::{ActionKind, Agent, McpNames, ToolAction, ToolRow};
use snaphook_adapters::raw::{Object, json_string};

use super::edits::{PatchedFile, is_same, joined_in_lists, member_for, name_in, patch, patched_files, renamed_items};

/// A call of another agent that takes one action of a native call.
#[derive(Debug, Clone)]
pub(super) struct SpokenCall {
    pub(super) call: ToolCall,
    /// The folder in which the command runs, if only the native call names it.
    pub(super) cwd: Option<String>,
    /// True if an approval of this call is one of the native action.
    pub(super) is_exact: bool,
    members: Vec<(String, Origin)>,
}

/// The part of the native arguments from which a member was made.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    /// The value of a member.
    Member(String),
    /// An item of a list.
    Item { key: String, index: usize },
    /// A member of the native call, as a list of one item.
    InList(String),
    /// None, or a part that cannot be replaced.
    None,
}

/// Returns the calls of another agent for a native call. Of several tools that take an action, it is the one that is most like
/// the native tool among those that the matcher accepts. An action that the agent has no tool for is shown as the native
/// call.
pub(super) fn calls(
    native: &'static Agent,
    call: &ToolCall,
    spoken: &'static Agent,
    folder: Option<&str>,
    accepts: &dyn Fn(&str) -> bool,
) -> Vec<SpokenCall> {
    if native.id == spoken.id {
        return Vec::from_iter(accepts(&call.name).then(|| SpokenCall::unchanged(call.clone())));
    }
    let mut found: Vec<SpokenCall> = Vec::new();
    let (mut is_shown, mut covers_all) = (false, true);
    let exact = call.actions.iter().map(|action| (action, true));
    let suggested = call.suggested_actions.iter().map(|action| (action, false));
    let (whole_patch, source) = (WholePatch::of(call), Source::of(call, folder));
    for (action, is_sure) in exact.chain(suggested) {
        let mut tools = source.as_ref().map(|source| source.tools(action, spoken, whole_patch.as_ref()));
        if tools.as_ref().is_none_or(Vec::is_empty) && is_sure && !is_shown {
            is_shown = true;
            tools = Some(Vec::from_iter(SpokenCall::renamed(call, spoken)));
        }
        let Some(mut tools) = tools.filter(|tools| !tools.is_empty()) else { continue };
        let Some(at) = tools.iter().position(|one| accepts(&one.call.name)) else {
            covers_all = false;
            continue;
        };
        let mut one = tools.swap_remove(at);
        one.is_exact &= is_sure;
        let same = |other: &SpokenCall| other.call.name == one.call.name && other.call.input == one.call.input;
        if !found.iter().any(same) {
            found.push(one);
        }
    }
    // An approval of some actions does not approve the others.
    for one in &mut found {
        one.is_exact &= covers_all;
    }
    found
}

/// The patch of a tool whose only argument is one.
struct WholePatch {
    text: String,
    files: Vec<PatchedFile>,
}

impl WholePatch {
    fn of(call: &ToolCall) -> Option<Self> {
        let act = call.row?.actions.iter().find(|act| act.kind == ActionKind::Patch)?;
        let object = call.arguments()?;
        let text = act.slot.keys.iter().find_map(|key| object.last(key))?.text()?.value;
        Some(Self { files: patched_files(&text), text })
    }

    fn file(&self, path: &str) -> Option<&PatchedFile> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// The native call as the source of arguments.
struct Source<'a> {
    call: &'a ToolCall,
    object: Object,
    /// The folder at which relative paths start.
    folder: Option<&'a str>,
}

impl<'a> Source<'a> {
    fn of(call: &'a ToolCall, folder: Option<&'a str>) -> Option<Self> {
        Some(Self { call, object: call.arguments()?, folder })
    }

    /// Returns the calls of the tools of the agent that take an action and whose arguments are most like the native ones. A
    /// tool of the same name comes first.
    fn tools(&self, action: &Action, spoken: &'static Agent, patch: Option<&WholePatch>) -> Vec<SpokenCall> {
        let Some(object) = CallTarget::of(action) else { return Vec::new() };
        let mut found = self.tools_of(&object, spoken, patch);
        if found.is_empty() && object.kind == ActionKind::ShellInput {
            // What is typed into a shell is most likely a command.
            let typed = CallTarget { kind: ActionKind::Shell, shell: Some(ShellKind::Posix), ..object };
            found = self.tools_of(&typed, spoken, patch);
            for (_, call) in &mut found {
                call.is_exact = false;
            }
        }
        let best = found.iter().map(|(score, _)| *score).max();
        found.retain(|(score, _)| Some(*score) == best);
        found.sort_by_key(|(_, call)| !call.call.name.eq_ignore_ascii_case(&self.call.name));
        found.into_iter().map(|(_, call)| call).collect()
    }

    fn tools_of(
        &self,
        object: &CallTarget,
        spoken: &'static Agent,
        patch: Option<&WholePatch>,
    ) -> Vec<(i32, SpokenCall)> {
        let mut found = Vec::new();
        for row in spoken.tools {
            let takes = |act: &&ToolAction| {
                let shell = object.shell.is_none_or(|shell| shell == act.shell.unwrap_or(spoken.shell));
                act.kind == object.kind && shell && (act.kind != ActionKind::Move || act.with.is_some())
            };
            let patches = |act: &&ToolAction| {
                act.kind == ActionKind::Patch && matches!(object.kind, ActionKind::Edit | ActionKind::Write)
            };
            if let Some(act) = row.actions.iter().find(takes) {
                found.extend(self.call_of(object, spoken, row, act, patch));
            } else if let Some(act) = row.actions.iter().find(patches) {
                found.extend(self.patch_of(object, spoken, row, act, patch));
            }
        }
        found
    }

    /// Writes the call of a tool for an action, with a score for its similarity.
    fn call_of(
        &self,
        target: &CallTarget,
        spoken: &'static Agent,
        row: &'static ToolRow,
        act: &ToolAction,
        patch: Option<&WholePatch>,
    ) -> Option<(i32, SpokenCall)> {
        let key = *act.slot.keys.first()?;
        let sample = Raw::document(row.sample).object().ok()?;
        let mut arguments = SpokenArguments::default();
        let place = self.place(target);
        let (value, origin) = match &place {
            Some((_, value, origin)) => (value.as_str().to_owned(), origin.clone()),
            None => (json_string(&target.text), Origin::None),
        };
        let is_absolute =
            |path: Option<Raw>| path.and_then(|path| path.text()).is_some_and(|it| it.value.starts_with('/'));
        let value = match self.folder {
            Some(folder) if is_absolute(sample.last(key)) && !target.text.starts_with(['/', '~']) => {
                json_string(&absolute(folder, &target.text))
            }
            _ => value,
        };
        match (act.slot.each, origin) {
            (true, Origin::Member(of)) if act.slot.element.is_none_or(|element| element.loose) => {
                arguments.add(key, act.slot.holding(&value), Origin::InList(of));
            }
            (true, _) => arguments.add(key, act.slot.holding(&value), Origin::None),
            (false, origin) => arguments.add(key, value, origin),
        }
        for only in act.only.iter().filter(|only| !only.or_absent || sample.has(only.key)) {
            arguments.add(only.key, json_string(only.values.first()?), Origin::None);
        }
        let mut used: Vec<&str> = place.iter().map(|(key, ..)| key.as_str()).collect();
        let with = target.with.as_deref().and_then(|with| self.object.members().find(|(_, value)| says(value, with)));
        if let (Some(own), Some((key, value))) = (act.with, with) {
            arguments.add(own, value.as_str().to_owned(), Origin::Member(key.to_owned()));
            used.push(key);
        }
        let mut score = 0;
        // The patch is the source of the texts of each of its files.
        for (key, value) in self.object.members().filter(|(key, _)| patch.is_none() && !used.contains(key)) {
            let name = name_in(&sample, key).unwrap_or(key);
            if arguments.has(name) {
                score -= 1;
                continue;
            }
            let form = sample.last(name).filter(|form| form.as_str().starts_with('['));
            let is_list_of_objects =
                value.array().is_ok_and(|items| items.first().is_some_and(|item| item.object().is_ok()));
            if is_list_of_objects && form.as_ref().is_some_and(|form| form.array().is_ok_and(|items| items.is_empty()))
            {
                // The names in the items are not known.
                score -= 1;
                continue;
            }
            score += i32::from(sample.has(name));
            match form.and_then(|form| renamed_items(&value, &form)).filter(|items| items.as_str() != value.as_str()) {
                Some(items) => arguments.add(name, items, Origin::None),
                None => arguments.add(name, value.as_str().to_owned(), Origin::Member(key.to_owned())),
            }
        }
        for (name, form) in sample.members() {
            if arguments.has(name) || act.slot.keys.contains(&name) || act.with == Some(name) {
                continue;
            }
            let text = self.text_for(name, target, patch);
            let is_text = form.is_string();
            score -= i32::from(text.is_none() && (is_text || form.as_str().starts_with('[')));
            if is_text {
                arguments.add(name, json_string(&text.unwrap_or_default()), Origin::None);
            } else if let Some(items) = self.list_for(&form) {
                arguments.add(name, items, Origin::None);
            }
        }
        let call = identified(ToolCall::new(row.native, Raw::document("{}"), vec![Action::Other]), self.call);
        let call = call.with_input(spoken, Raw::document(arguments.json()))?;
        let cwd = target.with.clone().filter(|_| target.kind == ActionKind::Shell && act.with.is_none());
        Some((score, SpokenCall { call, cwd, is_exact: true, members: arguments.origins() }))
    }

    /// Writes the call of a tool that takes a patch.
    fn patch_of(
        &self,
        target: &CallTarget,
        spoken: &'static Agent,
        row: &'static ToolRow,
        act: &ToolAction,
        whole: Option<&WholePatch>,
    ) -> Option<(i32, SpokenCall)> {
        let key = *act.slot.keys.first()?;
        let text = |name: &str| self.text_for(name, target, None).unwrap_or_default();
        let text = match (whole, target.kind) {
            (Some(patch), _) => patch.text.clone(),
            (None, ActionKind::Write) => patch(&target.text, "", &text("content")),
            (None, _) => patch(&target.text, &text("old_string"), &text("new_string")),
        };
        let call = identified(ToolCall::new(row.native, Raw::document("{}"), vec![Action::Other]), self.call);
        let input = Raw::document(format!("{{{}:{}}}", json_string(key), json_string(&text)));
        let native = self.call.row.into_iter().flat_map(|row| row.actions);
        let native = native.filter(|act| act.kind == ActionKind::Patch).find_map(|act| act.slot.keys.first());
        let origin = native.map_or(Origin::None, |key| Origin::Member((*key).to_owned()));
        let call = call.with_input(spoken, input)?;
        Some((0, SpokenCall { call, cwd: None, is_exact: true, members: vec![(key.to_owned(), origin)] }))
    }

    /// Returns the text of a missing argument: of the file in a patch, or of all edits in a list.
    fn text_for(&self, name: &str, target: &CallTarget, patch: Option<&WholePatch>) -> Option<String> {
        if let Some(file) = patch.and_then(|patch| patch.file(&target.text)) {
            let texts = [("old_string", &file.old), ("new_string", &file.new), ("content", &file.new)];
            return texts.into_iter().find(|(of, _)| is_same(name, of)).map(|(_, text)| text.clone());
        }
        let direct = member_for(&self.object, name).and_then(|(_, value)| Some(value.text()?.value));
        direct.or_else(|| joined_in_lists(&self.object, name))
    }

    /// Returns a list with the one edit of the call, in the form of another list.
    fn list_for(&self, form: &Raw) -> Option<String> {
        let form = form.array().ok()?.into_iter().next()?.object().ok()?;
        let members = form.members().map(|(name, _)| {
            let (_, value) = member_for(&self.object, name)?;
            Some(format!("{}:{}", json_string(name), value.as_str()))
        });
        Some(format!("[{{{}}}]", members.collect::<Option<Vec<_>>>()?.join(",")))
    }

    /// Returns the argument with the target of an action: its name, its value, and where it is.
    fn place(&self, target: &CallTarget) -> Option<(String, Raw, Origin)> {
        let slots = || self.call.row.into_iter().flat_map(|row| row.actions).flat_map(|act| act.slot.keys);
        let is_slot = |key: &str| slots().any(|slot| slot.eq_ignore_ascii_case(key));
        let of = |key: &str, value: &Raw| {
            let own = || key.to_owned();
            if says(value, &target.text) {
                return Some((own(), value.clone(), Origin::Member(own())));
            }
            let items = value.array().ok()?;
            let index = items.iter().position(|item| says(item, &target.text))?;
            Some((own(), items.into_iter().nth(index)?, Origin::Item { key: own(), index }))
        };
        let members = || self.object.members();
        let words = || members().find(|(_, value)| target.words.is_some() && words_of(value) == target.words);
        if let Some((key, _)) = words() {
            return Some((key.to_owned(), Raw::string(&target.text), Origin::None));
        }
        let slot = members().filter(|(key, _)| is_slot(key)).find_map(|(key, value)| of(key, &value));
        slot.or_else(|| members().find_map(|(key, value)| of(key, &value)))
    }
}

/// The members of new arguments.
#[derive(Default)]
struct SpokenArguments(Vec<(String, String, Origin)>);

impl SpokenArguments {
    fn add(&mut self, key: &str, json: String, origin: Origin) {
        if !self.has(key) {
            self.0.push((key.to_owned(), json, origin));
        }
    }

    fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, ..)| name.eq_ignore_ascii_case(key))
    }

    fn json(&self) -> String {
        let members = self.0.iter().map(|(key, json, _)| format!("{}:{json}", json_string(key)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    fn origins(self) -> Vec<(String, Origin)> {
        self.0.into_iter().map(|(key, _, origin)| (key, origin)).collect()
    }
}

/// What an action is about.
struct CallTarget {
    kind: ActionKind,
    text: String,
    with: Option<String>,
    shell: Option<ShellKind>,
    words: Option<Vec<String>>,
}

impl CallTarget {
    fn of(action: &Action) -> Option<Self> {
        if let Action::Shell { command, cwd, shell } = action.clone() {
            let (text, words) = match command {
                Command::Text(text) => (text.into_string(), None),
                Command::Argv(words) => (line(&words), Some(words)),
            };
            return Some(Self { kind: ActionKind::Shell, text, with: cwd, shell: Some(shell), words });
        }
        let (kind, text, with) = ActionKind::of(action)?;
        Some(Self { kind, text, with, shell: None, words: None })
    }
}

impl SpokenCall {
    fn unchanged(call: ToolCall) -> Self {
        Self { members: own_members(&call), call, cwd: None, is_exact: true }
    }

    /// The native call itself, with the other agent's spelling of an MCP tool.
    fn renamed(call: &ToolCall, spoken: &Agent) -> Option<Self> {
        let input = call.arguments()?.raw().clone();
        let name = call.actions.iter().find_map(|action| match action {
            Action::Mcp(name) => mcp_name(spoken.mcp, name),
            _ => None,
        });
        let name = name.unwrap_or_else(|| call.name.clone());
        let members = own_members(call);
        let call = identified(ToolCall::new(name, input, vec![Action::Other]), call);
        Some(Self { call, cwd: None, is_exact: true, members })
    }

    /// Returns the native arguments for new arguments of this call.
    ///
    /// # Errors
    /// The native call has no argument for a change, as a sentence.
    pub(super) fn native_input(
        &self,
        spoken: &'static Agent,
        native: &ToolCall,
        answered: &Raw,
    ) -> Result<Raw, String> {
        let object = |raw: &Raw| raw.object().map_err(|error| error.to_string());
        let (sent, answered) = (object(&self.call.input)?, object(answered)?);
        let mut input = native.input.clone();
        let lacks = |key: &str| format!("`{}` has no argument for the new `{key}`", native.name);
        for (key, value) in answered.members() {
            if sent.last(key).is_some_and(|before| before.means(&value)) {
                continue;
            }
            let origin = self.members.iter().find(|(name, _)| name == key).map(|(_, origin)| origin);
            let members = object(&input)?;
            input = match origin {
                Some(Origin::Member(own)) => members.with(own, value.as_str()),
                Some(Origin::InList(own)) => match value.array().ok().as_deref() {
                    Some([one]) => members.with(own, one.as_str()),
                    _ => return Err(lacks(key)),
                },
                Some(Origin::Item { key: own, index }) => {
                    let items = members.last(own).and_then(|list| list.array().ok());
                    let item = items.and_then(|items| items.into_iter().nth(*index));
                    item.and_then(|item| members.raw().replace(&item, value.as_str())).ok_or_else(|| lacks(key))?
                }
                Some(Origin::None) => return Err(lacks(key)),
                None => {
                    let own = argument_of(native, key).ok_or_else(|| lacks(key))?;
                    members.with(&own, value.as_str())
                }
            };
        }
        // Only what the other agent knows can be meant to be removed.
        let left_out = |(key, origin): &&(String, Origin)| {
            *origin != Origin::None && !answered.has(key) && is_argument(spoken, &self.call, key)
        };
        for (key, origin) in self.members.iter().filter(left_out) {
            let Origin::Member(own) = origin else { return Err(lacks(key)) };
            input = without(&object(&input)?, own);
        }
        Ok(input)
    }
}

/// Gives a call the id of the native one. Many hooks need an id.
fn identified(mut call: ToolCall, native: &ToolCall) -> ToolCall {
    call.id = Some(native.id.clone().unwrap_or_else(|| "unknown".to_owned()));
    call
}

fn own_members(call: &ToolCall) -> Vec<(String, Origin)> {
    let Some(object) = call.arguments() else { return Vec::new() };
    object.members().map(|(key, _)| (key.to_owned(), Origin::Member(key.to_owned()))).collect()
}

/// Returns the name of a native argument with the meaning of another agent's argument.
fn argument_of(call: &ToolCall, key: &str) -> Option<String> {
    let row = call.row?;
    let slots = row.actions.iter().flat_map(|act| act.slot.keys.iter().copied().chain(act.with));
    if slots.clone().any(|slot| slot == key) {
        return Some(key.to_owned());
    }
    Some(name_in(&Raw::document(row.sample).object().ok()?, key)?.to_owned())
}

/// Returns true if an agent's table names an argument of a tool.
fn is_argument(agent: &Agent, call: &ToolCall, key: &str) -> bool {
    let Some(row) = agent.tools.iter().find(|row| row.native == call.name) else { return true };
    let slots = row.actions.iter().flat_map(|act| act.slot.keys.iter().copied().chain(act.with));
    slots.clone().any(|slot| slot == key) || Raw::document(row.sample).object().is_ok_and(|sample| sample.has(key))
}

fn without(object: &Object, key: &str) -> Raw {
    let members = object.members().filter(|(name, _)| *name != key);
    let members = members.map(|(name, value)| format!("{}:{}", json_string(name), value.as_str()));
    Raw::document(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}

fn mcp_name(names: McpNames, name: &McpName) -> Option<String> {
    Some(match (names, name) {
        (
            McpNames::Split { prefix, between } | McpNames::SplitOrJoined { prefix, between, .. },
            McpName::Split { server, tool },
        ) => {
            format!("{prefix}{server}{between}{tool}")
        }
        (
            McpNames::Split { prefix, .. }
            | McpNames::SplitOrJoined { older: prefix, .. }
            | McpNames::Joined { prefix },
            McpName::Joined(name),
        ) => {
            format!("{prefix}{name}")
        }
        (McpNames::Joined { prefix }, McpName::Split { server, tool }) => format!("{prefix}{server}_{tool}"),
        (McpNames::Bare, McpName::Split { tool, .. }) => tool.clone(),
        (McpNames::Bare, McpName::Joined(name)) => name.clone(),
        _ => return None,
    })
}

fn says(value: &Raw, text: &str) -> bool {
    value.text().is_some_and(|value| value.value == text)
}

fn words_of(value: &Raw) -> Option<Vec<String>> {
    value.array().ok()?.iter().map(|word| Some(word.text()?.value)).collect()
}

/// Joins a path to a folder, without the names of the folder itself and of its parents.
pub(super) fn absolute(folder: &str, path: &str) -> String {
    let mut joined = PathBuf::new();
    for step in Path::new(folder).join(path).components() {
        match step {
            Component::ParentDir => {
                joined.pop();
            }
            Component::CurDir => {}
            step => joined.push(step),
        }
    }
    joined.to_string_lossy().into_owned()
}

/// Writes words as a line for a POSIX shell.
fn line(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%+,-./:=@_".contains(c);
    let quoted = |word: &String| {
        if !word.is_empty() && word.chars().all(is_plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
