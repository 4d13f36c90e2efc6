//! OpenClaw: one turn without its gateway, and the terminal program with it.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::{HOME, MODEL, PROJECT};
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "openclaw",
    program: "openclaw",
    package: Some(Package::Npm("openclaw", "2026.9.6", &["node@24.21.0"])),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents, Capability::Person],
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
    let server = json!({"my-srv": {"command": mcp::PROGRAM, "args": mcp::ARGUMENTS}});
    let settings = json!({
        "models": {"mode": "merge", "providers": {"scripted": {
            "baseUrl": format!("{MODEL}/v1"), "apiKey": "not-a-key", "api": "openai-completions", "models": [model],
        }}},
        "agents": {"defaults": {"model": {"primary": "scripted/scripted"}, "workspace": PROJECT}},
        "plugins": plugins,
        "mcp": {"servers": if options.mcp { server } else { json!({}) }},
        // Every tool is offered at once.
        "tools": {"profile": "coding", "toolSearch": false, "exec": {"mode": if options.approvals { "ask" } else { "full" }}},
        "update": {"checkOnStart": false},
        "gateway": {"mode": "local", "auth": {"mode": "token", "token": "not-a-token"}},
    });
    let mut setup = AgentSetup::new(Duration::from_mins(2))
        .file(".openclaw/openclaw.json", format!("{settings:#}\n"))
        .env("OPENCLAW_NO_AUTO_UPDATE", "1")
        .env("OPENCLAW_DISABLE_BONJOUR", "1")
        .env("OPENCLAW_NO_RESPAWN", "1")
        .env("OPENCLAW_SKIP_CHANNELS", "1");
    // Questions to a person and sub-agents need the gateway.
    if options.person() || options.needs == Capability::SubAgents {
        setup = setup.file("served.sh", SERVED).argv(&["sh", &format!("{HOME}/served.sh")]);
        setup.terminal = true;
        setup.ready = "gateway connected";
        // The question comes with the second choice, the denial.
        (setup.yes, setup.no) = (&["Up", "Enter"], &["Enter"]);
    } else {
        setup = setup
            .argv(&["openclaw", "agent", "--local", "--agent", "main", "--model", "scripted/scripted", "--json"])
            .argv(&["--message", options.prompt]);
    }
    if options.rival { setup.file("rival.mjs", RIVAL) } else { setup }
}

/// Starts the terminal program when the gateway is ready.
const SERVED: &str = "openclaw gateway run > ~/gateway.log 2>&1 &
until grep -q '\\[gateway\\] ready' ~/gateway.log; do sleep 1; done
exec openclaw tui
";

/// The plug-in of another program, which blocks nothing.
const RIVAL: &str = r#"export default {
  id: "rival",
  name: "rival",
  description: "another plug-in",
  register: (api) => api.on("before_tool_call", () => ({ block: false })),
}
"#;
