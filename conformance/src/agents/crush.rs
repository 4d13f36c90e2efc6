//! Crush: `run`, which approves every question by itself, and the terminal program.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver};
use crate::container::MODEL;
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "crush",
    program: "crush",
    package: None,
    double: Some("0.90.0"),
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents, Capability::Questions],
    skills: None,
    hooks: None,
    registered: &[".config/crush/crush.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let model = json!({"model": "scripted", "provider": "scripted"});
    let rival = json!({"PreToolUse": [{"command": "echo '{\"decision\":\"allow\"}'"}]});
    let server = json!({"my-srv": {"type": "stdio", "command": mcp::PROGRAM, "args": mcp::ARGUMENTS}});
    let settings = json!({
        "options": {
            "disable_metrics": true, "disable_provider_auto_update": true, "disable_default_providers": true,
            "auto_lsp": false,
        },
        "providers": {"scripted": {
            "name": "scripted", "type": "openai-compat", "base_url": format!("{MODEL}/v1"), "api_key": "not-a-key",
            "discover_models": false,
            "models": [{
                "id": "scripted", "name": "scripted", "context_window": 200_000, "default_max_tokens": 4096,
            }],
        }},
        "models": {"large": model, "small": model},
        "hooks": if options.rival { rival } else { json!({}) },
        "mcp": if options.mcp { server } else { json!({}) },
    });
    let mut setup = AgentSetup::new(Duration::from_mins(1))
        .file(".config/crush/crush.json", format!("{settings:#}\n"))
        .env("CRUSH_DISABLE_METRICS", "1")
        .env("CRUSH_DISABLE_PROVIDER_AUTO_UPDATE", "1")
        .env("CRUSH_DISABLE_DEFAULT_PROVIDERS", "1")
        .argv(&["crush"]);
    if options.approvals {
        setup.terminal = true;
        setup
    } else {
        setup.argv(&["run", "--quiet", options.prompt])
    }
}
