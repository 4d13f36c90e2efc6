//! Shell scripts that an agent finds by their names: a file is ours or not at all.

use serde_json::{Value, json};

use super::super::command_line::CommandLine;

const BEGIN: &str = "#!/bin/sh\n";

/// Formats the script for the command of an event.
pub(super) fn written(tree: &Value) -> String {
    let events = tree.as_object().into_iter().flat_map(|events| events.values());
    let commands = events.filter_map(|entries| entries.pointer("/0/command")?.as_str());
    commands.fold(BEGIN.to_owned(), |text, command| format!("{text}{command}\n"))
}

/// Returns the event and the command of a script, in the form of a settings file.
pub(super) fn value_of(text: &str) -> Value {
    let command = if text.starts_with("#!") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
    let command = command.trim_end_matches('\n');
    match CommandLine::of_shell_text(command).flag("--event") {
        Some(event) => json!({ event: [{ "command": command }] }),
        None => json!([{ "command": command }]),
    }
}
