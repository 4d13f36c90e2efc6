//! How the hook gets into hooks.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;

pub(super) const REGISTRATION: Registration = Registration::new("openhands", "~/.openhands")
    .files(&[ConfigFile::hooks("~/.openhands/hooks.json"), ConfigFile::hooks(".openhands/hooks.json")])
    .runs(paths![
        "~/.openhands": "agent_settings.json", "mcp.json", "microagents", "skills";
        ".openhands": "microagents", "pre-commit.sh", "setup.sh", "skills"
    ])
    .newest("1.16.0")
    .blocks(&[Block::new("all versions", "~/.openhands/hooks.json", ENTRIES)
        .project(".openhands/hooks.json")
        .below(&["hooks"])
        .only(&["hooks"])
        .notes(&[
            "OpenHands reads one file only: in a project with .openhands/hooks.json, register there too (`--project`).",
            "OpenHands continues if a hook is killed, times out or is missing, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
            "A hook can only deny: a call that the policy asks about, or that has to be isolated, is denied.",
        ])]);

const ENTRIES: &[Entry] =
    &[hook(&["PreToolUse"]).matcher("*").failure(Exit2), hook(&["UserPromptSubmit"]).failure(Exit2), hook(&["Stop"])];

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY, events).timeout_s(20)
}
