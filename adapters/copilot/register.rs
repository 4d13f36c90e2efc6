//! How the hook gets into a file in Copilot's folder of hooks.

use crate::prelude::*;
use crate::protocol::FailureAnswer::{Document, Exit2};
use crate::protocol::{OffSwitch, PermissionRules};

pub(super) const REGISTRATION: Registration = Registration::new("copilot", "~/.copilot")
    .files(&[
        ConfigFile::hooks("~/.copilot/hooks/*"),
        ConfigFile::settings("~/.copilot/settings.json"),
        ConfigFile::settings("~/.copilot/config.json"),
        ConfigFile::settings("~/.copilot/permissions-config.json"),
        ConfigFile::hooks(".github/hooks/*"),
        ConfigFile::settings(".github/copilot/settings.json"),
        ConfigFile::settings(".github/copilot/settings.local.json"),
        ConfigFile::hooks("/etc/github-copilot/policy.d/*"),
    ])
    .also_runs(&[(".claude/settings.json", "claude-code"), (".claude/settings.local.json", "claude-code")])
    .runs(paths![
        "~/.copilot": "agents", "extensions", "installed-plugins", "mcp-config.json", "skills";
        ".github": "agents", "extensions", "mcp.json", "skills"
    ])
    .changed(&[
        WireChange::new("1.0.6", "a hook can neither ask nor have hooks in this form"),
        WireChange::new("1.0.24", "a hook cannot change the arguments of a tool"),
        WireChange::new("1.0.70", "a hook that fails does not block"),
    ])
    .rules(PermissionRules::Copilot {
        settings: "~/.copilot/settings.json",
        approvals: "~/.copilot/permissions-config.json",
    })
    .newest("1.0.102")
    .off(&[OffSwitch::when_true(&["disableAllHooks"])])
    .moved(&[Moved::new("COPILOT_HOME", "~/.copilot")])
    .blocks(&[Block::new("1.0.6 and later", "~/.copilot/hooks/snaphook.json", ENTRIES)
        .project(".github/hooks/snaphook.json")
        .below(&["hooks"])
        .mark("version", 1)
        .notes(&[
            "Copilot continues if a hook exceeds its time limit, and no setting changes this; it blocks a tool if the hook fails in any other way.",
            "Visual Studio Code reads the same file, and the cloud agent reads the file of a project.",
        ])])
    .trust("Hooks of a project run only in a folder that Copilot trusts; without a terminal, other folders need --trust-folder. Hooks in your own folder run at once.");

const ENTRIES: &[Entry] = &[
    hook(&["preToolUse"]).failure(Exit2),
    hook(&["userPromptSubmitted"]).failure(Document(BLOCKED)),
    hook(&["postToolUse"]),
    hook(&["sessionStart"]),
    hook(&["agentStop"]),
    hook(&["subagentStop"]),
];
const FORM: EntryForm =
    &[("type", Field::Text("command")), ("command", Field::ShellText), ("timeoutSec", Field::Seconds)];
/// Exit code 2 does not block a prompt.
const BLOCKED: &str = r#"{"decision":"block","reason":"<reason>"}"#;

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(FORM, events).timeout_s(20)
}
