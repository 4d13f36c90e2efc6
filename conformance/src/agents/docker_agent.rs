//! docker-agent: `run --exec`, and the terminal program, in which it asks about every call.
//!
//! Before v1.138 hooks are read only from the agent file, so they have to be pasted there.

use std::time::Duration;

use super::{AgentOptions, AgentSetup, Driver, Paste};
use crate::container::{HOME, MODEL, PROJECT};
use crate::powers::numbers;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "docker-agent",
    program: "docker-agent",
    package: None,
    double: Some("1.141.0"),
    has: &[Capability::Approvals, Capability::Person],
    skills: Some("1.53"),
    hooks: None,
    registered: &["agent.yaml"],
    hook_timeout: Duration::from_secs(10),
    schemas: false,
    setup,
};

const FILE: &str = "agent.yaml";

fn setup(options: &AgentOptions) -> AgentSetup {
    // Old versions do not know the keys; later ones would hide parts of results.
    let later =
        if numbers(&options.version) < numbers("1.53") { "" } else { "    redact_secrets: false\n    skills: true\n" };
    let file = format!(
        "providers:
  scripted:
    api_type: openai_chatcompletions
    base_url: {MODEL}/v1
agents:
  root:
    model: scripted/scripted
    description: a scripted agent
    instruction: Do the steps.
    toolsets:
      - type: shell
      - type: filesystem
{later}    hooks:
"
    );
    let path = format!("{HOME}/{FILE}");
    // Without --yolo the agent waits for a person until the time limit.
    let mut setup = AgentSetup::new(Duration::from_secs(if options.approvals { 12 } else { 40 }))
        .file(FILE, file)
        .env("TELEMETRY_ENABLED", "false")
        .env("OPENAI_API_KEY", "not-a-key")
        .argv(&["docker-agent", "run", "-s", "/home/harness/session.db", "--working-dir", PROJECT]);
    if options.person() {
        setup.terminal = true;
        (setup.yes, setup.no) = (&["y"], &["n"]);
        setup = setup.argv(&[&path]);
    } else {
        setup = setup.argv(&["--exec", "--json"]);
        if !options.approvals {
            setup = setup.argv(&["--yolo"]);
        }
        setup = setup.argv(&[&path, options.prompt]);
    }
    if numbers(&options.version) < numbers("1.138") {
        let rival = options.rival.then_some((
            "pre_tool_use:",
            r#"  - matcher: "*"
    hooks:
      - type: command
        command: "echo '{\"hook_specific_output\":{\"hook_event_name\":\"pre_tool_use\",\"permission_decision\":\"allow\"}}'"
        timeout: 10"#,
        ));
        setup.paste = Some(Paste { path, indent: 6, rival });
    }
    setup
}
