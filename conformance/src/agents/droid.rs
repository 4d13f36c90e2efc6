//! Factory Droid, `exec`.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::{AGENT, MODEL};
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "droid",
    program: "droid",
    package: Some(Package::Npm("@factory/cli-linux-x64", "0.225.2", &[])),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents],
    skills: None,
    hooks: Some(".factory/hooks.json"),
    registered: &[".factory/hooks.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let settings = json!({
        "cloudSessionSync": false,
        "telemetry": false,
        "customModels": [{
            "model": "scripted", "displayName": "scripted", "baseUrl": format!("{MODEL}/v1"), "apiKey": "not-a-key",
            "provider": "generic-chat-completion-api", "maxOutputTokens": 4096,
        }],
    });
    let server =
        json!({"my-srv": {"type": "stdio", "command": mcp::PROGRAM, "args": mcp::ARGUMENTS, "disabled": false}});
    let mut setup = AgentSetup::new(Duration::from_mins(1))
        .file(".factory/settings.json", format!("{settings:#}\n"))
        .env("FACTORY_API_KEY", "not-a-key")
        // The offline mode. Without it, sub-agents need an account.
        .env("FACTORY_AIRGAP_ENABLED", "true")
        .env("FACTORY_DISABLE_AUTO_UPDATE", "1")
        .env("DROID_DISABLE_AUTO_UPDATE", "1")
        .argv(&[&format!("{AGENT}/node_modules/@factory/cli-linux-x64/bin/droid"), "exec"])
        .argv(&["-m", "custom:scripted-0", "-o", "json", options.prompt]);
    if !options.approvals {
        setup = setup.argv(&["--skip-permissions-unsafe"]);
    }
    if options.mcp {
        let servers = json!({"mcpServers": server});
        setup = setup.file(".factory/mcp.json", format!("{servers:#}\n"));
    }
    if options.rival {
        let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}});
        let hook = json!({"type": "command", "command": format!("echo '{answer}'")});
        let hooks = json!({"PreToolUse": [{"matcher": "*", "hooks": [hook]}]});
        setup = setup.file(".factory/hooks.json", format!("{hooks:#}\n"));
    }
    setup
}
