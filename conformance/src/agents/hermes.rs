//! Hermes Agent: one question without a terminal, and the terminal program.

use std::time::Duration;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::{HOME, MODEL, PROJECT};
use crate::mcp;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "hermes",
    program: "hermes",
    package: Some(Package::Pip("hermes-agent[mcp]", "0.19.0")),
    double: None,
    has: &[Capability::Mcp, Capability::Approvals, Capability::SubAgents],
    skills: None,
    hooks: None,
    registered: &[".hermes/config.yaml"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let mut config = format!(
        r"model:
  provider: custom
  default: scripted
  base_url: {MODEL}/v1
  api_key: not-a-key
  context_length: 200000
terminal:
  backend: local
  cwd: {PROJECT}
updates:
  check_on_start: false
"
    );
    if options.approvals {
        config.push_str("approvals:\n  timeout: 10\n");
    }
    if options.rival {
        config.push_str("plugins:\n  enabled: [rival]\n");
    }
    if options.mcp {
        // Hermes starts servers with its own Python and few of its variables.
        let (program, arguments) = (mcp::PROGRAM, mcp::ARGUMENTS);
        let server = format!(
            r"mcp_servers:
  my-srv:
    command: {program:?}
    args: {arguments:?}
    env:
      LD_LIBRARY_PATH: {LIBRARIES}
"
        );
        config.push_str(&server);
    }
    let mut setup = AgentSetup::new(Duration::from_mins(2))
        .file(".hermes/config.yaml", config)
        .env("LD_LIBRARY_PATH", LIBRARIES)
        .env("HERMES_HOME", &format!("{HOME}/.hermes"))
        .env("HERMES_NO_UPDATE_CHECK", "1")
        .env("OPENAI_API_KEY", "not-a-key")
        .argv(&["hermes", "--accept-hooks"]);
    // It waits for sub-agents only with `-z`, which also approves every question; otherwise it may end before them.
    if options.rival || options.needs == Capability::SubAgents {
        setup = setup.argv(&["-z", options.prompt]);
    } else if options.approvals {
        setup.terminal = true;
    } else {
        setup = setup.argv(&["chat", "-q", options.prompt, "-Q"]);
    }
    if options.rival {
        setup = setup
            .file(".hermes/plugins/rival/plugin.yaml", "name: rival\nversion: \"1.0\"\ndescription: another plug-in\n");
        setup = setup.file(".hermes/plugins/rival/__init__.py", RIVAL);
    }
    setup
}

/// The folder of the Python library, below the folder of the agent.
const LIBRARIES: &str = "/home/agent/lib";

/// The plug-in of another program, which asks about every call.
const RIVAL: &str = r#"def register(ctx):
    ctx.register_hook("pre_tool_call", lambda **_: {"action": "approve", "message": "another plug-in asks"})
"#;
