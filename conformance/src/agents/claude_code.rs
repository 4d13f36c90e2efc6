//! Claude Code, print mode.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::{MODEL, PROJECT};
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "claude-code",
    program: "claude",
    package: Some(Package::Npm("@anthropic-ai/claude-code", "2.1.329", &[])),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents, Capability::Person],
    skills: Some("2.0"),
    hooks: Some(".claude/settings.json"),
    registered: &[".claude/settings.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let allowed: &[&str] =
        if options.approvals { &[] } else { &["Bash", "Write", "Edit", "Read", "WebFetch", "Agent", "mcp__my-srv"] };
    let mut settings = json!({"permissions": {"allow": allowed}});
    if options.rival {
        let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}});
        let hook = json!({"type": "command", "command": format!("echo '{answer}'")});
        settings = json!({
            "permissions": {"allow": allowed},
            "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]},
        });
    }
    let mut setup = AgentSetup::new(Duration::from_mins(1))
        .file(".claude/settings.json", format!("{settings:#}\n"))
        .env("ANTHROPIC_BASE_URL", MODEL)
        .env("ANTHROPIC_API_KEY", "not-a-key")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_ERROR_REPORTING", "1")
        .argv(&["claude", "--model", "claude-sonnet-4-5"]);
    if options.person() {
        // Otherwise it first asks for a theme, about the key and about the folder.
        let state = json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            "customApiKeyResponses": {"approved": ["not-a-key"], "rejected": []},
            "projects": {PROJECT: {"hasTrustDialogAccepted": true}},
        });
        setup = setup.file(".claude.json", format!("{state:#}\n"));
        setup.terminal = true;
    } else {
        setup = setup.argv(&["-p", options.prompt, "--output-format", "stream-json", "--verbose"]);
    }
    if options.mcp {
        let servers = json!({"mcpServers": {"my-srv": {"command": mcp::PROGRAM, "args": mcp::ARGUMENTS}}});
        setup = setup.file("mcp.json", servers.to_string()).argv(&["--mcp-config", "/home/user/mcp.json"]);
    }
    setup
}
