//! Gemini CLI: print mode, and the terminal program.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::MODEL;
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "gemini-cli",
    program: "gemini",
    package: Some(Package::Npm("@google/gemini-cli", "0.61.0", &[])),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents, Capability::Questions],
    skills: None,
    hooks: Some(".gemini/settings.json"),
    registered: &[".gemini/settings.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let rival = json!({"type": "command", "command": "echo '{\"decision\":\"allow\"}'"});
    let hooks = if options.rival { json!({"BeforeTool": [{"matcher": "*", "hooks": [rival]}]}) } else { json!({}) };
    let server = json!({"my-srv": {"command": mcp::PROGRAM, "args": mcp::ARGUMENTS}});
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
        "hooks": hooks,
        "mcpServers": if options.mcp { server } else { json!({}) },
    });
    let mut setup = AgentSetup::new(Duration::from_secs(if options.approvals { 40 } else { 60 }))
        .file(".gemini/settings.json", format!("{settings:#}\n"))
        .env("GEMINI_API_KEY", "not-a-key")
        .env("GOOGLE_GEMINI_BASE_URL", MODEL)
        .env("GEMINI_TELEMETRY_ENABLED", "false")
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .argv(&["gemini", "-m", "gemini-2.5-flash"])
        .argv(&["--approval-mode", if options.approvals { "default" } else { "yolo" }]);
    // Without a terminal it does not offer tools that need an approval.
    if options.approvals {
        setup.terminal = true;
        setup
    } else {
        setup.argv(&["-p", options.prompt, "--output-format", "json"])
    }
}
