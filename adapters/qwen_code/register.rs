//! How the hook gets into settings.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::{Document, Exit2};
use crate::protocol::{MatcherSyntax, OffSwitch, PermissionRules};

pub(super) const REGISTRATION: Registration = Registration::new("qwen", "~/.qwen")
    .matchers(MatcherSyntax::Names)
    .files(&[
        ConfigFile::settings("~/.qwen/settings.json"),
        ConfigFile::settings(".qwen/settings.json"),
        ConfigFile::settings("/etc/qwen-code/settings.json"),
        ConfigFile::settings("/etc/qwen-code/system-defaults.json"),
        ConfigFile::settings("/Library/Application Support/QwenCode/settings.json"),
        ConfigFile::settings("~/.qwen/trustedFolders.json"),
    ])
    .runs(paths!["~/.qwen": "agents", "commands", "extensions", "skills"; ".qwen": "agents", "commands", "skills"])
    .rules(PermissionRules::Qwen(&["/etc/qwen-code/settings.json", "~/.qwen/settings.json", ".qwen/settings.json"]))
    .newest("0.24.4")
    .off(&[OffSwitch::when_true(&["disableAllHooks"])])
    .moved(&[Moved::new("QWEN_HOME", "~/.qwen")])
    .blocks(&[Block::new("all versions", "~/.qwen/settings.json", ENTRIES)
        .project(".qwen/settings.json")
        .below(&["hooks"])
        .last_entry(&["PreToolUse"])
        .notes(&[
            "Qwen Code continues if a hook is killed, times out or is missing, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
            "A call that the policy asks about is asked about even if you have approved it in Qwen Code.",
        ])])
    .trust("Hooks of a project run only in a folder that Qwen Code trusts; hooks in your own settings run at once.");

const ENTRIES: &[Entry] = &[
    hook(&["PreToolUse"]).matcher("*").failure(Exit2),
    hook(&["PermissionRequest"]).matcher("*").failure(Document(DENIED)),
    hook(&["UserPromptSubmit"]).failure(Exit2),
    hook(&["UserPromptExpansion"]).failure(Exit2),
    hook(&["PostToolUse"]).matcher("*"),
    hook(&["PostToolUseFailure"]).matcher("*"),
    hook(&["SessionStart"]),
    hook(&["Stop"]),
    hook(&["SubagentStop"]),
];
/// The reply to PermissionRequest, for which exit code 2 has no effect.
const DENIED: &str = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"<reason>"}}}"#;

/// Every version reads 20000 as 20 seconds: newer ones read a number from 1000 as milliseconds.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY_MS, events).timeout_s(20)
}
