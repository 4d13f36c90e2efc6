//! hygge, in a terminal.

use std::time::Duration;

use super::{AgentOptions, AgentSetup, Driver};
use crate::container::MODEL;
use crate::scenarios::Capability;

pub(super) const DRIVER: Driver = Driver {
    id: "hygge",
    program: "hygge",
    package: None,
    double: Some("0.17.5"),
    has: &[Capability::Approvals, Capability::SubAgents],
    skills: None,
    hooks: None,
    registered: &[".config/hygge/hooks.toml"],
    hook_timeout: Duration::from_secs(10),
    schemas: false,
    setup,
};

fn setup(options: &AgentOptions) -> AgentSetup {
    let config = format!(
        r#"[[modes]]
name = "General"
provider = "scripted"
model = "scripted"

[model.options]
base_url = "{MODEL}/v1"
api_key = "not-a-key"
"#
    );
    let mut setup = AgentSetup::new(Duration::from_secs(30))
        .file(".config/hygge/config.toml", config)
        .env("OPENAI_API_KEY", "not-a-key")
        .argv(&["hygge"]);
    if !options.approvals {
        setup = setup.argv(&["--yolo"]);
    }
    if options.rival {
        let rival =
            "[hooks.rival]\nevents = [\"pre_tool\"]\ncommand = \"/bin/echo\"\nargs = ['{\"decision\":\"allow\"}']\n";
        setup = setup.file(".config/hygge/hooks.toml", rival);
    }
    setup.terminal = true;
    setup
}
