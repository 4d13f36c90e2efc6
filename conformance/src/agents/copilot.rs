//! GitHub Copilot CLI, print mode.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::{MODEL, PROJECT};
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "copilot",
    program: "copilot",
    package: Some(Package::Npm("@github/copilot", "1.0.102", &[])),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents, Capability::Person],
    skills: None,
    hooks: None,
    registered: &[".copilot/hooks/snaphook.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let mut setup = AgentSetup::new(Duration::from_mins(1))
        .env("COPILOT_OFFLINE", "true")
        .env("COPILOT_AUTO_UPDATE", "false")
        .env("COPILOT_PROVIDER_BASE_URL", &format!("{MODEL}/v1"))
        .env("COPILOT_PROVIDER_API_KEY", "not-a-key")
        .env("COPILOT_MODEL", "gpt-4.1")
        .argv(&["copilot", "--no-color"]);
    if options.person() {
        let trusted = json!({"trusted_folders": [PROJECT], "banner": "never"});
        setup = setup.file(".copilot/config.json", format!("{trusted:#}\n"));
        setup.terminal = true;
    } else {
        setup = setup.argv(&["-p", options.prompt]);
    }
    if !options.approvals {
        setup = setup.argv(&["--allow-all-tools", "--allow-all-paths"]);
    }
    if options.rival {
        let hook = json!({"type": "command", "command": "echo '{\"permissionDecision\":\"allow\"}'"});
        let hooks = json!({"version": 1, "hooks": {"preToolUse": [hook]}});
        setup = setup.file(".copilot/hooks/a-rival.json", format!("{hooks:#}\n"));
    }
    if options.mcp {
        let server = json!({"type": "local", "command": mcp::PROGRAM, "args": mcp::ARGUMENTS, "tools": ["*"]});
        let servers = json!({"mcpServers": {"my-srv": server}});
        setup = setup.file(".copilot/mcp-config.json", format!("{servers:#}\n"));
    }
    setup
}
