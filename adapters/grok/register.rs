//! How the hook gets into a hook file.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;

pub(super) const REGISTRATION: Registration = Registration::new("grok", "~/.grok")
    .files(&[
        ConfigFile::hooks("~/.grok/hooks/*"),
        ConfigFile::hooks(".grok/hooks/*"),
        ConfigFile::settings("~/.grok/config.toml"),
        ConfigFile::settings("~/.grok/managed_config.toml"),
        ConfigFile::settings("~/.grok/requirements.toml"),
        ConfigFile::settings("~/.grok/trusted_folders.toml"),
    ])
    .newest("0.2.106")
    .blocks(&[Block::new("all versions", "~/.grok/hooks/snaphook.json", ENTRIES)
        .project(".grok/hooks/snaphook.json")
        .below(&["hooks"])
        .notes(&[
            "Grok Build continues if a hook crashes, times out or is missing, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
            "Grok Build also uses the hooks of Claude Code and Cursor: `[compat.claude] hooks = false` in config.toml turns those of Claude Code off.",
        ])])
    .trust("Hooks of a project run only in a folder that Grok Build trusts; hooks in your own folder run at once.");

const ENTRIES: &[Entry] = &[hook(&["PreToolUse"]).failure(Exit2), hook(&["Stop"])];

/// The time limit is far above the deadline of snaphook; the default is 5 seconds.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY, events).timeout_s(20)
}
