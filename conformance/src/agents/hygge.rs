//! hygge, in a terminal.

use std::time::Duration;

use super::{Driver, Setting, Wish};
use crate::space::MODEL;

pub(super) const DRIVER: Driver = Driver {
    id: "hygge",
    program: "hygge",
    package: None,
    double: Some("0.17.5"),
    mcp: false,
    sub_agents: true,
    skills: None,
    hooks: None,
    registered: &[".config/hygge/hooks.toml"],
    patience: Duration::from_secs(10),
    schemas: false,
    setting,
};

fn setting(wish: &Wish) -> Setting {
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
    let mut setting = Setting::new(Duration::from_secs(30))
        .file(".config/hygge/config.toml", config)
        .env("OPENAI_API_KEY", "not-a-key")
        .argv(&["hygge"]);
    if !wish.approvals {
        setting = setting.argv(&["--yolo"]);
    }
    if wish.rival {
        let rival =
            "[hooks.rival]\nevents = [\"pre_tool\"]\ncommand = \"/bin/echo\"\nargs = ['{\"decision\":\"allow\"}']\n";
        setting = setting.file(".config/hygge/hooks.toml", rival);
    }
    setting.terminal = true;
    setting
}
