//! How the plug-in gets into the folder of extensions: as a package, because only a package can change results.

use crate::prelude::*;
use crate::shared::plugin;

pub(super) const REGISTRATION: Registration = Registration::new("openclaw", "~/.openclaw")
    .files(&[
        ConfigFile::hooks(PLUGIN),
        ConfigFile::hooks(PACKAGE),
        ConfigFile::hooks(MANIFEST),
        ConfigFile::settings(SETTINGS),
        ConfigFile::settings("~/.openclaw/exec-approvals.json"),
    ])
    .runs(paths!["~/.openclaw": "extensions", "hooks", "skills", "cron"; ".openclaw": "extensions"])
    .newest("2026.9.6")
    .moved(&[
        Moved::new("OPENCLAW_CONFIG_PATH", SETTINGS),
        Moved::new("OPENCLAW_STATE_DIR", "~/.openclaw"),
    ])
    .blocks(&[
        Block::new("2026.9 and later", PLUGIN, ENTRIES).plugin(&[plugin::CLIENT, include_str!("plugin.js")]).notes(&[
            "Without a person who can approve, a call that the policy asks about is denied.",
            "`openclaw agent exec` and `openclaw chat` (`openclaw tui --local`) run no plug-in: nothing is judged there.",
        ]),
        Block::new("the same versions, the package", PACKAGE, &[]).constants(&[
            ("name", r#""snaphook""#),
            ("version", r#""1.0.0""#),
            ("type", r#""module""#),
            ("openclaw", r#"{"extensions":["./index.js"]}"#),
        ]),
        Block::new("the same versions, the manifest of the package", MANIFEST, &[]).constants(&[
            ("id", r#""snaphook""#),
            ("name", r#""snaphook""#),
            ("activation", r#"{"onStartup":true}"#),
            ("contracts", r#"{"agentToolResultMiddleware":["openclaw"]}"#),
            ("configSchema", r#"{"type":"object","additionalProperties":false}"#),
        ]),
        Block::new("the same versions, the settings of the plug-in", SETTINGS, &[])
            .needs(&[
                &["plugins", "entries", "snaphook", "enabled"],
                &["plugins", "entries", "snaphook", "hooks", "allowConversationAccess"],
            ])
            .notes(&["If `plugins.allow` is set, add `snaphook` to it, or OpenClaw does not load the plug-in."]),
    ])
    .trust(
        "Restart the gateway, and look at `openclaw plugins inspect snaphook --runtime`: OpenClaw does not say so if it skips a plug-in.",
    );

const PLUGIN: &str = "~/.openclaw/extensions/snaphook/index.js";
const PACKAGE: &str = "~/.openclaw/extensions/snaphook/package.json";
const MANIFEST: &str = "~/.openclaw/extensions/snaphook/openclaw.plugin.json";
const SETTINGS: &str = "~/.openclaw/openclaw.json";

const ENTRIES: &[Entry] = &[Entry::new(
    plugin::SETTINGS,
    &["before_tool_call", "agentToolResultMiddleware", "before_agent_run", "before_prompt_build"],
)
.timeout_s(20)];
