//! Finds the hooks that are registered with an agent, and writes them to a policy as handlers.

use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_adapters::protocol::{
    Agent, Block, Entry, EntryForm, EntryKey, FailureAnswer, Field, MatcherSyntax, Reader,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_edit::{Array, DocumentMut, Item, Table};

use super::conflicts::every;
use super::edit::{Document, Format, yaml};
use super::hooks::hooks_of;
use super::target::SetupContext;
use crate::files;

/// The hooks of one file.
#[derive(Debug)]
pub(crate) struct FoundHooks {
    pub(crate) file: PathBuf,
    /// The file as messages show it.
    pub(crate) shown: String,
    /// True if the file belongs to a project.
    pub(crate) of_project: bool,
    pub(crate) hooks: Vec<ForeignHook>,
    /// The hooks that cannot be handlers, with the reason.
    pub(crate) lost: Vec<String>,
}

/// Members that change when a hook is called, where it runs, or what its answer does.
const CONDITIONS: [&str; 4] = ["if", "async", "asyncRewake", "env"];

/// A registered hook of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignHook {
    agent: &'static str,
    pub(crate) events: Vec<String>,
    pub(crate) matcher: String,
    pub(crate) command: Vec<String>,
    timeout_ms: Option<u64>,
    file: String,
}

/// Finds the hooks in every file of an agent, in the order of its table.
///
/// # Errors
/// A file cannot be read or is not valid.
pub(crate) fn found(context: &SetupContext, agent: &'static Agent) -> Result<Vec<FoundHooks>, String> {
    let registration = &agent.registration;
    let mut paths: Vec<(PathBuf, bool)> = Vec::new();
    let blocks = registration.blocks.iter().flat_map(|block| [(block.file, false), (block.project, true)]);
    let named = registration.files.iter().map(|file| (file.path, file.is_of_project()));
    for (path, of_project) in named.chain(blocks).filter(|(path, _)| !path.contains(' ')) {
        let found = context.path(agent, path).map(|path| super::target::expand(&path)).unwrap_or_default();
        paths.extend(found.into_iter().map(|file| (file, of_project)));
    }
    let plugins = registration.plugins.iter().filter_map(|path| context.path(agent, path));
    paths.extend(plugins.flat_map(|path| every(&path)).map(|file| (file, false)));
    let mut all: Vec<FoundHooks> = Vec::new();
    for (file, of_project) in paths {
        let format = Format::of(&file.to_string_lossy());
        if format == Format::Own || all.iter().any(|other| other.file == file) {
            continue;
        }
        let name = file.to_string_lossy();
        let Some(bytes) = files::read(&file).map_err(|error| format!("{name}: {error}"))? else { continue };
        let text = String::from_utf8(bytes).map_err(|_| format!("{name}: it is not UTF-8"))?;
        let tree = tree(format, &text).map_err(|fault| format!("{name}:{fault}"))?;
        let shown = context.places.shown(&file);
        let mut found = FoundHooks { file, shown, of_project, hooks: Vec::new(), lost: Vec::new() };
        for block in registration.blocks {
            found.read(agent, block, &tree);
        }
        found.join_matchers(agent);
        if !found.hooks.is_empty() || !found.lost.is_empty() {
            all.push(found);
        }
    }
    Ok(all)
}

fn tree(format: Format, text: &str) -> Result<Value, super::edit::EditFault> {
    if format == Format::Yaml {
        return Ok(yaml::value_of(text));
    }
    let found = Document::parse(format, text)?.found(&[], false)?;
    Ok(found.into_iter().next().unwrap_or_default())
}

impl FoundHooks {
    fn read(&mut self, agent: &'static Agent, block: &Block, tree: &Value) {
        let place = block.below.iter().try_fold(tree, |place, name| place.get(*name));
        if let (EntryKey::List(member), Some(Value::Array(hooks))) = (block.key, place) {
            for hook in hooks {
                self.group(agent, block, hook.get(member).and_then(Value::as_str), hook);
            }
        }
        let Some(Value::Object(members)) = place else { return };
        for (name, value) in members {
            let groups = match (block.key, value) {
                (EntryKey::Event, Value::Array(groups)) => groups.iter().collect(),
                (EntryKey::Name, group) => vec![group],
                (EntryKey::Event | EntryKey::List(_), _) => continue,
            };
            let event = (block.key == EntryKey::Event).then_some(name.as_str());
            for group in groups {
                self.group(agent, block, event, group);
            }
        }
    }

