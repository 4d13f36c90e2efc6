//! How the hook gets into a file in Kiro's folder of hooks.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;
use crate::protocol::PermissionRules;

pub(super) const REGISTRATION: Registration = Registration::new("kiro-cli", "~/.kiro")
    .files(&[
        ConfigFile::hooks("~/.kiro/hooks/*"),
        ConfigFile::settings("~/.kiro/agents/*"),
        ConfigFile::hooks(".kiro/hooks/*"),
        ConfigFile::settings(".kiro/agents/*"),
        ConfigFile::settings("~/.aws/amazonq/cli-agents/*"),
        ConfigFile::settings(".amazonq/cli-agents/*"),
    ])
    .runs(paths![
        "~/.kiro": "prompts", "settings", "steering";
        ".kiro": "prompts", "settings", "steering";
        "~/.aws/amazonq": "mcp.json";
        ".amazonq": "mcp.json", "rules"
    ])
    .rules(PermissionRules::Kiro(&[
        "~/.kiro/agents",
        ".kiro/agents",
        "~/.aws/amazonq/cli-agents",
        ".amazonq/cli-agents",
    ]))
    .changed(&[WireChange::new("2.21.0", "hooks are read only from the file of each agent: add entries for `preToolUse` there by hand")])
    .blocks(&[Block::new("Kiro IDE 1.x, and Kiro CLI 2.21 and later", "~/.kiro/hooks/snaphook.json", ENTRIES)
        .project(".kiro/hooks/snaphook.json")
        .below(&["hooks"])
        .listed("trigger")
        .constants(&[("version", r#""v1""#)])
        .notes(&[
            "Kiro continues if a hook is killed, exceeds its time limit or fails with another exit code than 2; the guard in the command line blocks after a crash or if the program is missing.",
            "Kiro CLI before 2.21 and Amazon Q Developer CLI read hooks only from the file of each agent, which snaphook does not change: every agent needs a `preToolUse` entry with the same command line.",
            "An answer can only deny: a call that the policy asks about, or that has to be changed, is denied.",
        ])])
    .trust("The IDE runs hooks of a project only in a workspace that you trust. This registration was not tried with the program.");

const ENTRIES: &[Entry] =
    &[hook(&["PreToolUse"]).matcher("*").failure(Exit2), hook(&["UserPromptSubmit"]), hook(&["SessionStart"])];
const FORM: EntryForm = &[
    ("name", Field::Text("snaphook")),
    ("trigger", Field::Event),
    ("matcher", Field::Matcher),
    ("action", Field::Object(&[("type", Field::Text("command")), ("command", Field::ShellText)])),
];

const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(FORM, events)
}
