//! Parses the table `[sandbox]`.

use toml::de::{DeTable, DeValue};

use super::parser::FileParser;
use super::reader::TomlValue;
use crate::list::List;
use crate::rule::{Rule, RuleKind, parse};
use crate::sandbox::{HideEntry, Launcher, Network, SandboxPath, SandboxTable};

const KEYS: &[&str] = &["launcher", "required", "write", "hide", "network", "agents", "match"];

/// The placeholder for the command in a launcher.
const COMMAND: &str = "{}";

/// Parses the table.
pub(super) fn read(parser: &mut FileParser<'_, '_>, at: usize, table: &DeTable<'_>) -> Option<SandboxTable> {
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
            "launcher" => launcher = read_launcher(parser, value, &path),
            "required" => found.required = parser.reader.bool(value, &path),
            "write" => found.write = Some(places(parser, value, &path)),
            "hide" => found.hide = Some(hidden(parser, value, &path)),
            "network" => {
                found.network = parser.reader.word(value, &path, &[("on", Network::On), ("off", Network::Off)]);
            }
            "agents" => found.agents = Some(parser.agent_ids(value, &path)),
            "match" => found.only = Some(rules(parser, value, &path)),
            _ => parser.reader.unknown("sandbox", key, KEYS),
        }
    }
    if !table.contains_key("launcher") {
        let says = format!("missing `launcher`; expected {HERE}an array with `{{}}` for the command");
        parser.reader.fault(at, "sandbox", &says);
    }
    found.launcher = launcher?;
    if matches!(found.launcher, Launcher::Template(_)) {
        for key in ["write", "hide", "network"] {
            if let Some((key, _)) = table.get_key_value(key) {
                let says = "not supported with a custom launcher; configure the launcher itself and remove this key";
                parser.reader.fault(key.span().start, &format!("sandbox.{}", key.get_ref()), says);
            }
        }
    }
    Some(found)
}

fn read_launcher(parser: &mut FileParser<'_, '_>, value: &TomlValue<'_>, path: &str) -> Option<Launcher> {
    if let DeValue::Array(_) = value.get_ref() {
        let (_, words) = parser.command(value, path)?;
        let places: usize = words.iter().map(|word| word.matches(COMMAND).count()).sum();
        if places != 1 || words.first().is_some_and(|program| program.contains(COMMAND)) {
            let says = "expected exactly one `{}` after the program, as the placeholder for the command";
            parser.reader.fault(value.span().start, path, says);
            return None;
        }
        return Some(Launcher::Template(words));
    }
    let words = [("landlock", BuiltIn::Landlock), ("bwrap", BuiltIn::Bwrap), ("seatbelt", BuiltIn::Seatbelt)];
    let (launcher, is_here, system) = match parser.reader.word(value, path, &words)? {
        BuiltIn::Landlock => (Launcher::Landlock, cfg!(target_os = "linux"), "Linux"),
        BuiltIn::Bwrap => (Launcher::Bwrap, cfg!(target_os = "linux"), "Linux"),
        BuiltIn::Seatbelt => (Launcher::Seatbelt, cfg!(target_os = "macos"), "macOS"),
    };
    if !is_here {
        let says = format!("only supported on {system}; expected {HERE}an array with `{{}}` for the command");
        parser.reader.fault(value.span().start, path, &says);
        return None;
    }
    Some(launcher)
}

/// A launcher that has a name.
#[derive(Clone, Copy)]
enum BuiltIn {
    Landlock,
    Bwrap,
    Seatbelt,
}

/// The launchers of this system, for a message.
const HERE: &str = if cfg!(target_os = "linux") {
    "\"landlock\", \"bwrap\", or "
} else if cfg!(target_os = "macos") {
    "\"seatbelt\", or "
} else {
    ""
};

/// Reads rules that can match a command or a file that a command accesses.
fn rules(parser: &mut FileParser<'_, '_>, value: &TomlValue<'_>, path: &str) -> Vec<Rule> {
    let texts = parser.reader.texts(value, path);
    if texts.is_empty() && matches!(value.get_ref(), DeValue::Array(items) if items.is_empty()) {
        parser.reader.fault(value.span().start, path, "empty array; remove the key to match every command");
    }
    let mut rules = Vec::with_capacity(texts.len());
    for (index, (at, text)) in texts.into_iter().enumerate() {
        match parse(text, at, List::Deny, parser.vocabulary) {
            Ok(Rule {
                kind: Some(RuleKind::WebFetch | RuleKind::WebSearch | RuleKind::Agent | RuleKind::Mcp), ..
            }) => {
                let says = format!("`{text}` never matches a command; expected `Bash(…)` or a rule about files");
                parser.reader.fault(at, &format!("{path}[{index}]"), &says);
            }
            Ok(rule) => rules.push(rule),
            Err(says) => parser.reader.fault(at, &format!("{path}[{index}]"), &says),
        }
    }
    rules
}

fn places(parser: &mut FileParser<'_, '_>, value: &TomlValue<'_>, path: &str) -> Vec<SandboxPath> {
    let texts = parser.reader.texts(value, path);
    texts.into_iter().enumerate().filter_map(|(index, (at, text))| place(parser, at, path, index, text)).collect()
}

fn hidden(parser: &mut FileParser<'_, '_>, value: &TomlValue<'_>, path: &str) -> Vec<HideEntry> {
    let texts = parser.reader.texts(value, path);
    let read = |(index, (at, text))| match text {
        "<keys>" => Some(HideEntry::Keys),
        text => {
            let place = place(parser, at, path, index, text)?;
            if place.is_everything() {
                let says = format!(
                    "`{text}` is the root directory, without which no program can run; list the secret directories instead"
                );
                parser.reader.fault(at, &format!("{path}[{index}]"), &says);
            }
            Some(HideEntry::Path(place))
        }
    };
    texts.into_iter().enumerate().filter_map(read).collect()
}

fn place(parser: &mut FileParser<'_, '_>, at: usize, path: &str, index: usize, text: &str) -> Option<SandboxPath> {
    SandboxPath::read(text).map_err(|says| parser.reader.fault(at, &format!("{path}[{index}]"), &says)).ok()
}