    /// Reads one entry. All of its hooks have the same events and the same matcher.
    fn group(&mut self, agent: &'static Agent, block: &Block, event: Option<&str>, group: &Value) {
        let Some(entry) = entry_for(block, event) else { return };
        let text = |name: Option<&str>| name.and_then(|name| group.get(name)?.as_str()).unwrap_or_default();
        let matcher = text(member(entry.form, |field| matches!(field, Field::Matcher))).to_owned();
        let listed = member(entry.form, |field| matches!(field, Field::Events));
        let events: Vec<String> = match (event, listed.and_then(|name| group.get(name)?.as_array())) {
            (Some(event), _) => vec![event.to_owned()],
            (None, Some(names)) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            (None, None) => return,
        };
        let is_known = |name: &String| {
            agent.events.iter().any(|row| row.native == name.as_str() || row.registered_name() == name.as_str())
        };
        let inner = entry.form.iter().find_map(|(name, field)| match field {
            Field::List(form) | Field::Object(form) => Some((*name, *form)),
            _ => None,
        });
        let hooks: Vec<(&Value, EntryForm)> = match inner {
            Some((name, form)) => {
                let inside = group.get(name);
                let hooks = match inside.and_then(Value::as_array) {
                    Some(list) => list.iter().collect(),
                    None => Vec::from_iter(inside),
                };
                hooks.into_iter().map(|hook| (hook, form)).collect()
            }
            None => vec![(group, entry.form)],
        };
        for (hook, form) in hooks {
            let calls_us = hooks_of(hook, &[]).iter().any(|hook| hook.line.calls(agent.id));
            if calls_us {
                continue;
            }
            let title = format!("{}: {}", events.join(", "), one_text(hook));
            let read = match events.iter().find(|name| !is_known(name)) {
                Some(name) => Err(format!("{} has no event `{name}` that snaphook knows", agent.name)),
                None => self.hook(agent, entry, form, hook),
            };
            match read {
                Ok((command, timeout_ms)) => {
                    let (events, matcher, file) = (events.clone(), matcher.clone(), self.shown.clone());
                    let found = ForeignHook { agent: agent.id, events, matcher, command, timeout_ms, file };
                    if !self.hooks.contains(&found) {
                        self.hooks.push(found);
                    }
                }
                Err(why) => {
                    let lost = format!("{title}: {why}");
                    if !self.lost.contains(&lost) {
                        self.lost.push(lost);
                    }
                }
            }
        }
    }

    /// Returns the command and the time limit of a hook.
    fn hook(
        &self,
        agent: &Agent,
        entry: &Entry,
        form: EntryForm,
        hook: &Value,
    ) -> Result<(Vec<String>, Option<u64>), String> {
        for (name, field) in form {
            if matches!(field, Field::True) && hook.get(*name) == Some(&Value::Bool(false)) {
                return Err(format!("`{name}` is false"));
            }
            if let (Field::Text(expected), Some(value)) = (field, hook.get(*name))
                && value.as_str() != Some(expected)
            {
                return Err(format!("only hooks with {name} = \"{expected}\" can be handlers"));
            }
        }
        let is_set =
            |name: &&&str| hook.get(**name).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
        if let Some(name) = CONDITIONS.iter().find(is_set) {
            return Err(format!("a handler has nothing like `{name}`"));
        }
        let get = |wanted: fn(&Field) -> bool| member(form, wanted).and_then(|name| hook.get(name));
        let arguments = get(|field| matches!(field, Field::Arguments)).or_else(|| hook.get("args"));
        let program = get(|field| matches!(field, Field::Program | Field::ShellText | Field::Words));
        let is_shell = member(form, |field| matches!(field, Field::ShellText)).is_some() && arguments.is_none();
        let mut command = match program {
            Some(Value::String(text)) if is_shell => {
                let users = std::env::var("SHELL").ok().filter(|shell| !shell.is_empty());
                let shell = match agent.registration.shell {
                    Reader::UserShell => users.unwrap_or_else(|| "/bin/sh".to_owned()),
                    _ => "sh".to_owned(),
                };
                vec![shell, "-c".to_owned(), text.clone()]
            }
            Some(Value::String(program)) => [vec![program.clone()], arguments.map(words).unwrap_or_default()].concat(),
            Some(list @ Value::Array(_)) => words(list),
            _ => Vec::new(),
        };
        if command.first().is_none_or(String::is_empty) {
            return Err("it has no command".to_owned());
        }
        let blocks = form.iter().any(|(name, field)| {
            matches!(field, Field::IfFailsClosed(value) if hook.get(*name).and_then(Value::as_str) == Some(value))
        });
        if blocks
            && let [_, option, text] = command.as_mut_slice()
            && option == "-c"
        {
            if entry.failure != FailureAnswer::Exit2 {
                return Err("it blocks if it fails, which a handler for this event cannot".to_owned());
            }
            *text = format!("({text}\n)\ncase $? in 0) ;; *) exit 2;; esac");
        }
        let variable = agent.registration.plugin_folder;
        if self.is_plugin(agent) && !variable.is_empty() {
            // The hooks of a plug-in are in a folder of its root.
            let root = self.file.parent().and_then(Path::parent).unwrap_or(Path::new("/")).display().to_string();
            for word in &mut command {
                *word = word.replace(&format!("${{{variable}}}"), &root);
            }
            command.splice(0..0, ["env".to_owned(), format!("{variable}={root}")]);
        }
        if !is_shell && let Some(word) = command.iter().find(|word| word.contains("${")) {
            return Err(format!("a handler has no variables as in `{word}`"));
        }
        let unit = form.iter().find_map(|(name, field)| {
            let value = hook.get(*name)?;
            match field {
                Field::Seconds => Some((value.as_f64()? * 1000.0).round()),
                Field::Milliseconds => value.as_f64(),
                Field::Duration => humantime::parse_duration(value.as_str()?).ok().map(|time| time.as_secs_f64() * 1e3),
                _ => None,
            }
        });
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to one hour")]
        let timeout_ms = unit.map(|ms| ms.clamp(1.0, 3.6e6) as u64);
        Ok((command, timeout_ms))
    }

