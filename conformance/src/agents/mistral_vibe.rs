//! Mistral Vibe, print mode.

use std::time::Duration;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::{AGENT, MODEL, PROJECT};
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "mistral-vibe",
    program: "vibe",
    package: Some(Package::Pip("mistral-vibe", "3.0.2")),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents],
    skills: None,
    hooks: None,
    registered: &[".vibe/hooks.toml"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let mut config = format!(
        r#"active_model = "scripted"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false

[[providers]]
name = "scripted"
api_base = "{MODEL}/v1"
api_key_env_var = "SCRIPTED_API_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "scripted"
provider = "scripted"
alias = "scripted"
"#
    );
    if options.mcp {
        let (program, arguments) = (mcp::PROGRAM, mcp::ARGUMENTS);
        let server = format!(
            "\n[[mcp_servers]]\nname = \"my-srv\"\ntransport = \"stdio\"\ncommand = {program:?}\nargs = {arguments:?}\n"
        );
        config.push_str(&server);
    }
    let mut setup = AgentSetup::new(Duration::from_mins(2))
        .file(".vibe/config.toml", config)
        .file(".vibe/trusted_folders.toml", format!("trusted = [\"{PROJECT}\"]\nuntrusted = []\n"))
        .env("LD_LIBRARY_PATH", &format!("{AGENT}/lib"))
        .env("SCRIPTED_API_KEY", "not-a-key")
        .env("MISTRAL_API_KEY", "not-a-key")
        .env("VIBE_ENABLE_TELEMETRY", "false")
        .argv(&["vibe", "-p", options.prompt, "--output", "json"]);
    if !options.approvals {
        setup = setup.argv(&["--auto-approve"]);
    }
    if options.rival { setup.file(".vibe/hooks.toml", RIVAL) } else { setup }
}

/// The hook of another program, which approves everything.
const RIVAL: &str = r#"[[hooks]]
name = "rival"
type = "pre_tool"
command = "echo '{\"decision\":\"allow\"}'"
"#;
