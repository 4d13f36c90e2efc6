//! Settings by which an agent calls no hook, however well it is registered.

use std::path::PathBuf;

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, ConfigFile, Holds, OffSwitch};

use super::edit::{Document, Format};
use super::look::calls_us;
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