    /// Joins hooks that differ only in the names that their matchers list.
    fn join_matchers(&mut self, agent: &Agent) {
        let is_list = |matcher: &str| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || "_-|".contains(c);
            !matcher.is_empty() && matcher.chars().all(is_name)
        };
        if agent.registration.matchers != MatcherSyntax::Names {
            return;
        }
        let mut joined: Vec<ForeignHook> = Vec::new();
        for hook in std::mem::take(&mut self.hooks) {
            let same = joined.iter_mut().find(|other| {
                let hook = ForeignHook { matcher: other.matcher.clone(), ..hook.clone() };
                is_list(&other.matcher) && **other == hook
            });
            match same {
                Some(other) if is_list(&hook.matcher) => other.matcher = format!("{}|{}", other.matcher, hook.matcher),
                _ => joined.push(hook),
            }
        }
        self.hooks = joined;
    }

    fn is_plugin(&self, agent: &Agent) -> bool {
        !self.of_project
            && agent.registration.plugins.iter().any(|path| {
                path.rsplit('/').next() == self.file.file_name().and_then(|name| name.to_str()) && path.contains('*')
            })
    }
}

/// The entry whose form applies to an event, or else that of the first entry.
fn entry_for<'b>(block: &'b Block, event: Option<&str>) -> Option<&'b Entry> {
    let of_event = |entry: &&Entry| event.is_some_and(|event| entry.events.contains(&event));
    block.entries.iter().find(of_event).or(block.entries.first())
}

/// The name of the member with a field.
fn member(form: EntryForm, wanted: impl Fn(&Field) -> bool) -> Option<&'static str> {
    form.iter().find(|(_, field)| wanted(field)).map(|(name, _)| *name)
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// The command of a hook as one text, or else the hook.
fn one_text(hook: &Value) -> String {
    match hook.get("command") {
        Some(Value::String(text)) => text.clone(),
        Some(list @ Value::Array(_)) => words(list).join(" "),
        _ => hook.to_string(),
    }
}

impl ForeignHook {
    /// Writes the hook as a table of a policy.
    fn table(&self) -> Table {
        let list = |texts: &[String]| toml_edit::value(texts.iter().map(String::as_str).collect::<Array>());
        let mut table = Table::new();
        table.insert("speaks", toml_edit::value(self.agent));
        table.insert("events", list(&self.events));
        if !self.matcher.is_empty() {
            table.insert("matcher", toml_edit::value(&self.matcher));
        }
        table.insert("command", list(&self.command));
        if let Some(ms) = self.timeout_ms {
            let time = if ms % 1000 == 0 { format!("{}s", ms / 1000) } else { format!("{ms}ms") };
            table.insert("deadline", toml_edit::value(time));
        }
        table.insert("except", list(&[self.agent.to_owned()]));
        table.insert("adopted", toml_edit::value(&self.file));
        table
    }
}

