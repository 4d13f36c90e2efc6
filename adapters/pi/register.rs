//! How the plug-in gets into the folder of extensions.

use crate::prelude::*;
use crate::shared::plugin;

pub(super) const REGISTRATION: Registration = Registration::new("pi", "~/.pi")
    .files(&[
        ConfigFile::hooks(FILE),
        ConfigFile::hooks(PROJECT_FILE),
        ConfigFile::settings("~/.pi/agent/settings.json"),
        ConfigFile::settings("~/.pi/agent/trust.json"),
        ConfigFile::settings(".pi/settings.json"),
    ])
    .runs(paths!["~/.pi/agent": "extensions", "skills", "prompts"; ".pi": "extensions", "skills", "prompts"])
    .changed(&[WireChange::new("0.87.0", "an answer does not make the agent continue, and does not end its turn")])
    .newest("1.5.2")
    .moved(&[Moved::new("PI_CODING_AGENT_DIR", "~/.pi/agent")])
    .blocks(&[Block::new("0.87 and later", FILE, ENTRIES)
        .project(PROJECT_FILE)
        .plugin(&[plugin::CLIENT, include_str!("plugin.js")])
        .notes(&[
            "pi loads extensions when it starts, or with `/reload`; if it cannot load one, it does not start.",
            "Since 0.79 pi loads the extensions of a project only if it trusts the project, and skips them without a word in print, JSON and RPC mode.",
            "Without a person, a call that the policy asks about is denied.",
        ])]);

const FILE: &str = "~/.pi/agent/extensions/snaphook.js";
const PROJECT_FILE: &str = ".pi/extensions/snaphook.js";

const ENTRIES: &[Entry] =
    &[Entry::new(plugin::SETTINGS, &["tool_call", "tool_result", "input", "session_start", "agent_before_settle"])
        .timeout_s(20)];
