//! How the hook gets into Claude Code's settings.

use super::events::FAILS_OPEN;
use crate::protocol::{Block, ConfigFile, Moved, OffSwitch, Registration, Setup, WireChange};
use crate::shared::guard;
use crate::shared::json::Members;

/// The events that policy and its handlers speak about, gates first.
const EVENTS: &[(&str, bool)] = &[
    ("PreToolUse", true),
    ("PermissionRequest", true),
    ("UserPromptSubmit", true),
    ("UserPromptExpansion", true),
    ("PreCompact", true),
    ("PostToolUse", false),
    ("PostToolUseFailure", false),
    ("SessionStart", false),
    ("Stop", false),
    ("SubagentStop", false),
];
/// Seconds; the hook's own deadline is far below.
const TIMEOUT: &str = "20";
/// Exit 2 is no answer on PermissionRequest, so its guard prints one.
const DENIED: &str = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"agent hook failed: denied"}}}"#;

pub(super) static REGISTRATION: Registration = Registration::new("claude", "~/.claude")
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
    .runs(&[
        "~/.claude.json",
        "~/.claude/agents",
        "~/.claude/commands",
        "~/.claude/hooks",
        "~/.claude/output-styles",
        "~/.claude/plugins",
        "~/.claude/skills",
        ".claude/agents",
        ".claude/commands",
        ".claude/hooks",
        ".claude/output-styles",
        ".claude/skills",
        ".agents/skills",
    ])
    .rules("permissions")
    .changed(
        &[
            WireChange::new("2.1.77", "an approval by a hook beats a rule of the user's own that denies"),
            WireChange::new("2.1.90", "exit 2 does not block where there is a document on stdout as well"),
            WireChange::new("2.1.121", "only the results of MCP tools can be replaced"),
            WireChange::new("2.1.241", "`onFailure` is not heeded: a hook that is killed or too slow lets the call through"),
        ],
        "2.1.329",
    )
    .version(&["--version"])
    .off(&[
        OffSwitch::when_true(&["disableAllHooks"]),
        OffSwitch::when_true(&["allowManagedHooksOnly"]).managed(),
    ])
    .moved(&[Moved::new("CLAUDE_CONFIG_DIR", "~/.claude")])
    .blocks(&[Block::new("all versions", "~/.claude/settings.json", settings).project(".claude/settings.json")
        .closes(&[FAILS_OPEN])
        .last_entry(&["PreToolUse", "PermissionRequest"])
        .pasting(&["Add the members of `hooks` to those that are there already."])
        .notes(&[
        "`onFailure` is heeded by versions after 2.1.240; older ones ignore it and let the call through when the hook fails.",
    ])])
    .trust("Interactive sessions run hooks only in a folder whose trust dialog was accepted; /hooks shows them.");

fn settings(setup: &Setup) -> String {
    let hooks: Vec<String> = EVENTS.iter().map(|&(event, gate)| entry(setup, event, gate)).collect();
    format!("{{\n  \"hooks\": {{\n{}\n  }}\n}}\n", hooks.join(",\n"))
}

fn entry(setup: &Setup, event: &str, gate: bool) -> String {
    let mut words = vec![setup.binary.as_str(), "hook", "claude-code", "--event", event];
    words.extend(setup.policy.iter().flat_map(|policy| ["--policy", policy.as_str()]));
    let line = guard::line(words);
    let command = match event {
        "PermissionRequest" => guard::document(&line, DENIED),
        _ if gate => guard::exit_2(&line),
        _ => line,
    };
    let handler = Members::new().text("type", "command").text("command", &command).json("timeout", TIMEOUT);
    let handler = if gate { handler.text("onFailure", "block") } else { handler };
    let about_tools = event.contains("Tool") || event.starts_with("Permission");
    let group = if about_tools { Members::new().text("matcher", "*") } else { Members::new() };
    let group = group.json("hooks", &format!("[{}]", handler.finish()));
    format!("    \"{event}\": [{}]", group.finish())
}
