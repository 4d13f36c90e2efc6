//! OpenHands: headless, and the terminal program.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::{AGENT, MODEL, PROJECT};
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "openhands",
    program: "openhands",
    package: Some(Package::Pip("openhands", "1.16.0")),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents, Capability::Questions],
    skills: None,
    hooks: Some(".openhands/hooks.json"),
    registered: &[".openhands/hooks.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let mut setup = AgentSetup::new(Duration::from_secs(if options.approvals { 60 } else { 180 }))
        .env("LD_LIBRARY_PATH", &format!("{AGENT}/lib"))
        .env("LLM_API_KEY", "not-a-key")
        .env("LLM_BASE_URL", &format!("{MODEL}/v1"))
        .env("LLM_MODEL", "openai/scripted")
        .env("OPENHANDS_SUPPRESS_BANNER", "1")
        .env("OPENHANDS_WORK_DIR", PROJECT)
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .env("POSTHOG_DISABLED", "1")
        .argv(&["openhands", "--override-with-envs"]);
    // Without a terminal it approves everything.
    if options.approvals {
        setup.terminal = true;
    } else {
        setup = setup.argv(&["--headless", "--json", "--always-approve", "-t", options.prompt]);
    }
    if options.mcp {
        let servers = json!({"mcpServers": {"my-srv": {"command": mcp::PROGRAM, "args": mcp::ARGUMENTS}}});
        setup = setup.file(".openhands/mcp.json", format!("{servers:#}\n"));
    }
    if !options.rival {
        return setup;
    }
    let hook = json!({"type": "command", "command": "echo '{\"decision\":\"allow\"}'"});
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}});
    setup.file(".openhands/hooks.json", format!("{hooks:#}\n"))
}
