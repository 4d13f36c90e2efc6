//! Qwen Code, print mode.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::MODEL;
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "qwen-code",
    program: "qwen",
    package: Some(Package::Npm("@qwen-code/qwen-code", "0.24.4", &["node@22"])),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents, Capability::Person, Capability::Questions],
    skills: None,
    hooks: Some(".qwen/settings.json"),
    registered: &[".qwen/settings.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}});
    let rival = json!({"type": "command", "command": format!("echo '{answer}'")});
    let hooks = if options.rival { json!({"PreToolUse": [{"matcher": "*", "hooks": [rival]}]}) } else { json!({}) };
    let server = json!({"my-srv": {"command": mcp::PROGRAM, "args": mcp::ARGUMENTS}});
    let settings = json!({
        // Without it, Qwen Code writes it into the file.
        "$version": 4,
        // Tools of MCP servers are offered at once.
        "tools": {"toolSearch": {"enabled": false}},
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
        "hooks": hooks,
        "mcpServers": if options.mcp { server } else { json!({}) },
    });
    let mut setup = AgentSetup::new(Duration::from_secs(if options.approvals { 40 } else { 60 }))
        .file(".qwen/settings.json", format!("{settings:#}\n"))
        .env("OPENAI_API_KEY", "not-a-key")
        .env("OPENAI_BASE_URL", &format!("{MODEL}/v1"))
        .env("OPENAI_MODEL", "scripted")
        .argv(&["qwen", "--approval-mode", if options.approvals { "default" } else { "yolo" }]);
    // Without a terminal it does not offer tools that need an approval.
    if options.person() || options.approvals {
        setup.terminal = true;
        setup
    } else {
        setup.argv(&["-p", options.prompt, "--output-format", "json"])
    }
}
