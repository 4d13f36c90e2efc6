//! The file of a plug-in: its settings in one line, then its program.

use serde_json::Value;

/// Writes the text of a plug-in.
pub(in crate::setup) fn written(settings: &Value, program: &[&str]) -> String {
    format!("{HEAD}\n{SETTINGS}{settings}\n\n{}", program.join("\n"))
}

/// Parses the settings; `null` if there are none.
pub(super) fn value_of(text: &str) -> Value {
    let settings = text.lines().find_map(|line| line.strip_prefix(SETTINGS));
    settings.and_then(|settings| serde_json::from_str(settings).ok()).unwrap_or_default()
}

const HEAD: &str = "// Written by snaphook install, which also updates it. snaphook uninstall removes it.";
const SETTINGS: &str = "const SETTINGS = ";
