//! How the hook gets into hooks.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;

pub(super) const REGISTRATION: Registration = Registration::new("windsurf", "~/.codeium/windsurf")
    .files(&[
        ConfigFile::hooks("~/.codeium/windsurf/hooks.json"),
        ConfigFile::hooks("~/.codeium/hooks.json"),
        ConfigFile::hooks(".windsurf/hooks.json"),
        ConfigFile::hooks("/etc/windsurf/hooks.json"),
    ])
    .newest("3.9.18")
    .blocks(&[Block::new("1.12.31 to 3.9.18", "~/.codeium/windsurf/hooks.json", ENTRIES)
        .project(".windsurf/hooks.json")
        .below(&["hooks"])
        .notes(&[
            "Version 3.9.19 replaced Cascade by Devin Local, whose hooks `snaphook install devin` registers.",
            "Windsurf continues if a hook crashes, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
            "No hook runs in Restricted Mode.",
        ])]);

const ENTRIES: &[Entry] = &[
    gate(&["pre_run_command"]),
    gate(&["pre_read_code"]),
    gate(&["pre_write_code"]),
    gate(&["pre_mcp_tool_use"]),
    gate(&["pre_user_prompt"]),
];

const FORM: EntryForm = &[("command", Field::ShellText)];

const fn gate(events: &'static [&'static str]) -> Entry {
    Entry::new(FORM, events).failure(Exit2)
}
