//! How the hook gets into crush.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;
use crate::protocol::{MatcherSyntax, PermissionRules};

pub(super) const REGISTRATION: Registration = Registration::new("crush", "~/.config/crush")
    .posix_on_windows()
    .matchers(MatcherSyntax::Search)
    .files(&[
        ConfigFile::settings("~/.config/crush/crush.json"),
        ConfigFile::settings("~/.local/share/crush/crush.json"),
        ConfigFile::settings("crush.json"),
        ConfigFile::settings(".crush.json"),
        ConfigFile::settings(".crush/crush.json"),
        ConfigFile::settings("/etc/crush/crush.json"),
    ])
    .runs(paths![
        "~/.config/crush": "crushrc", "commands", "skills";
        "~/.config/agents": "skills";
        "~/.crush": "commands";
        "~/.agents": "skills";
        "~/.claude": "skills";
        ".crush": "commands", "skills";
        ".agents": "skills";
        ".claude": "skills";
        ".cursor": "skills";
    ])
    .rules(PermissionRules::Crush(&[
        "/etc/crush/crush.json",
        "~/.config/crush/crush.json",
        "~/.local/share/crush/crush.json",
        "crush.json",
        ".crush.json",
        ".crush/crush.json",
    ]))
    .embedded_shell()
    .changed(&[WireChange::new("0.63.0", "no hook is called")])
    .newest("0.90.0")
    .moved(&[
        Moved::new("CRUSH_GLOBAL_CONFIG", "~/.config/crush"),
        Moved::new("XDG_CONFIG_HOME", "~/.config"),
        Moved::new("CRUSH_GLOBAL_DATA", "~/.local/share/crush"),
        Moved::new("XDG_DATA_HOME", "~/.local/share"),
    ])
    .blocks(&[Block::new("v0.63.0 and later", "~/.config/crush/crush.json", ENTRIES)
        .project("crush.json")
        .below(&["hooks"])
        .last_entry(&["PreToolUse"])
        .notes(&[
            "Crush continues if a hook is killed, times out or fails, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
            "Crush has no answer that asks: a call that the policy asks about is denied.",
            "The shell files `crushrc` and `.crushrc` can register hooks too, which snaphook does not read.",
        ])]);

/// The time limit is far above the deadline of snaphook.
const ENTRIES: &[Entry] = &[Entry::new(FORM, &["PreToolUse"]).timeout_s(20).failure(Exit2)];
const FORM: EntryForm =
    &[("name", Field::Text("snaphook")), ("command", Field::ShellText), ("timeout", Field::Seconds)];
