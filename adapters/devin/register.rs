//! How the hook gets into a file of Devin.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;

pub(super) const REGISTRATION: Registration = Registration::new("devin", "~/.config/devin")
    .files(&[
        ConfigFile::settings("~/.config/devin/config.json"),
        ConfigFile::hooks(".devin/hooks.v1.json"),
        ConfigFile::settings(".devin/config.json"),
    ])
    .blocks(&[Block::new("all versions", "~/.config/devin/config.json", ENTRIES)
        .below(&["hooks"])
        .project(".devin/config.json")
        .notes(&[
            "Devin continues if a hook crashes, times out or is missing, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
            "Devin also uses the hooks of Claude Code.",
        ])])
    .trust("Hooks of a project run only in a folder that Devin trusts; hooks in your own file run at once.");

const ENTRIES: &[Entry] = &[
    hook(&["PreToolUse"]).failure(Exit2),
    hook(&["UserPromptSubmit"]).failure(Exit2),
    hook(&["PostToolUse"]),
    hook(&["SessionStart"]),
    hook(&["Stop"]),
];

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY, events).timeout_s(20)
}
