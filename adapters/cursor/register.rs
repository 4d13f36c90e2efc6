//! How the hook gets into hooks.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;
use crate::protocol::PermissionRules;

pub(super) const REGISTRATION: Registration = Registration::new("cursor-agent", "~/.cursor")
    .files(&[
        ConfigFile::hooks("~/.cursor/hooks.json"),
        ConfigFile::hooks(".cursor/hooks.json"),
        ConfigFile::hooks("/etc/cursor/hooks.json"),
        ConfigFile::settings("~/.cursor/cli-config.json"),
        ConfigFile::settings(".cursor/cli.json"),
        ConfigFile::settings("~/.cursor/mcp.json"),
        ConfigFile::settings(".cursor/mcp.json"),
        ConfigFile::settings("~/.cursor/permissions.json"),
        ConfigFile::settings("~/.cursor/sandbox.json"),
    ])
    .runs(paths![
        "~/.cursor": "commands", "rules", "skills", "agents";
        ".cursor": "commands", "rules", "skills", "agents"
    ])
    .rules(PermissionRules::Cursor(&["~/.cursor/cli-config.json", ".cursor/cli.json"]))
    .newest("3.14")
    // The message follows the command as a here-document, so the whole line is one command.
    .user_shell()
    .blocks(&[Block::new("3.14", "~/.cursor/hooks.json", ENTRIES)
        .project(".cursor/hooks.json")
        .below(&["hooks"])
        .mark("version", 1)
        .closes(&[super::events::UNSEEN_FAILURE])
        .notes(&[
            "Every entry that judges has `failClosed`: Cursor blocks if the hook crashes, times out or is missing.",
            "Cursor asks about shell commands only: any other call that the policy asks about is denied.",
            "Cloud agents use the hooks of a project, not those of a user.",
        ])])
    .trust("Hooks of a project run only in a workspace that Cursor trusts; hooks in your own file run at once.");

const ENTRIES: &[Entry] = &[
    // The later event names the server of an MCP tool.
    gate(&["preToolUse"]).role(Role::Guarded).matcher("^(?!MCP:)"),
    gate(&["beforeShellExecution"]),
    gate(&["beforeMCPExecution"]),
    gate(&["beforeSubmitPrompt"]),
    hook(&["postToolUse"]),
    hook(&["sessionStart"]),
    hook(&["stop"]),
];

const FORM: EntryForm = &[("command", Field::ShellText), ("matcher", Field::Matcher), ("timeout", Field::Seconds)];
const GATE: EntryForm = &[
    ("command", Field::ShellText),
    ("matcher", Field::Matcher),
    ("timeout", Field::Seconds),
    ("failClosed", Field::True),
];

const fn gate(events: &'static [&'static str]) -> Entry {
    Entry::new(GATE, events).timeout_s(20).fails_closed().failure(Exit2)
}

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(FORM, events).timeout_s(20)
}