/// Appends hooks to the text of a policy, as handlers. Returns the text and the number of new handlers.
///
/// # Errors
/// The text is not valid, or its handlers are written as an inline array.
pub(crate) fn added(policy: &str, hooks: &[ForeignHook]) -> Result<(String, usize), String> {
    let document: DocumentMut = policy.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let there: Vec<String> = match document.get("handler") {
        None => Vec::new(),
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(identity).collect(),
        Some(_) => return Err("`handler` is an inline array; write it as `[[handler]]`".to_owned()),
    };
    let mut text = policy.to_owned();
    let mut count = 0;
    for hook in hooks {
        let table = hook.table();
        if there.contains(&identity(&table)) {
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("[[handler]]\n");
        text.push_str(&table.to_string());
        count += 1;
    }
    Ok((text, count))
}

/// Removes the adopted handlers of an agent from the text of a policy. Returns the text and the number of removed
/// handlers.
///
/// # Errors
/// The text is not valid.
pub(crate) fn removed(policy: &str, agent: &str) -> Result<(String, usize), String> {
    let document = DeTable::parse(policy).map_err(|error| error.to_string())?;
    let Some(DeValue::Array(handlers)) = document.get_ref().get("handler").map(Spanned::get_ref) else {
        return Ok((policy.to_owned(), 0));
    };
    let mut cuts = Vec::new();
    for handler in handlers {
        let DeValue::Table(table) = handler.get_ref() else { continue };
        let speaks = table.get("speaks").and_then(|value| value.get_ref().as_str());
        if !table.contains_key("adopted") || speaks != Some(agent) {
            continue;
        }
        let start = handler.span().start;
        let head = policy.get(..start).unwrap_or_default();
        if !policy.get(start..).is_some_and(|rest| rest.starts_with("[[")) {
            return Err("`handler` is an inline array; remove the adopted handlers by hand".to_owned());
        }
        // The blank line before it is ours as well.
        let start = if head.ends_with("\n\n") { start - 1 } else { start };
        let last = table.values().map(|value| value.span().end).max().unwrap_or(start);
        let line = policy.get(last..).and_then(|rest| rest.find('\n')).map_or(policy.len(), |end| last + end + 1);
        cuts.push(start..line);
    }
    let (mut text, count) = (policy.to_owned(), cuts.len());
    for cut in cuts.into_iter().rev() {
        text.replace_range(cut, "");
    }
    Ok((text, count))
}

/// The members of a handler without their layout. The time limit may have been changed by the user.
fn identity(table: &Table) -> String {
    let shown = |name: &str| match table.get(name) {
        Some(Item::Value(toml_edit::Value::Array(list))) => {
            list.iter().filter_map(toml_edit::Value::as_str).collect::<Vec<_>>().join("\0")
        }
        item => item.and_then(Item::as_str).unwrap_or_default().to_owned(),
    };
    ["speaks", "events", "matcher", "command", "adopted"].map(shown).join("\u{1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(command: &str) -> ForeignHook {
        ForeignHook {
            agent: "claude-code",
            events: vec!["PreToolUse".to_owned()],
            matcher: "Bash".to_owned(),
            command: ["sh", "-c", command].map(str::to_owned).to_vec(),
            timeout_ms: Some(1500),
            file: "~/.claude/settings.json".to_owned(),
        }
    }

    #[test]
    fn what_is_added_can_be_removed_again() {
        let own = "[[handler]]\nmatch = ['*'] # mine\ncommand = ['x']\n";
        for before in ["", "# a comment\n", "[permissions]\ndeny = [ 'Bash(x)' ]\n\n# end\n", own] {
            let (text, count) = added(before, &[hook("a \"b\" '$c'"), hook("d")]).unwrap();
            assert_eq!(count, 2);
            assert!(text.starts_with(before), "{text}");
            assert_eq!(added(&text, &[hook("d")]).unwrap(), (text.clone(), 0));
            assert_eq!(removed(&text, "codex").unwrap(), (text.clone(), 0));
            assert_eq!(removed(&text, "claude-code").unwrap(), (before.to_owned(), 2), "{text}");
        }
    }

    #[test]
    fn a_hook_is_a_table_with_its_registration() {
        let (text, _) = added("", &[hook("a")]).unwrap();
        let wanted = "[[handler]]\nspeaks = \"claude-code\"\nevents = [\"PreToolUse\"]\nmatcher = \"Bash\"\n\
                      command = [\"sh\", \"-c\", \"a\"]\ndeadline = \"1500ms\"\nexcept = [\"claude-code\"]\n\
                      adopted = \"~/.claude/settings.json\"\n";
        assert_eq!(text, wanted);
    }
}
