//! How the plug-in gets into the folder of plug-ins.

use crate::prelude::*;
use crate::protocol::PermissionRules;
use crate::shared::plugin;

pub(super) const REGISTRATION: Registration = Registration::new("opencode", "~/.config/opencode")
    .files(&[
        ConfigFile::hooks(FILE),
        ConfigFile::hooks(PROJECT_FILE),
        ConfigFile::settings("~/.config/opencode/opencode.json"),
        ConfigFile::settings("~/.config/opencode/opencode.jsonc"),
        ConfigFile::settings("opencode.json"),
        ConfigFile::settings("opencode.jsonc"),
        ConfigFile::settings(".opencode/opencode.json"),
        ConfigFile::settings(".opencode/opencode.jsonc"),
        ConfigFile::settings("/etc/opencode/opencode.json"),
    ])
    .runs(paths![
        "~/.config/opencode": "plugin", "plugins", "command", "commands", "agent", "agents", "skill", "skills", "tool", "tools";
        ".opencode": "plugin", "plugins", "command", "commands", "agent", "agents", "skill", "skills", "tool", "tools"
    ])
    .rules(PermissionRules::OpenCode(&[
        "/etc/opencode/opencode.json",
        "~/.config/opencode/opencode.json",
        "~/.config/opencode/opencode.jsonc",
        "opencode.json",
        "opencode.jsonc",
        ".opencode/opencode.json",
        ".opencode/opencode.jsonc",
    ]))
    .newest("1.18.33")
    .moved(&[Moved::new("XDG_CONFIG_HOME", "~/.config")])
    .blocks(&[Block::new("1.18 and later", FILE, ENTRIES)
        .project(PROJECT_FILE)
        .plugin(&[plugin::CLIENT, PLUGIN])
        .notes(&[
            "OpenCode loads plug-ins when it starts: restart it.",
            "OpenCode has its package manager fetch `@opencode-ai/plugin` into the folder of a plug-in when it starts; the plug-in of snaphook does not need the package.",
            "A call that the policy asks about is denied: a plug-in cannot have OpenCode ask the person.",
        ])]);

const FILE: &str = "~/.config/opencode/plugins/snaphook.js";
const PROJECT_FILE: &str = ".opencode/plugins/snaphook.js";

/// The part of the plug-in for OpenCode and programs that were made from it.
pub(crate) const PLUGIN: &str = include_str!("plugin.js");

pub(crate) const ENTRIES: &[Entry] = &[Entry::new(
    plugin::SETTINGS,
    &[
        "tool.execute.before",
        "permission.asked",
        "tool.execute.after",
        "chat.message",
        "experimental.chat.system.transform",
        "session.idle",
    ],
)
.timeout_s(20)];
