//! PicoClaw, one turn from the command line.

use std::time::Duration;

use serde_json::{Value, json};

use super::{AgentOptions, AgentSetup, Driver};
use crate::container::{MODEL, PROJECT};
use crate::powers::numbers;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "picoclaw",
    program: "picoclaw",
    package: None,
    double: Some("0.2.9"),
    has: &[Capability::Approvals, Capability::SubAgents],
    skills: None,
    hooks: None,
    registered: &[".picoclaw/config.json"],
    hook_timeout: Duration::from_mins(1),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let version = numbers(&options.version);
    let mut model = json!({"model_name": "scripted", "model": "openai/scripted", "api_base": format!("{MODEL}/v1")});
    let mut tools = json!({"web": {"enabled": false}, "exec": {"enabled": true, "enable_deny_patterns": true}});
    let form = match &version {
        old if *old < numbers("0.2.6") => 1,
        old if *old < numbers("0.2.8") => 2,
        _ => 3,
    };
    let mut setup = AgentSetup::new(Duration::from_secs(30));
    if form == 3 {
        model = json!({
            "model_name": "scripted", "provider": "openai", "model": "scripted", "api_base": format!("{MODEL}/v1"),
            "api_keys": ["not-a-key"], "enabled": true,
        });
    } else {
        if let Some(tools) = tools.as_object_mut() {
            tools.extend(
                ["read_file", "write_file", "edit_file", "list_dir"]
                    .map(|tool| (tool.into(), json!({"enabled": true}))),
            );
        }
        let keys = "model_list:\n  scripted:0:\n    api_keys:\n      - not-a-key\n";
        setup = setup.file(".picoclaw/.security.yml", keys);
    }
    let mut config = json!({
        "version": form,
        "agents": {"defaults": {
            "workspace": PROJECT, "restrict_to_workspace": false, "model_name": "scripted", "max_tokens": 1024,
            "max_tool_iterations": 12,
        }},
        "model_list": [model],
        "tools": tools,
    });
    if options.rival {
        add(&mut config, "hooks", rival());
    }
    setup.file(".picoclaw/config.json", format!("{config:#}\n")).argv(&[
        "picoclaw",
        "agent",
        "-m",
        options.prompt,
        "-s",
        "cli:probe",
    ])
}

/// A hook of another program that approves everything.
fn rival() -> Value {
    json!({"enabled": true, "processes": {"rival": {
        "enabled": true, "priority": 100, "transport": "stdio", "command": ["/home/harness/conformance", "rival"],
        "intercept": ["before_tool", "approve_tool"],
    }}})
}

fn add(config: &mut Value, key: &str, value: Value) {
    if let Some(members) = config.as_object_mut() {
        members.insert(key.into(), value);
    }
}
