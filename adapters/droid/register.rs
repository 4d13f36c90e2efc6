//! How the hook gets into hooks.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;
use crate::protocol::{OffSwitch, PermissionRules};

pub(super) const REGISTRATION: Registration = Registration::new("droid", "~/.factory")
    .files(&[
        ConfigFile::hooks("~/.factory/hooks.json"),
        ConfigFile::settings("~/.factory/settings.json"),
        ConfigFile::hooks(".factory/hooks.json"),
        ConfigFile::settings(".factory/settings.json"),
        ConfigFile::settings(".factory/settings.local.json"),
    ])
    .runs(paths!["~/.factory": "commands", "droids", "mcp.json", "plugins", "skills"; ".factory": "commands", "droids", "mcp.json", "skills"])
    .rules(PermissionRules::Droid(&[
        "/etc/factory/settings.json",
        "~/.factory/settings.json",
        "~/.factory/settings.local.json",
        ".factory/settings.json",
        ".factory/settings.local.json",
    ]))
    .newest("0.225.2")
    .off(&[OffSwitch::when_true(&["hooksDisabled"]), OffSwitch::when_true(&["hooks", "hooksDisabled"])])
    .blocks(&[Block::new("all versions", "~/.factory/hooks.json", ENTRIES).project(".factory/hooks.json").notes(&[
        "If hooks.json has hooks of an event, Droid ignores those of the same event in settings.json: move yours to hooks.json.",
        "Droid continues if a hook is killed, times out or is missing, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
        "A hook cannot have Droid ask: a call that the policy asks about is denied.",
    ])])
    .trust("Droid reads hooks when it starts, and calls none in a folder that you have not trusted.");

const ENTRIES: &[Entry] = &[
    hook(&["PreToolUse"]).matcher("*").failure(Exit2),
    hook(&["UserPromptSubmit"]).failure(Exit2),
    hook(&["PreCompact"]).failure(Exit2),
    hook(&["PostToolUse"]).matcher("*"),
    hook(&["SessionStart"]),
    hook(&["Stop"]),
];

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY, events).timeout_s(20)
}
