//! How the plug-in gets into the folder of plug-ins.

use crate::opencode::register::{ENTRIES, PLUGIN};
use crate::prelude::*;
use crate::protocol::PermissionRules;
use crate::shared::plugin;

pub(super) const REGISTRATION: Registration = Registration::new("kilo", "~/.config/kilo")
    .files(&[
        ConfigFile::hooks(FILE),
        ConfigFile::hooks(PROJECT_FILE),
        ConfigFile::settings("~/.config/kilo/kilo.json"),
        ConfigFile::settings("~/.config/kilo/kilo.jsonc"),
        ConfigFile::settings("kilo.json"),
        ConfigFile::settings("kilo.jsonc"),
        ConfigFile::settings(".kilo/kilo.json"),
        ConfigFile::settings(".kilo/kilo.jsonc"),
    ])
    .runs(paths![
        "~/.config/kilo": "plugin", "plugins", "command", "commands", "agent", "agents", "skill", "skills", "tool", "tools";
        ".kilo": "plugin", "plugins", "command", "commands", "agent", "agents", "skill", "skills", "tool", "tools"
    ])
    .rules(PermissionRules::OpenCode(&[
        "~/.config/kilo/kilo.json",
        "~/.config/kilo/kilo.jsonc",
        "kilo.json",
        "kilo.jsonc",
        ".kilo/kilo.json",
        ".kilo/kilo.jsonc",
    ]))
    .newest("7.7.7")
    .moved(&[Moved::new("XDG_CONFIG_HOME", "~/.config")])
    .blocks(&[Block::new("7.7 and later", FILE, ENTRIES)
        .project(PROJECT_FILE)
        .plugin(&[plugin::CLIENT, PLUGIN])
        .notes(&[
            "Kilo loads plug-ins when it starts: restart it.",
            "A call that the policy asks about is denied: a plug-in cannot have Kilo ask the person.",
        ])]);

const FILE: &str = "~/.config/kilo/plugin/snaphook.js";
const PROJECT_FILE: &str = ".kilo/plugin/snaphook.js";
