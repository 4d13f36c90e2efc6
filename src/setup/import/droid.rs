//! Converts the commands that the settings of Factory Droid block. It matches the words of such an entry in their order, at
//! the start of a command. What it approves and asks about is not imported: Droid still does so.

use serde_json::Value;
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::{Layer, forms};

/// Reads the settings in one file.
pub(super) fn settings(layer: &mut Layer, file: &Value, registry: &Registry) {
    for entry in layer.texts(file, &["commandBlocklist"]) {
        layer.converted(List::Deny, &format!("commandBlocklist: {entry}"), forms::command(&entry), registry);
    }
    for (member, why) in [
        ("commandDenylist", "Droid still asks; a rule here would deny, because a hook cannot have it ask"),
        ("commandAllowlist", "Droid still applies it"),
    ] {
        // Droid writes its own long lists into the settings.
        let count = layer.texts(file, &[member]).len();
        if count > 0 {
            layer.lost.push(format!("{member} ({count}): {why}"));
        }
    }
    if file.get("permissionRules").is_some() {
        layer.lost.push("permissionRules: their form is not documented; Droid still applies them".to_owned());
    }
}
