//! PicoClaw, one turn from the command line.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Driver, Setting, Wish};
use crate::powers::numbers;
use crate::space::{MODEL, PROJECT};

pub(super) const DRIVER: Driver = Driver {
    id: "picoclaw",
    program: "picoclaw",
    package: None,
    double: Some("0.2.9"),
    mcp: false,
    sub_agents: true,
    skills: None,
    hooks: None,
    registered: &[".picoclaw/config.json"],
    patience: Duration::from_mins(1),
    schemas: false,
    setting,
};

fn setting(wish: &Wish) -> Setting {
    let version = numbers(&wish.version);
    let mut model = json!({"model_name": "scripted", "model": "openai/scripted", "api_base": format!("{MODEL}/v1")});
    let mut tools = json!({"web": {"enabled": false}, "exec": {"enabled": true, "enable_deny_patterns": true}});
    let form = match &version {
        old if *old < numbers("0.2.6") => 1,
        old if *old < numbers("0.2.8") => 2,
        _ => 3,
    };
    let mut setting = Setting::new(Duration::from_secs(30));
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
        setting = setting.file(".picoclaw/.security.yml", keys);
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
    if wish.rival {
        add(&mut config, "hooks", rival());
    }
    setting.file(".picoclaw/config.json", format!("{config:#}\n")).argv(&[
        "picoclaw",
        "agent",
        "-m",
        wish.prompt,
        "-s",
        "cli:probe",
    ])
}

/// A hook of somebody else that approves everything.
fn rival() -> Value {
    json!({"enabled": true, "processes": {"rival": {
        "enabled": true, "priority": 100, "transport": "stdio", "command": ["/home/lab/conformance", "rival"],
        "intercept": ["before_tool", "approve_tool"],
    }}})
}

fn add(config: &mut Value, key: &str, value: Value) {
    if let Some(members) = config.as_object_mut() {
        members.insert(key.into(), value);
    }
}
