//! How the hook gets into config.json.

use crate::protocol::{Block, ConfigFile, Entry, EntryForm, Field, FolderSetting, Moved, Registration, WireChange};

pub(super) const REGISTRATION: Registration = Registration::new("picoclaw", "~/.picoclaw")
    .files(&[ConfigFile::settings(FILE)])
    .runs(crate::paths![
        "~/.picoclaw": "skills";
        "~/.picoclaw/workspace": "skills", "cron"
    ])
    .changed(&[
        WireChange::new("0.2.4", "no hook is called"),
        WireChange::new("0.2.6", "a hook cannot respond in place of a tool: such a call is denied"),
    ])
    .newest("0.2.9")
    .version(&["version"])
    .defaults(&[("dir", "\"\""), ("env", "{}")])
    .moved(&[Moved::new("PICOCLAW_CONFIG", FILE), Moved::new("PICOCLAW_HOME", "~/.picoclaw")])
    .blocks(&[
        block("v0.2.4 and v0.2.5", 1)
            .between("0.2.4", "0.2.6")
            .pasting(&["The file must have `\"version\": 1`: without it, the hooks are lost at the next start, and with a higher version PicoClaw does not start."])
            .notes(&[BOTH, MOVED]),
        block("v0.2.6 and v0.2.7", 2)
            .between("0.2.6", "0.2.8")
            .pasting(&["The file must have `\"version\": 2`: without it, the hooks are lost at the next start, and with a higher version PicoClaw does not start."])
            .notes(&[BOTH, MOVED, ISOLATED]),
        block("v0.2.8 and later", 3)
            .between("0.2.8", "")
            .pasting(&["The file must have `\"version\": 3`; with an unknown key, PicoClaw does not load the file."])
            .notes(&[
                BOTH,
                MOVED,
                ISOLATED,
                "With `gateway.hot_reload`, the gateway continues without a hook that does not start again.",
            ]),
    ]);

const fn block(versions: &'static str, file_version: u64) -> Block {
    Block::new(versions, FILE, ENTRIES)
        .below(&["hooks", "processes"])
        .by_name()
        .needs(&[&["hooks", "enabled"]])
        .mark("version", file_version)
        .last_word(PRIORITY)
}

const ENTRIES: &[Entry] = &[Entry::new(FORM, &["before_tool", "approve_tool"])];
/// The lowest priority runs first. The last hook judges the final call, so this priority is high.
const FORM: EntryForm = &[
    ("enabled", Field::True),
    (PRIORITY, Field::Number(1000)),
    ("transport", Field::Text("stdio")),
    ("command", Field::Words),
    ("intercept", Field::Events),
    ("observe", Field::Texts(OBSERVED)),
];

/// The names that every version knows. Each one is a notification, so the chattier ones, such as those of the text that
/// streams in, are left out.
const OBSERVED: &[&str] =
    &["turn_start", "turn_end", "tool_exec_end", "tool_exec_skipped", "subturn_spawn", "subturn_end", "error"];

/// The working folder of tools, to which relative paths are relative.
pub(super) const WORKSPACE: FolderSetting = FolderSetting::new(
    "PICOCLAW_AGENTS_DEFAULTS_WORKSPACE",
    FILE,
    "/agents/defaults/workspace",
    "~/.picoclaw/workspace",
);

const FILE: &str = "~/.picoclaw/config.json";
const PRIORITY: &str = "priority";
const BOTH: &str = "Keep both intercepts: if the hook exceeds the time limit, `before_tool` passes the call and `approve_tool` blocks it.";
const MOVED: &str = "`PICOCLAW_HOME` and `PICOCLAW_CONFIG` relocate the file.";
const ISOLATED: &str = "With `isolation.enabled` the hook has another home folder, so these paths are absolute.";
