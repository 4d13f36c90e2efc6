//! How the hook gets into hooks.toml.

use crate::prelude::*;

pub(super) const REGISTRATION: Registration = Registration::new("hygge", "~/.config/hygge")
    .files(&[
        ConfigFile::hooks("~/.agents/hooks.toml"),
        ConfigFile::hooks("~/.config/hygge/hooks.toml"),
        ConfigFile::hooks(".agents/hooks.toml"),
        ConfigFile::hooks(".hygge/hooks.toml"),
    ])
    .runs(paths![
        "~/.config/hygge": "config.toml", "mcp.toml", "plugins", "skills", "subagents.toml";
        "~/.local/state/hygge": "plugins";
        ".hygge": "config.toml", "mcp.toml", "plugins", "skills", "subagents.toml";
        ".agents": "skills"
    ])
    .environment(&["PATH", "HOME", "LANG", "USER", "TERM", "LC_ALL", "LC_CTYPE"])
    .changed(&[WireChange::new("0.5.0", "messages and replies have another form, which snaphook does not support")])
    .newest("0.17.5")
    .moved(&[Moved::new("XDG_CONFIG_HOME", "~/.config")])
    .blocks(&[Block::new("v0.5.0 and later", "~/.config/hygge/hooks.toml", ENTRIES)
        .project(".hygge/hooks.toml")
        .below(&["hooks"])
        .by_name()
        .pasting(&[
            "Keep the three entries separate: an entry with `post_message` runs too late to block or change anything.",
            "The paths are absolute, because hygge passes no XDG_* variables to its hooks.",
        ])
        .notes(&[
            "The order in which the entries of a file run differs from start to start.",
            "`hygge hooks list` shows the loaded entries; hygge reads them only when it starts.",
        ])]);

const ENTRIES: &[Entry] = &[
    Entry::new(FORM, &["pre_tool", "pre_message"]),
    Entry::new(FORM, &["post_tool"]).label("result"),
    Entry::new(FORM, &["post_message"]).label("log"),
];
/// `command` is one executable that no shell reads. Without a guard, hygge denies if it is missing, crashes or is killed.
const FORM: EntryForm =
    &[("events", Field::Events), ("command", Field::Program), ("args", Field::Arguments), ("timeout", Field::Duration)];
