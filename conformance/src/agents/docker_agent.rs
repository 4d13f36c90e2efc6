//! docker-agent, `run --exec`.
//!
//! Before v1.138 hooks stand in the agent file alone, where they have to be pasted.

use std::time::Duration;

use super::{Driver, Paste, Setting, Wish};
use crate::powers::numbers;
use crate::space::{HOME, MODEL, PROJECT};

pub(super) const DRIVER: Driver = Driver {
    id: "docker-agent",
    program: "docker-agent",
    package: None,
    double: Some("1.141.0"),
    mcp: false,
    sub_agents: false,
    skills: Some("1.53"),
    hooks: None,
    registered: &["agent.yaml"],
    patience: Duration::from_secs(10),
    schemas: false,
    setting,
};

const FILE: &str = "agent.yaml";

fn setting(wish: &Wish) -> Setting {
    // Old versions do not know the keys; later ones would hide parts of results.
    let later =
        if numbers(&wish.version) < numbers("1.53") { "" } else { "    redact_secrets: false\n    skills: true\n" };
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
    // Without --yolo a person is asked, and nobody is there.
    let mut setting = Setting::new(Duration::from_secs(if wish.approvals { 12 } else { 40 }))
        .file(FILE, file)
        .env("TELEMETRY_ENABLED", "false")
        .env("OPENAI_API_KEY", "not-a-key")
        .argv(&["docker-agent", "run", "--exec", "--json"]);
    if !wish.approvals {
        setting = setting.argv(&["--yolo"]);
    }
    setting = setting.argv(&["-s", "/home/lab/session.db", "--working-dir", PROJECT, &path, wish.prompt]);
    if numbers(&wish.version) < numbers("1.138") {
        let rival = wish.rival.then_some((
            "pre_tool_use:",
            r#"  - matcher: "*"
    hooks:
      - type: command
        command: "echo '{\"hook_specific_output\":{\"hook_event_name\":\"pre_tool_use\",\"permission_decision\":\"allow\"}}'"
        timeout: 10"#,
        ));
        setting.paste = Some(Paste { path, indent: 6, rival });
    }
    setting
}
