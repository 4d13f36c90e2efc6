//! Finds settings that disable registered hooks.

use std::path::PathBuf;

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, ConfigFile, Holds, OffSwitch, Passes};

use super::edit::yaml::documents;
use super::edit::{Document, Format};
use super::ours::calls_us;
use super::target::{SetupContext, expand};

/// A setting that disables hooks, and its file.
#[derive(Debug)]
pub(crate) struct DisablingSetting {
    pub(crate) file: PathBuf,
    name: String,
    value: bool,
}

impl DisablingSetting {
    pub(crate) fn remedy(&self) -> String {
        let Self { file, name, value } = self;
        format!("`{name}` is {value} in {}, so no hook is called; set it to {}", file.display(), !value)
    }
}

/// Finds the settings that disable an agent's hooks.
pub(crate) fn switches(context: &SetupContext, agent: &Agent) -> Vec<DisablingSetting> {
    agent.registration.off.iter().filter_map(|switch| switched(context, agent, switch)).collect()
}

fn switched(context: &SetupContext, agent: &Agent, switch: &OffSwitch) -> Option<DisablingSetting> {
    let heeds = |file: &&ConfigFile| file.holds == Holds::Settings && (!switch.managed || file.is_managed());
    let files = agent.registration.files.iter().filter(heeds).filter_map(|file| context.path(agent, file.path));
    let files: Vec<_> = files.flat_map(|path| expand(&path)).collect();
    if switch.managed && files.iter().any(|path| calls_us(path, agent.id)) {
        return None;
    }
    let at: Vec<_> = switch.at.iter().map(|&name| name.to_owned()).collect();
    let mut found = files.into_iter().filter_map(|file| {
        let text = crate::files::read_text(&file).ok()?;
        let document = Document::parse(Format::of(&file.to_string_lossy()), &text).ok()?;
        match document.found(&at, false).ok()?.first() {
            Some(Value::Bool(value)) => Some(DisablingSetting { file, name: switch.at.join("."), value: *value }),
            _ => None,
        }
    });
    found.next_back().filter(|off| off.value == switch.value)
}

/// Finds where a setting that bypasses hooks is true, with a description of the calls that it affects.
pub(crate) fn set(context: &SetupContext, agent: &Agent, setting: &Passes) -> Vec<(&'static str, String)> {
    let Some(file) = context.path(agent, setting.file) else { return Vec::new() };
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let values: Vec<Value> = match Format::of(setting.file) {
        Format::Yaml => documents(&text),
        format => Document::parse(format, &text).and_then(|text| text.found(&[], false)).unwrap_or_default(),
    };
    let mut found: Vec<(String, &Value)> = values.iter().map(|value| (String::new(), value)).collect();
    for step in setting.at {
        found = found.into_iter().flat_map(|(at, value)| below(&at, value, step)).collect();
    }
    let shown = context.places.shown(&file);
    let is_true = found.into_iter().filter(|(_, value)| **value == Value::Bool(true));
    is_true.map(|(at, _)| (setting.what, format!("`{}` in {shown} is true", at.trim_start_matches('.')))).collect()
}

/// The members with a name, or all for `*`, each with its path.
fn below<'v>(at: &str, value: &'v Value, step: &str) -> Vec<(String, &'v Value)> {
    let members = value.as_object().into_iter().flatten().filter(|(name, _)| step == "*" || *name == step);
    members.map(|(name, value)| (format!("{at}.{name}"), value)).collect()
}
