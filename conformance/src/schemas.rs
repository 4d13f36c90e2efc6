//! The JSON schemas inside of the Codex program: every answer has to be valid.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_adapters::fit::{Limits, fit};
use snaphook_adapters::model::Incoming;
use snaphook_adapters::protocol::{HookProtocol, Native};
use snaphook_adapters::testing;

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// The number of answers that were compared.
    pub(crate) answers: usize,
    /// The invalid answers, with the reason.
    pub(crate) faults: Vec<String>,
}

/// Finds the schemas in a program, or in the largest file of a folder, by their titles.
pub(crate) fn find(path: &Path) -> std::io::Result<BTreeMap<String, Value>> {
    let mut schemas = BTreeMap::new();
    let file = largest(path)?;
    let bytes = fs::read(file)?;
    let mark = b"\"$schema\"";
    let mut from = 0;
    while let Some(at) = bytes.get(from..).and_then(|rest| rest.windows(mark.len()).position(|part| part == mark)) {
        let at = from + at;
        from = at + mark.len();
        // The brace before it begins the document. The bytes after the document belong to the program.
        let begin = bytes.get(..at).and_then(|before| before.iter().rposition(|byte| *byte == b'{'));
        let text = begin.and_then(|begin| bytes.get(begin..));
        let schema = text.and_then(|text| serde_json::Deserializer::from_slice(text).into_iter::<Value>().next()?.ok());
        let title = |schema: &Value| schema.get("title").and_then(Value::as_str).map(str::to_owned);
        if let Some((title, schema)) = schema.and_then(|schema| Some((title(&schema)?, schema))) {
            schemas.insert(title, schema);
        }
    }
    Ok(schemas)
}

fn largest(path: &Path) -> std::io::Result<PathBuf> {
    let mut best = (0, path.to_owned());
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let data = fs::symlink_metadata(&path)?;
        if data.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if data.is_file() && data.len() > best.0 {
            best = (data.len(), path);
        }
    }
    Ok(best.1)
}

/// Validates every reply that the adapter writes for its fixtures against the schemas of a program.
pub(crate) fn compare(
    schemas: &BTreeMap<String, Value>,
    protocol: &'static dyn HookProtocol,
    fixtures: &Path,
) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let mut entries: Vec<_> = fs::read_dir(fixtures).map_err(|error| error.to_string())?.flatten().collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let file: Value =
            serde_json::from_slice(&fs::read(entry.path()).map_err(|error| error.to_string())?).unwrap_or_default();
        let native = Native::new(file.get("stdin").map(Value::to_string).unwrap_or_default());
        let Ok(Incoming::Event(event) | Incoming::Observed(event)) = protocol.parse(&native) else { continue };
        let Some(schema) = schemas.get(&format!("{}.command.output", kebab(&event.native))) else { continue };
        let validator = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
        for decision in testing::decisions(&event) {
            let said = testing::describe(&decision);
            let (fitted, _) = fit(decision, &event, &Limits::default());
            let reply = protocol.format(&event, &fitted);
            let stdout = reply.stdout.as_str();
            if stdout.trim().is_empty() {
                continue;
            }
            compared.answers += 1;
            let answer: Value = serde_json::from_str(stdout).unwrap_or_default();
            if let Err(error) = validator.validate(&answer) {
                let fault = format!("{}, {said}: {error} in {stdout}", event.native);
                compared.faults.push(fault);
            }
        }
    }
    Ok(compared)
}

/// Converts `PreToolUse` to `pre-tool-use`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use snaphook_adapters::registry::Registry;

    use super::*;

    #[test]
    fn schemas_are_extracted_from_a_program_and_a_stricter_schema_is_noticed() {
        let codex = Registry::standard().get("codex").unwrap();
        let fixtures = tempfile::tempdir().unwrap();
        let one = "pre_tool_use_bash.json";
        let known = crate::drive::root().join("adapters/codex/fixtures").join(one);
        fs::copy(known, fixtures.path().join(one)).unwrap();
        let faults = |properties: &[&str]| {
            let properties: serde_json::Map<_, _> =
                properties.iter().map(|key| ((*key).to_owned(), json!({}))).collect();
            let schema = json!({
                "$schema": "http://json-schema.org/draft-07/schema#", "title": "pre-tool-use.command.output",
                "type": "object", "additionalProperties": false, "properties": properties,
            });
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), format!("\u{7f}ELF {{ more {schema:#} and {{so on")).unwrap();
            let schemas = find(file.path()).unwrap();
            assert_eq!(schemas.get("pre-tool-use.command.output"), Some(&schema));
            let compared = compare(&schemas, codex, fixtures.path()).unwrap();
            assert!(compared.answers > 0);
            compared.faults.len()
        };
        assert_eq!(faults(&["systemMessage", "hookSpecificOutput"]), 0);
        assert!(faults(&["systemMessage"]) > 0);
    }
}
