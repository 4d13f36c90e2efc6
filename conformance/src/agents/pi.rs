//! pi, print mode.

use std::time::Duration;

use serde_json::json;

use super::{AgentOptions, AgentSetup, Driver, Package};
use crate::container::MODEL;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "pi",
    program: "pi",
    package: Some(Package::Npm("@earendil-works/pi-coding-agent", "0.87.1", &["node@22"])),
    double: None,
    has: &[Capability::Person],
    skills: None,
    hooks: None,
    registered: &[".pi/agent/extensions/snaphook.js"],
    hook_timeout: Duration::from_secs(20),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let model = json!({"id": "scripted", "name": "scripted", "reasoning": false, "input": ["text"],
        "contextWindow": 100_000, "maxTokens": 4096, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}});
    let models = json!({"providers": {"scripted": {
        "api": "openai-completions", "baseUrl": format!("{MODEL}/v1"), "apiKey": "not-a-key", "models": [model],
    }}});
    let mut setup = AgentSetup::new(Duration::from_mins(1))
        .file(".pi/agent/models.json", format!("{models:#}\n"))
        .env("PI_OFFLINE", "1")
        .env("PI_TELEMETRY", "0")
        .env("PI_SKIP_VERSION_CHECK", "1")
        .argv(&["pi", "--provider", "scripted", "--model", "scripted"]);
    if options.person() {
        setup.terminal = true;
    } else {
        setup = setup.argv(&["-p", options.prompt]);
    }
    if options.rival {
        let rival = "export default (pi) => pi.on(\"tool_call\", () => ({ block: false }))\n";
        setup = setup.file(".pi/agent/extensions/zz-rival.js", rival);
    }
    setup
}
