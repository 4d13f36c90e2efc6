//! How the hook gets into Claude Code's settings.

use super::events::FAILS_OPEN;
use crate::protocol::FailureAnswer::{Document, Exit2};
use crate::protocol::{
    Block, ConfigFile, Entry, EntryForm, Field, MatcherSyntax, Moved, OffSwitch, PermissionRules, Registration,
    WireChange,
};

/// The events that policy and its handlers can decide, gates first.
const ENTRIES: &[Entry] = &[
    gate(&["PreToolUse"]).matcher("*"),
    gate(&["PermissionRequest"]).matcher("*").failure(Document(DENIED)),
    gate(&["UserPromptSubmit"]),
    gate(&["UserPromptExpansion"]),
    gate(&["PreCompact"]),
    hook(&["PostToolUse"]).matcher("*"),
    hook(&["PostToolUseFailure"]).matcher("*"),
    hook(&["SessionStart"]),
    hook(&["Stop"]),
    hook(&["SubagentStop"]),
];
const FORM: EntryForm = &[
    ("matcher", Field::Matcher),
    (
        "hooks",
        Field::List(&[
            ("type", Field::Text("command")),
            ("command", Field::ShellText),
            ("timeout", Field::Seconds),
            ("onFailure", Field::IfFailsClosed("block")),
        ]),
    ),
];
/// The reply to PermissionRequest, which ignores exit code 2.
const DENIED: &str = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"<reason>"}}}"#;

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(FORM, events).timeout_s(20)
}

const fn gate(events: &'static [&'static str]) -> Entry {
    hook(events).fails_closed().failure(Exit2)
}

pub(super) static REGISTRATION: Registration = Registration::new("claude", "~/.claude")
    .posix_on_windows()
    .files(&[
        ConfigFile::settings("~/.claude/settings.json"),
        ConfigFile::settings("~/.claude/settings.local.json"),
        ConfigFile::settings(".claude/settings.json"),
        ConfigFile::settings(".claude/settings.local.json"),
        ConfigFile::settings("/etc/claude-code/managed-settings.json"),
        ConfigFile::settings("/etc/claude-code/managed-settings.d/*"),
        ConfigFile::settings("/Library/Application Support/ClaudeCode/managed-settings.json"),
        ConfigFile::settings("/Library/Application Support/ClaudeCode/managed-settings.d/*"),
    ])
    .plugins(&["~/.claude/plugins/cache/*/*/*/hooks/hooks.json"])
    .plugin_folder("CLAUDE_PLUGIN_ROOT")
    .runs(crate::paths![
        "~": ".claude.json";
        "~/.claude": "agents", "commands", "hooks", "output-styles", "plugins", "skills";
        ".claude": "agents", "commands", "hooks", "output-styles", "skills";
        ".agents": "skills"
    ])
    .rules(PermissionRules::Lists("permissions"))
    .matchers(MatcherSyntax::Names)
    .changed(&[
        WireChange::new("2.1.77", "an approval by a hook overrides a deny rule of the user"),
        WireChange::new("2.1.90", "exit 2 does not block if stdout has a document"),
        WireChange::new("2.1.121", "only the results of MCP tools can be replaced"),
        WireChange::new(
            "2.1.241",
            "`onFailure` is ignored: the call runs if the hook is killed or exceeds the time limit",
        ),
    ])
    .newest("2.1.329")
    .off(&[OffSwitch::when_true(&["disableAllHooks"]), OffSwitch::when_true(&["allowManagedHooksOnly"]).managed()])
    .moved(&[Moved::new("CLAUDE_CONFIG_DIR", "~/.claude")])
    .blocks(&[Block::new("all versions", "~/.claude/settings.json", ENTRIES)
        .project(".claude/settings.json")
        .below(&["hooks"])
        .closes(&[FAILS_OPEN.sentence])
        .last_entry(&["PreToolUse", "PermissionRequest"])
        .pasting(&["Add the members of `hooks` to the existing ones."])
        .notes(&["Versions up to 2.1.240 ignore `onFailure`: the call runs if the hook fails."])])
    .trust("Interactive sessions run hooks only in folders whose trust dialog was accepted; /hooks lists them.");
