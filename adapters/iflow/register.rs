//! How the hook gets into settings.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;

pub(super) const REGISTRATION: Registration = Registration::new("iflow", "~/.iflow")
    .files(&[ConfigFile::settings("~/.iflow/settings.json"), ConfigFile::settings(".iflow/settings.json")])
    .blocks(&[Block::new("all versions", "~/.iflow/settings.json", ENTRIES)
        .project(".iflow/settings.json")
        .below(&["hooks"])
        .notes(&["Every exit code other than 0 blocks, so a crash blocks as well."])]);

const ENTRIES: &[Entry] =
    &[hook(&["PreToolUse"]).matcher("*").failure(Exit2), hook(&["UserPromptSubmit"]).failure(Exit2)];

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY, events).timeout_s(20)
}
