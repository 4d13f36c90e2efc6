//! Gemini CLI, print mode.

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
    has: &[Capability::Mcp],
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
    AgentSetup::new(Duration::from_mins(1))
        .file(".gemini/settings.json", format!("{settings:#}\n"))
        .env("GEMINI_API_KEY", "not-a-key")
        .env("GOOGLE_GEMINI_BASE_URL", MODEL)
        .env("GEMINI_TELEMETRY_ENABLED", "false")
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .argv(&["gemini", "-p", options.prompt, "-m", "gemini-2.5-flash", "--output-format", "json"])
        .argv(&["--approval-mode", if options.approvals { "default" } else { "yolo" }])
}
