//! How the hook gets into config.toml.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;
use crate::protocol::PermissionRules;

pub(super) const REGISTRATION: Registration = Registration::new("kimi", "~/.kimi-code")
    .files(&[ConfigFile::settings("~/.kimi-code/config.toml")])
    .runs(paths!["~/.kimi-code": "agents", "mcp.json", "plugins", "skills"; ".kimi-code": "agents", "mcp.json", "skills"])
    .rules(PermissionRules::Kimi(&["~/.kimi-code/config.toml"]))
    .newest("2.1.0")
    .moved(&[Moved::new("KIMI_CODE_HOME", "~/.kimi-code")])
    .blocks(&[Block::new("all versions", "~/.kimi-code/config.toml", ENTRIES).below(&["hooks"]).listed("event").notes(&[
        "Kimi Code continues if a hook is killed, times out or is missing, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
        "A hook can only deny: a call that the policy asks about, or that has to be isolated, is denied.",
    ])]);

const ENTRIES: &[Entry] =
    &[hook(&["PreToolUse"]).failure(Exit2), hook(&["UserPromptSubmit"]).failure(Exit2), hook(&["Stop"])];

/// Kimi Code rejects the whole file for any other member. The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(&[("event", Field::Event), ("command", Field::ShellText), ("timeout", Field::Seconds)], events)
        .timeout_s(20)
}
