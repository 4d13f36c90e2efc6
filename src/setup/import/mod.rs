//! Converts the permission rules of an agent to rules of snaphook.

mod codex;
mod copilot;
mod crush;
mod cursor;
mod droid;
mod forms;
mod gemini;
mod kimi;
mod kiro;
mod opencode;
mod qwen;
mod vibe;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use snaphook_adapters::protocol::{Agent, PermissionRules};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{List, rule_fault};
use toml_edit::{Array, DocumentMut, Item, Table};

use super::edit::{Document, Format};
use super::target::{SetupContext, expand};
use crate::files;
use crate::policy::AgentNames;
use gemini::GeminiRules;

/// The rules in one settings file.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) file: PathBuf,
    /// True if the file belongs to a project.
    pub(crate) of_project: bool,
    pub(crate) rules: Vec<(List, String)>,
    /// The rules that could not be converted, with the reason.
    pub(crate) lost: Vec<String>,
}

/// Reads every layer of an agent's settings.
pub(crate) fn layers(context: &SetupContext, agent: &Agent, registry: &Registry) -> Result<Vec<Layer>, String> {
    match agent.registration.rules {
        PermissionRules::None => Ok(Vec::new()),
        PermissionRules::Lists(member) => lists(context, agent, member, registry),
        PermissionRules::Gemini(folders) => of_gemini(context, agent, folders, registry),
        PermissionRules::Cursor(files) => of_cursor(context, agent, files, registry),
        PermissionRules::Codex(folders) => of_codex(context, agent, folders, registry),
        PermissionRules::OpenCode(files) => each_file(context, agent, files, |layer, file| {
            opencode::settings(layer, file, agent.name, registry);
        }),
        PermissionRules::Qwen(files) => {
            each_file(context, agent, files, |layer, file| qwen::settings(layer, file, registry))
        }
        PermissionRules::Crush(files) => {
            each_file(context, agent, files, |layer, file| crush::settings(layer, file, registry))
        }
        PermissionRules::Droid(files) => {
            each_file(context, agent, files, |layer, file| droid::settings(layer, file, registry))
        }
        PermissionRules::Kimi(files) => {
            each_file(context, agent, files, |layer, file| kimi::settings(layer, file, registry))
        }
        PermissionRules::Vibe(files) => {
            each_file(context, agent, files, |layer, file| vibe::settings(layer, file, registry))
        }
        PermissionRules::Copilot { settings, approvals } => {
            let mut layers =
                files_of(context, agent, settings, |layer, file| copilot::settings(layer, file, registry))?;
            layers.extend(files_of(context, agent, approvals, copilot::approvals)?);
            Ok(layers)
        }
        PermissionRules::Kiro(folders) => {
            let files: Vec<_> = folders.iter().map(|folder| format!("{folder}/*")).collect();
            let files: Vec<_> = files.iter().map(String::as_str).collect();
            each_file(context, agent, &files, |layer, file| kiro::agent_file(layer, file, registry))
        }
    }
}

/// Reads rules in our own syntax from a member of the settings.
fn lists(context: &SetupContext, agent: &Agent, member: &str, registry: &Registry) -> Result<Vec<Layer>, String> {
    let mut layers = Vec::new();
    for file in agent.registration.files {
        for (mut layer, document) in documents(context, agent, file.path, "")? {
            let Value::Object(members) = layer.found(&document, &[member])? else { continue };
            for (name, value) in &members {
                layer.member(agent, name, value, context, registry);
            }
            layers.push(layer);
        }
    }
    Ok(layers)
}

