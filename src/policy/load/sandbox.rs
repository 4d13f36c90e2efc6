//! The table `[sandbox]`.

use toml::de::{DeTable, DeValue};

use super::file::Parsing;
use super::reader::Value;
use crate::policy::rule::{Kind, List, Rule, Vocabulary, parse};
use crate::policy::sandbox::{Hidden, Launcher, Network, Place, SandboxTable};

const KEYS: &[&str] = &["launcher", "required", "write", "hide", "network", "agents", "match"];

/// Where the command belongs in a template.
const COMMAND: &str = "{}";

/// Reads the table.
pub(super) fn read(parsing: &mut Parsing<'_, '_>, at: usize, table: &DeTable<'_>) -> Option<SandboxTable> {
    let mut found = SandboxTable {
        launcher: Launcher::Bwrap,
        required: None,
        write: None,
        hide: None,
        network: None,
        agents: None,
        only: None,
        at,
    };
    let mut launcher = None;
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let path = format!("sandbox.{name}");
        match name {
            "launcher" => launcher = read_launcher(parsing, value, &path),
            "required" => found.required = parsing.reader.bool(value, &path),
            "write" => found.write = Some(places(parsing, value, &path)),
            "hide" => found.hide = Some(hidden(parsing, value, &path)),
            "network" => {
                found.network = parsing.reader.word(value, &path, &[("on", Network::On), ("off", Network::Off)]);
            }
            "agents" => found.agents = Some(parsing.agent_ids(value, &path)),
            "match" => found.only = Some(rules(parsing, value, &path)),
            _ => parsing.reader.unknown("sandbox", key, KEYS),
        }
    }
    if !table.contains_key("launcher") {
        let says = "needs `launcher`: \"landlock\", \"bwrap\", or an array with `{}` for the command";
        parsing.reader.fault(at, "sandbox", says);
    }
    found.launcher = launcher?;
    if matches!(found.launcher, Launcher::Template(_)) {
        for key in ["write", "hide", "network"] {
            if let Some((key, _)) = table.get_key_value(key) {
                let says = "a launcher of your own isolates by its own means; set this there and take it out here";
                parsing.reader.fault(key.span().start, &format!("sandbox.{}", key.get_ref()), says);
            }
        }
    }
    Some(found)
}

fn read_launcher(parsing: &mut Parsing<'_, '_>, value: &Value<'_>, path: &str) -> Option<Launcher> {
    if let DeValue::Array(_) = value.get_ref() {
        let (_, words) = parsing.command(value, path)?;
        let places: usize = words.iter().map(|word| word.matches(COMMAND).count()).sum();
        if places != 1 || words.first().is_some_and(|program| program.contains(COMMAND)) {
            let says = "needs `{}` once behind the program, where the command belongs";
            parsing.reader.fault(value.span().start, path, says);
            return None;
        }
        return Some(Launcher::Template(words));
    }
    let words = [("landlock", Launch::Landlock), ("bwrap", Launch::Bwrap)];
    let word = parsing.reader.word(value, path, &words)?;
    if !cfg!(target_os = "linux") {
        parsing.reader.fault(value.span().start, path, "needs Linux; write an array with `{}` for the command");
        return None;
    }
    Some(match word {
        Launch::Landlock => Launcher::Landlock,
        Launch::Bwrap => Launcher::Bwrap,
    })
}

#[derive(Clone, Copy)]
enum Launch {
    Landlock,
    Bwrap,
}

/// Rules that can speak of a command, or of a file that one touches.
fn rules(parsing: &mut Parsing<'_, '_>, value: &Value<'_>, path: &str) -> Vec<Rule> {
    let texts = parsing.reader.texts(value, path);
    if texts.is_empty() && matches!(value.get_ref(), DeValue::Array(items) if items.is_empty()) {
        parsing.reader.fault(value.span().start, path, "is empty; take it out where every command is meant");
    }
    let mut rules = Vec::with_capacity(texts.len());
    for (index, (at, text)) in texts.into_iter().enumerate() {
        match parse(text, at, List::Deny, Vocabulary(parsing.registry)) {
            Ok(Rule { kind: Some(Kind::WebFetch | Kind::WebSearch | Kind::Agent | Kind::Mcp), .. }) => {
                let says = format!("`{text}` never speaks of a command; write `Bash(…)`, or a rule on files");
                parsing.reader.fault(at, &format!("{path}[{index}]"), &says);
            }
            Ok(rule) => rules.push(rule),
            Err(says) => parsing.reader.fault(at, &format!("{path}[{index}]"), &says),
        }
    }
    rules
}

fn places(parsing: &mut Parsing<'_, '_>, value: &Value<'_>, path: &str) -> Vec<Place> {
    let texts = parsing.reader.texts(value, path);
    texts.into_iter().enumerate().filter_map(|(index, (at, text))| place(parsing, at, path, index, text)).collect()
}

fn hidden(parsing: &mut Parsing<'_, '_>, value: &Value<'_>, path: &str) -> Vec<Hidden> {
    let texts = parsing.reader.texts(value, path);
    let read = |(index, (at, text))| match text {
        "<keys>" => Some(Hidden::Keys),
        text => {
            let place = place(parsing, at, path, index, text)?;
            if place.is_everything() {
                let says = format!("`{text}` is everything, and without that no program starts; name what is secret");
                parsing.reader.fault(at, &format!("{path}[{index}]"), &says);
            }
            Some(Hidden::Place(place))
        }
    };
    texts.into_iter().enumerate().filter_map(read).collect()
}

fn place(parsing: &mut Parsing<'_, '_>, at: usize, path: &str, index: usize, text: &str) -> Option<Place> {
    Place::read(text).map_err(|says| parsing.reader.fault(at, &format!("{path}[{index}]"), &says)).ok()
}
