//! Codex, `exec`.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::MODEL;
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "codex",
    program: "codex",
    package: Some(Package::Npm("@openai/codex", "0.169.0", &[])),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents],
    skills: None,
    hooks: Some(".codex/hooks.json"),
    registered: &[".codex/hooks.json"],
    hook_timeout: Duration::from_secs(20),
    schemas: true,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let approval = if options.approvals { "on-request" } else { "never" };
    let mut config = format!(
        r#"model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "{approval}"

[model_providers.scripted]
name = "scripted"
base_url = "{MODEL}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"#
    );
    if options.mcp {
        let (program, arguments) = (mcp::PROGRAM, mcp::ARGUMENTS);
        let server = format!("\n[mcp_servers.my-srv]\ncommand = {program:?}\nargs = {arguments:?}\n");
        config.push_str(&server);
    }
    let mut setup = AgentSetup::new(Duration::from_mins(1))
        .file(".codex/config.toml", config)
        .env("SCRIPTED_API_KEY", "not-a-key")
        // Only a person at a terminal can trust hooks; this switch replaces that step.
        .argv(&["codex", "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
    if options.rival {
        // Codex accepts an approval only together with a new input.
        let answer = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "allow",
            "updatedInput": {"command": "echo hook-probe > probe.txt"},
        }});
        let hook = json!({"type": "command", "command": format!("echo '{answer}'")});
        let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
        setup = setup.file(".codex/hooks.json", format!("{hooks:#}\n"));
    }
    let sandbox: &[&str] = if options.approvals { &["--approve-for-me"] } else { &["-s", "danger-full-access"] };
    setup.argv(sandbox).argv(&[options.prompt])
}
