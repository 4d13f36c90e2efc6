//! Recorded messages, one file each.

use std::path::Path;
use std::sync::Arc;

use crate::Raw;
use crate::protocol::{Connection, Native, RegisteredLine, Role};
use crate::raw::Object;

/// One recorded message, with the registered command line and the connection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fixture {
    /// The file's name without its ending: `<event>_<case>`.
    pub stem: String,
    /// The source of the message.
    pub source: String,
    /// The message.
    pub native: Native,
}

impl Fixture {
    /// Creates a fixture from a message that is not in a file.
    pub fn new(stem: impl Into<String>, native: Native) -> Self {
        Self { stem: stem.into(), source: String::new(), native }
    }
}

/// Reads every `.json` file of a folder, sorted by name. A file that cannot be read is returned as a sentence.
pub(super) fn read(folder: &Path) -> (Vec<Fixture>, Vec<String>) {
    let mut fixtures = Vec::new();
    let mut faults = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return (fixtures, vec![format!("{}: {error}", folder.display())]),
    };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        #[expect(clippy::disallowed_methods, reason = "tests read fixtures; the library itself reads no file")]
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        match text.and_then(|text| fixture(&stem, text)) {
            Ok(fixture) => fixtures.push(fixture),
            Err(fault) => faults.push(format!("{}: {fault}", file.display())),
        }
    }
    (fixtures, faults)
}

fn fixture(stem: &str, text: String) -> Result<Fixture, String> {
    let file = Raw::checked(text).map_err(|fault| fault.to_string())?;
    let members = file.object().map_err(|fault| fault.to_string())?;
    if let Some((key, _)) = members.members().find(|(key, _)| !["source", "stdin", "line", "connection"].contains(key))
    {
        return Err(format!("unknown key `{key}`"));
    }
    let text_at = |pointer: &str| file.at(pointer).and_then(|value| value.text()).map(|text| text.value);
    let source = text_at("/source").ok_or("`source` is missing")?;
    let body = file.at("/stdin").ok_or("`stdin` is missing")?;
    let role = match text_at("/line/role") {
        None => Role::Alone,
        Some(name) => Role::named(&name).ok_or_else(|| format!("unknown role `{name}`"))?,
    };
    let line = RegisteredLine { event: text_at("/line/event"), role, ..RegisteredLine::default() };
    let words = |list: Vec<Raw>| list.iter().filter_map(Raw::text).map(|text| text.value).collect();
    let answered = file.at("/connection/answered").and_then(|answered| answered.object().ok());
    let texts = answered.iter().flat_map(Object::members);
    let connection = Connection {
        modes: file.at("/connection/modes").and_then(|list| list.array().ok()).map(words),
        answered: texts.filter_map(|(key, text)| Some((key.to_owned(), text.text()?.value))).collect(),
    };
    // Agents send one line; a line break in JSON only ever stands between its parts.
    let body: String = body.as_str().lines().map(str::trim).collect();
    let native = Native::new(body).line(line).connection(Arc::new(connection));
    Ok(Fixture { stem: stem.to_owned(), source, native })
}
