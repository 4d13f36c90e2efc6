//! Finds settings by which an agent calls no hook, although we are registered.

use std::path::PathBuf;

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, ConfigFile, Holds, OffSwitch, Passes};

use super::edit::yaml::documents;
use super::edit::{Document, Format};
use super::ours::calls_us;
use super::target::{Ground, expand};

/// Names a setting that turns hooks off, and its file.
#[derive(Debug)]
pub(crate) struct Off {
    pub(crate) file: PathBuf,
    name: String,
    value: bool,
}

impl Off {
    pub(crate) fn remedy(&self) -> String {
        let Self { file, name, value } = self;
        format!("`{name}` is {value} in {}, and then no hook is called; set it to {}", file.display(), !value)
    }
}

/// Finds the settings that turn an agent's hooks off here.
pub(crate) fn switches(ground: &Ground, agent: &Agent) -> Vec<Off> {
    agent.registration.off.iter().filter_map(|switch| switched(ground, agent, switch)).collect()
}

fn switched(ground: &Ground, agent: &Agent, switch: &OffSwitch) -> Option<Off> {
    let heeds = |file: &&ConfigFile| file.holds == Holds::Settings && (!switch.managed || file.is_managed());
    let files = agent.registration.files.iter().filter(heeds).filter_map(|file| ground.path(agent, file.path));
    let files: Vec<_> = files.flat_map(|path| expand(&path)).collect();
    if switch.managed && files.iter().any(|path| calls_us(path, agent.id)) {
        return None;
    }
    let at: Vec<_> = switch.at.iter().map(|&name| name.to_owned()).collect();
    let mut found = files.into_iter().filter_map(|file| {
        let text = crate::files::read_text(&file).ok()?;
        let document = Document::parse(Format::of(&file.to_string_lossy()), &text).ok()?;
        match document.found(&at, false).ok()?.first() {
            Some(Value::Bool(value)) => Some(Off { file, name: switch.at.join("."), value: *value }),
            _ => None,
        }
    });
    found.next_back().filter(|off| off.value == switch.value)
}

/// The places where a setting that lets calls pass is true, each with a description of these calls.
pub(crate) fn set(ground: &Ground, agent: &Agent, setting: &Passes) -> Vec<(&'static str, String)> {
    let Some(file) = ground.path(agent, setting.file) else { return Vec::new() };
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let values: Vec<Value> = match Format::of(setting.file) {
        Format::Yaml => documents(&text),
        format => Document::parse(format, &text).and_then(|text| text.found(&[], false)).unwrap_or_default(),
    };
    let mut found: Vec<(String, &Value)> = values.iter().map(|value| (String::new(), value)).collect();
    for step in setting.at {
        found = found.into_iter().flat_map(|(at, value)| below(&at, value, step)).collect();
    }
    let shown = ground.places.shown(&file);
    let is_true = found.into_iter().filter(|(_, value)| **value == Value::Bool(true));
    is_true.map(|(at, _)| (setting.what, format!("`{}` in {shown} is true", at.trim_start_matches('.')))).collect()
}

/// The members with a name, `*` for any, each with the path to it.
fn below<'v>(at: &str, value: &'v Value, step: &str) -> Vec<(String, &'v Value)> {
    let members = value.as_object().into_iter().flatten().filter(|(name, _)| step == "*" || *name == step);
    members.map(|(name, value)| (format!("{at}.{name}"), value)).collect()
}
