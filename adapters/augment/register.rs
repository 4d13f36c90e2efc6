//! How the hook gets into settings.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;

pub(super) const REGISTRATION: Registration = Registration::new("auggie", "~/.augment")
    .files(&[
        ConfigFile::settings("~/.augment/settings.json"),
        ConfigFile::settings(".augment/settings.json"),
        ConfigFile::settings(".augment/settings.local.json"),
        ConfigFile::settings("/etc/augment/settings.json"),
    ])
    .newest("0.36.0")
    .blocks(&[Block::new("0.36.0", "~/.augment/settings.json", ENTRIES)
        .project(".augment/settings.json")
        .below(&["hooks"])
        .notes(&[
            "Augment continues if a hook is killed, times out or fails, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
        ])]);

/// Tools of MCP servers are matched by `.*` and by patterns that begin with `mcp:`.
const ENTRIES: &[Entry] = &[hook(&["PreToolUse"]).matcher(".*").failure(Exit2), hook(&["PostToolUse"]).matcher(".*")];

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY_MS, events).timeout_s(20)
}
