//! How the hook gets into settings.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;
use crate::protocol::{MatcherSyntax, OffSwitch, PermissionRules};

pub(super) const REGISTRATION: Registration = Registration::new("gemini-cli", "~/.gemini")
    .files(&[
        ConfigFile::settings("~/.gemini/settings.json"),
        ConfigFile::settings(".gemini/settings.json"),
        ConfigFile::settings("/etc/gemini-cli/settings.json"),
        ConfigFile::settings("~/.gemini/trusted_hooks.json"),
        ConfigFile::settings("~/.gemini/trustedFolders.json"),
    ])
    .runs(paths!["~/.gemini": "commands", "extensions", "policies"; ".gemini": "commands", "extensions", "policies"])
    .rules(PermissionRules::Gemini(&["~/.gemini/policies", ".gemini/policies", "/etc/gemini-cli/policies"]))
    .matchers(MatcherSyntax::Search)
    .newest("0.61.0")
    .off(&[OffSwitch::when_false(&["hooksConfig", "enabled"])])
    .blocks(&[Block::new("0.61.0", "~/.gemini/settings.json", ENTRIES)
        .project(".gemini/settings.json")
        .below(&["hooks"])
        .notes(&[
            "Gemini CLI continues if a hook is killed, times out or fails without a text, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
            "A tool that asks the person cannot be asked for by a hook without a terminal: a call that the policy asks about is denied.",
        ])])
    .trust("Hooks of a project run only in a folder that Gemini CLI trusts; hooks in your own settings run at once.");

const ENTRIES: &[Entry] = &[
    hook(&["BeforeTool"]).matcher("*").failure(Exit2),
    hook(&["BeforeAgent"]).failure(Exit2),
    hook(&["AfterTool"]).matcher("*"),
    hook(&["SessionStart"]),
    hook(&["AfterAgent"]),
];

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY_MS, events).timeout_s(20)
}