/// Reads Gemini CLI's settings and policy files.
fn of_gemini(
    context: &SetupContext,
    agent: &Agent,
    folders: &[&str],
    registry: &Registry,
) -> Result<Vec<Layer>, String> {
    let (mut layers, mut rules) = (Vec::new(), GeminiRules::default());
    for file in agent.registration.files.iter().filter(|file| file.path.ends_with("/settings.json")) {
        for (layer, document) in documents(context, agent, file.path, "")? {
            let mut settings = Map::new();
            for member in gemini::MEMBERS {
                settings.insert((*member).to_owned(), layer.found(&document, &[member])?);
            }
            rules.settings(layers.len(), agent, &Value::Object(settings));
            layers.push(layer);
        }
    }
    for folder in folders {
        for (mut layer, document) in documents(context, agent, &format!("{folder}/*"), ".toml")? {
            let file = layer.found(&document, &[])?;
            rules.policy(layers.len(), agent, &mut layer, &file);
            layers.push(layer);
        }
    }
    rules.finish(&mut layers, |text, list| rule_fault(text, list, &AgentNames::new(registry)));
    layers.retain(|layer| !layer.rules.is_empty() || !layer.lost.is_empty());
    Ok(layers)
}

/// Reads each settings file at a path of an agent's table as a whole.
fn files_of(
    context: &SetupContext,
    agent: &Agent,
    at: &str,
    read: impl Fn(&mut Layer, &Value),
) -> Result<Vec<Layer>, String> {
    let mut layers = Vec::new();
    for (mut layer, document) in documents(context, agent, at, ".json")? {
        let file = layer.found(&document, &[])?;
        read(&mut layer, &file);
        layers.push(layer);
    }
    layers.retain(|layer| !layer.rules.is_empty() || !layer.lost.is_empty());
    Ok(layers)
}

/// Reads several settings files as a whole.
fn each_file(
    context: &SetupContext,
    agent: &Agent,
    files: &[&str],
    read: impl Fn(&mut Layer, &Value),
) -> Result<Vec<Layer>, String> {
    Ok(files.iter().map(|file| files_of(context, agent, file, &read)).collect::<Result<Vec<_>, _>>()?.concat())
}

/// Reads the permissions of Cursor's CLI.
fn of_cursor(context: &SetupContext, agent: &Agent, files: &[&str], registry: &Registry) -> Result<Vec<Layer>, String> {
    let mut read = Vec::new();
    for file in files {
        for (layer, document) in documents(context, agent, file, ".json")? {
            let permissions = layer.found(&document, &[cursor::MEMBER])?;
            read.push((layer, permissions));
        }
    }
    cursor::read(&mut read, |text, list| rule_fault(text, list, &AgentNames::new(registry)));
    let mut layers: Vec<_> = read.into_iter().map(|(layer, _)| layer).collect();
    layers.retain(|layer| !layer.rules.is_empty() || !layer.lost.is_empty());
    Ok(layers)
}

/// Reads the rule files of Codex.
fn of_codex(
    context: &SetupContext,
    agent: &Agent,
    folders: &[&str],
    registry: &Registry,
) -> Result<Vec<Layer>, String> {
    let mut read = Vec::new();
    for folder in folders {
        let paths = context.path(agent, &format!("{folder}/*")).map(|path| expand(&path)).unwrap_or_default();
        for file in paths.into_iter().filter(|file| file.extension().is_some_and(|end| end == "rules")) {
            let name = file.display().to_string();
            let text = files::read_text(&file).map_err(|error| format!("{name}: {error}"))?;
            let of_project = !folder.starts_with(['~', '/']);
            read.push((Layer { file, of_project, rules: Vec::new(), lost: Vec::new() }, text));
        }
    }
    codex::read(&mut read, |text, list| rule_fault(text, list, &AgentNames::new(registry)));
    let mut layers: Vec<_> = read.into_iter().map(|(layer, _)| layer).collect();
    layers.retain(|layer| !layer.rules.is_empty() || !layer.lost.is_empty());
    Ok(layers)
}

