//! Hermes Agent, one question without a terminal.

use std::time::Duration;

use super::{AgentOptions, AgentSetup, Driver, Package, Paste};
use crate::container::{AGENT, HOME, MODEL, PROJECT};

pub(super) const DRIVER: Driver = Driver {
    id: "hermes",
    program: "hermes",
    package: Some(Package::Pip("hermes-agent", "0.19.0")),
    double: None,
    has: &[],
    skills: None,
    hooks: None,
    registered: &[".hermes/config.yaml"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let config = format!(
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
    let mut setup = AgentSetup::new(Duration::from_mins(2))
        .file(".hermes/config.yaml", config)
        .env("LD_LIBRARY_PATH", &format!("{AGENT}/lib"))
        .env("HERMES_HOME", &format!("{HOME}/.hermes"))
        .env("HERMES_NO_UPDATE_CHECK", "1")
        .env("OPENAI_API_KEY", "not-a-key")
        .argv(&["hermes", "chat", "-q", options.prompt, "-Q", "--accept-hooks"]);
    if options.rival {
        let rival = Some(("  pre_tool_call:", RIVAL));
        setup.paste = Some(Paste { path: format!("{HOME}/.hermes/config.yaml"), indent: 0, rival });
    }
    setup
}

/// The hook of another program, which approves everything.
const RIVAL: &str = "    - command: \"echo '{\\\"decision\\\":\\\"allow\\\"}'\"";
