//! OpenClaw, one turn without its gateway.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::{HOME, MODEL, PROJECT};

pub(super) const DRIVER: Driver = Driver {
    id: "openclaw",
    program: "openclaw",
    package: Some(Package::Npm("openclaw", "2026.9.6", &["node@24.21.0"])),
    double: None,
    has: &[],
    skills: None,
    hooks: None,
    registered: &[".openclaw/extensions/snaphook/index.js", ".openclaw/openclaw.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let model = json!({"id": "scripted", "name": "scripted", "reasoning": false, "input": ["text"],
        "contextWindow": 200_000, "maxTokens": 8000, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}});
    let rival = format!("{HOME}/rival.mjs");
    let plugins = if options.rival {
        json!({"slots": {"memory": "none"}, "load": {"paths": [rival]}, "entries": {"rival": {"enabled": true}}})
    } else {
        json!({"slots": {"memory": "none"}})
    };
    let settings = json!({
        "models": {"mode": "merge", "providers": {"scripted": {
            "baseUrl": format!("{MODEL}/v1"), "apiKey": "not-a-key", "api": "openai-completions", "models": [model],
        }}},
        "agents": {"defaults": {"model": {"primary": "scripted/scripted"}, "workspace": PROJECT}},
        "plugins": plugins,
        "tools": {"profile": "coding", "exec": {"mode": "full"}},
        "update": {"checkOnStart": false},
        "gateway": {"mode": "local", "auth": {"mode": "token", "token": "not-a-token"}},
    });
    let setup = AgentSetup::new(Duration::from_mins(2))
        .file(".openclaw/openclaw.json", format!("{settings:#}\n"))
        .env("OPENCLAW_NO_AUTO_UPDATE", "1")
        .env("OPENCLAW_DISABLE_BONJOUR", "1")
        .env("OPENCLAW_NO_RESPAWN", "1")
        .env("OPENCLAW_SKIP_CHANNELS", "1")
        .argv(&["openclaw", "agent", "--local", "--agent", "main", "--model", "scripted/scripted", "--json"])
        .argv(&["--message", options.prompt]);
    if options.rival { setup.file("rival.mjs", RIVAL) } else { setup }
}

/// The plug-in of another program, which blocks nothing.
const RIVAL: &str = r#"export default {
  id: "rival",
  name: "rival",
  description: "another plug-in",
  register: (api) => api.on("before_tool_call", () => ({ block: false })),
}
"#;