/// A text, or a list of texts.
fn texts(value: &Value) -> Vec<String> {
    let many = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    many.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Parses the files at a path of an agent's table. With a final `*`: the files of a folder with this ending.
fn documents(context: &SetupContext, agent: &Agent, at: &str, ending: &str) -> Result<Vec<(Layer, Document)>, String> {
    let of_project = !at.starts_with(['~', '/']);
    let mut all = Vec::new();
    for file in context.path(agent, at).map(|path| expand(&path)).unwrap_or_default() {
        let name = file.to_string_lossy();
        if at.ends_with("/*") && !name.ends_with(ending) {
            continue;
        }
        let Some(bytes) = files::read(&file).map_err(|error| format!("{name}: {error}"))? else { continue };
        let text = String::from_utf8(bytes).map_err(|_| format!("{name}: it is not UTF-8"))?;
        let document = Document::parse(Format::of(&name), &text).map_err(|fault| format!("{name}:{fault}"))?;
        all.push((Layer { file, of_project, rules: Vec::new(), lost: Vec::new() }, document));
    }
    Ok(all)
}

impl Layer {
    /// Adds a rule, or the reason why it is not valid.
    fn add(&mut self, list: List, shown: &str, rule: String, registry: &Registry) {
        match rule_fault(&rule, list, &AgentNames::new(registry)) {
            None => self.rules.push((list, rule)),
            Some(why) => self.lost.push(format!("{shown}: {why}")),
        }
    }

    /// Adds the rule that was made of an entry; `None`: no rule is certain to mean the same.
    fn converted(&mut self, list: List, shown: &str, rule: Option<String>, registry: &Registry) {
        match rule {
            Some(rule) => self.add(list, shown, rule, registry),
            None => self.lost.push(format!("{shown}: it has no form that is certain to mean the same")),
        }
    }

    /// The texts of a list in the file. What is not a text is not imported.
    fn texts(&mut self, file: &Value, at: &[&str]) -> Vec<String> {
        let Some(value) = at.iter().try_fold(file, |value, name| value.get(name)) else { return Vec::new() };
        let Some(entries) = value.as_array() else {
            self.lost.push(format!("{}: not a list", at.join(".")));
            return Vec::new();
        };
        let mut texts = Vec::new();
        for entry in entries {
            match entry.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => self.lost.push(format!("{}: {entry} is not a text", at.join("."))),
            }
        }
        texts
    }

    /// Returns a member of the file, or the whole file; null if it is absent.
    fn found(&self, document: &Document, at: &[&str]) -> Result<Value, String> {
        let at: Vec<_> = at.iter().map(|&name| name.to_owned()).collect();
        let found = document.found(&at, false).map_err(|fault| format!("{}: {fault}", self.file.display()))?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    fn member(&mut self, agent: &Agent, name: &str, value: &Value, context: &SetupContext, registry: &Registry) {
        let list = List::ALL.into_iter().find(|list| list.word() == name);
        let (Some(list), Some(rules)) = (list, value.as_array()) else {
            self.lost.push(format!("{name}: not a list of rules"));
            return;
        };
        for rule in rules {
            let Some(written) = rule.as_str() else {
                self.lost.push(format!("{name}: {rule} is not a rule"));
                continue;
            };
            let text = &with_parentheses(written);
            if let Some(why) = widened(text).filter(|_| list == List::Allow) {
                self.lost.push(format!("{name}: {written} {}", why(agent.name)));
                continue;
            }
            let anchored = if self.of_project { text.clone() } else { anchored(text, &self.file, context) };
            match rule_fault(&anchored, list, &AgentNames::new(registry)) {
                None => self.rules.push((list, anchored)),
                Some(why) => self.lost.push(format!("{name}: {why}")),
            }
        }
    }
}

/// Writes `SlashCommand:/x`, the form of Claude Code before version 2.1, as `SlashCommand(/x)`.
fn with_parentheses(rule: &str) -> String {
    rule.trim().strip_prefix("SlashCommand:").map_or_else(|| rule.to_owned(), |name| format!("SlashCommand({name})"))
}

/// The reason why an allow rule would allow more in snaphook than in the agent; `None` if it would not.
///
/// Claude Code matches files only with `Read(…)` and `Edit(…)`: the name of a single tool with a path matches nothing,
/// and without a path it matches that tool only. In snaphook, such names cover every tool that reads or edits.
/// `SlashCommand` is a tool of its older versions; in snaphook, it covers the tool `Skill` too. It compares the name of a
/// skill with the text of the rule, in which only `:*` or ` *` at the end has a meaning.
fn widened(rule: &str) -> Option<fn(&str) -> String> {
    const WIDER: [&str; 8] = ["Write", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob", "Grep", "LS", "Delete"];
    let (name, path) = rule.split_once('(').map_or((rule, None), |(name, path)| (name, Some(path)));
    match (name.trim(), path) {
        ("SlashCommand", _) => return Some(one_tool),
        ("Skill", Some(skill)) => {
            let skill = skill.trim_end().trim_end_matches(')');
            let name = skill.strip_suffix(":*").or_else(|| skill.strip_suffix(" *")).unwrap_or(skill);
            return name.contains(['*', '\\', ' ']).then_some(other_skills);
        }
        _ => {}
    }
    if !WIDER.contains(&name.trim()) {
        return None;
    }
    Some(match path {
        Some(_) => |agent| {
            format!(
                "allows nothing in {agent}, which matches files only with Read(…) and Edit(…); if you meant one of these, write it"
            )
        },
        None => one_tool,
    })
}

/// The reason why an allow rule for skills is not imported.
fn other_skills(agent: &str) -> String {
    format!(
        "may allow other skills here than in {agent}, which reads only `:*` and ` *` at the end of a name; write the names"
    )
}

/// The reason why an allow rule for one tool is not imported.
fn one_tool(agent: &str) -> String {
    format!("allows one tool of {agent}; a rule here would allow every tool that does the same")
}

/// Converts `/a` in settings outside of a project: there it is relative to the folder of the file, in a policy to the
/// project root (P3).
fn anchored(rule: &str, file: &Path, context: &SetupContext) -> String {
    let (Some((name, rest)), Some(folder)) = (rule.split_once('('), file.parent()) else { return rule.to_owned() };
    let is_path = ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS"].contains(&name.trim());
    match rest.strip_prefix('/').filter(|rest| is_path && !rest.starts_with('/')) {
        None => rule.to_owned(),
        Some(rest) => {
            let home = context.places.home.as_ref().and_then(|home| folder.strip_prefix(home).ok());
            let folder =
                home.map_or_else(|| format!("/{}", folder.display()), |folder| format!("~/{}", folder.display()));
            format!("{name}({folder}/{rest}")
        }
    }
}

/// Adds rules to the text of a policy. Returns the text and the number of new rules.
pub(crate) fn added(policy: &str, rules: &[(List, String)]) -> Result<(String, usize), String> {
    let mut document: DocumentMut = policy.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let permissions = document.entry("permissions").or_insert_with(|| Item::Table(Table::new()));
    let permissions = permissions.as_table_like_mut().ok_or("`permissions` is not a table")?;
    let mut count = 0;
    for list in List::ALL {
        let new = rules.iter().filter(|(of, _)| *of == list).map(|(_, rule)| rule.as_str());
        let new: Vec<_> = new.collect();
        if new.is_empty() {
            continue;
        }
        let item = permissions.entry(list.word()).or_insert_with(|| toml_edit::value(Array::new()));
        let array = item.as_array_mut().ok_or_else(|| format!("`permissions.{}` is not a list", list.word()))?;
        for rule in new {
            let written = |there: &toml_edit::Value| match there.as_inline_table() {
                Some(table) => table.get("rule").and_then(toml_edit::Value::as_str) == Some(rule),
                None => there.as_str() == Some(rule),
            };
            if array.iter().any(written) {
                continue;
            }
            array.push_formatted(toml_edit::Value::from(rule).decorated("\n  ", ""));
            count += 1;
        }
        array.set_trailing_comma(true);
        if !array.trailing().as_str().is_some_and(|text| text.contains('\n')) {
            array.set_trailing("\n");
        }
    }
    Ok((document.to_string(), count))
}
