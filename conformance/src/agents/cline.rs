//! The CLI of Cline: one prompt without a terminal, and the terminal program.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::MODEL;
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "cline",
    program: "cline",
    package: Some(Package::Npm("cline", "3.0.65", &[])),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents, Capability::Questions],
    skills: None,
    hooks: None,
    registered: &[
        "Documents/Cline/Hooks/PreToolUse",
        "Documents/Cline/Hooks/UserPromptSubmit",
        "Documents/Cline/Hooks/PostToolUse",
        "Documents/Cline/Hooks/TaskStart",
    ],
    hook_timeout: Duration::from_mins(2),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let providers = json!({
        "version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
        "providers": {"openai-compatible": {
            "settings": {
                "provider": "openai-compatible", "apiKey": "not-a-key", "model": "scripted", "baseUrl": format!("{MODEL}/v1"),
            },
            "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
        }},
    });
    let server = json!({"my-srv": {"command": mcp::PROGRAM, "args": mcp::ARGUMENTS}});
    let servers = json!({"mcpServers": if options.mcp { server } else { json!({}) }});
    let mut setup = AgentSetup::new(Duration::from_secs(if options.approvals { 40 } else { 60 }))
        .file(".cline/data/settings/providers.json", format!("{providers:#}\n"))
        .file(".cline/data/settings/cline_mcp_settings.json", format!("{servers:#}\n"))
        .env("CLINE_TELEMETRY_DISABLED", "1")
        .env("CLINE_NO_AUTO_UPDATE", "1")
        .argv(&["cline", "-P", "openai-compatible", "-m", "scripted", "--retries", "3"]);
    // Without a terminal it refuses what needs an approval.
    if options.approvals {
        setup.terminal = true;
        setup = setup.argv(&["--tui", "--auto-approve", "false"]);
    } else {
        setup = setup.argv(&["--json", options.prompt]);
    }
    if options.rival {
        setup = setup.file(".cline/hooks/PreToolUse", "#!/bin/sh\necho '{\"cancel\":false}'\n");
    }
    setup
}
