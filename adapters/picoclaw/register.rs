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
        WireChange::new("0.2.6", "a hook cannot answer in a tool's place: such a call is denied"),
    ])
    .newest("0.2.9")
    .version(&["version"])
    .defaults(&[("dir", "\"\""), ("env", "{}"), ("observe", "[]")])
    .moved(&[Moved::new("PICOCLAW_CONFIG", FILE), Moved::new("PICOCLAW_HOME", "~/.picoclaw")])
    .blocks(&[
        block("v0.2.4 and v0.2.5", 1)
            .between("0.2.4", "0.2.6")
            .pasting(&["The file must have `\"version\": 1`: without a version its hooks are lost at the next start, with a higher one nothing starts."])
            .notes(&[BOTH, MOVED]),
        block("v0.2.6 and v0.2.7", 2)
            .between("0.2.6", "0.2.8")
            .pasting(&["The file must have `\"version\": 2`: without a version its hooks are lost at the next start, with a higher one nothing starts."])
            .notes(&[BOTH, MOVED, ISOLATED]),
        block("v0.2.8 and later", 3)
            .between("0.2.8", "")
            .pasting(&["The file must have `\"version\": 3`; any key that PicoClaw does not know keeps the whole file from loading."])
            .notes(&[
                BOTH,
                MOVED,
                ISOLATED,
                "With `gateway.hot_reload` a hook that does not start again leaves the gateway running without it.",
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
/// The last hook judges the final call, so the priority is high: the lowest runs first.
const FORM: EntryForm = &[
    ("enabled", Field::True),
    (PRIORITY, Field::Number(1000)),
    ("transport", Field::Text("stdio")),
    ("command", Field::Words),
    ("intercept", Field::Events),
];

/// Where tools work, and what relative paths are relative to.
pub(super) const WORKSPACE: FolderSetting = FolderSetting::new(
    "PICOCLAW_AGENTS_DEFAULTS_WORKSPACE",
    FILE,
    "/agents/defaults/workspace",
    "~/.picoclaw/workspace",
);

const FILE: &str = "~/.picoclaw/config.json";
const PRIORITY: &str = "priority";
const BOTH: &str =
    "Keep both intercepts: `before_tool` lets a call through when the hook is late, `approve_tool` blocks it.";
const MOVED: &str = "`PICOCLAW_HOME` and `PICOCLAW_CONFIG` move the file.";
const ISOLATED: &str =
    "With `isolation.enabled` the hook sees another home folder; the paths here are absolute for that reason.";
