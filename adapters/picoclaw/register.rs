//! How PicoClaw is told about us.

use crate::protocol::{Block, ConfigFile, FolderSetting, Moved, Registration, Setup, WireChange};
use crate::raw::json_string;

pub(super) const REGISTRATION: Registration = Registration::new("picoclaw", "~/.picoclaw")
    .files(&[ConfigFile::settings(FILE)])
    .runs(&["~/.picoclaw/skills", "~/.picoclaw/workspace/skills", "~/.picoclaw/workspace/cron"])
    .changed(
        &[
            WireChange::new("0.2.4", "no hook is called"),
            WireChange::new("0.2.6", "a hook cannot answer in a tool's place: such a call is denied"),
        ],
        "0.2.9",
    )
    .version(&["version"])
    .defaults(&[("dir", "\"\""), ("env", "{}"), ("observe", "[]")])
    .moved(&[Moved::new("PICOCLAW_CONFIG", FILE), Moved::new("PICOCLAW_HOME", "~/.picoclaw")])
    .blocks(&[
        Block::new("v0.2.4 and v0.2.5", FILE, |setup| text(setup, 1)).between("0.2.4", "0.2.6").mark("version", 1).last_word(PRIORITY).pasting(&["The file must have `\"version\": 1`: without a version its hooks are lost at the next start, with a higher one nothing starts."]).notes(&[
            BOTH,
            MOVED,
        ]),
        Block::new("v0.2.6 and v0.2.7", FILE, |setup| text(setup, 2)).between("0.2.6", "0.2.8").mark("version", 2).last_word(PRIORITY).pasting(&["The file must have `\"version\": 2`: without a version its hooks are lost at the next start, with a higher one nothing starts."]).notes(&[
            BOTH,
            MOVED,
            ISOLATED,
        ]),
        Block::new("v0.2.8 and later", FILE, |setup| text(setup, 3)).between("0.2.8", "").mark("version", 3).last_word(PRIORITY).pasting(&["The file must have `\"version\": 3`; any key that PicoClaw does not know keeps the whole file from loading."]).notes(&[
            BOTH,
            MOVED,
            ISOLATED,
            "With `gateway.hot_reload` a hook that does not start again leaves the gateway running without it.",
        ]),
    ]);

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

/// The last in the row of hooks judges the final call, so the priority is high: the lowest runs first.
fn text(setup: &Setup, version: u32) -> String {
    let mut command = vec![setup.binary.as_str(), "hook", "picoclaw"];
    let paths = [("--policy", &setup.policy), ("--audit", &setup.audit), ("--trust", &setup.trust)];
    for (flag, path) in paths.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))) {
        command.extend([flag, path]);
    }
    let command: Vec<_> = command.into_iter().map(json_string).collect();
    let command = command.join(", ");
    format!(
        r#"{{
  "version": {version},
  "hooks": {{
    "enabled": true,
    "processes": {{
      "snaphook": {{
        "enabled": true,
        "priority": 1000,
        "transport": "stdio",
        "command": [{command}],
        "intercept": ["before_tool", "approve_tool"]
      }}
    }}
  }}
}}
"#
    )
}
