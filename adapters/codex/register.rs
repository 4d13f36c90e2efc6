//! How the hook gets into Codex's hooks.json.

use crate::protocol::{Approval, Block, ConfigFile, Moved, OffSwitch, Registration, Setup, WireChange};
use crate::shared::guard;
use crate::shared::json::Members;

/// Says what happens where our program fails on an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    /// Exit 2 with a reason blocks.
    Exit,
    /// Only a document blocks.
    Document,
    /// Nothing is blocked.
    Nothing,
}

const EVENTS: &[(&str, On)] = &[
    ("PreToolUse", On::Exit),
    ("PermissionRequest", On::Exit),
    ("UserPromptSubmit", On::Exit),
    ("PreCompact", On::Document),
    ("PostToolUse", On::Nothing),
    ("SessionStart", On::Nothing),
    ("Stop", On::Nothing),
    ("SubagentStop", On::Nothing),
];
/// Seconds; the hook's own deadline is far below.
const TIMEOUT: &str = "20";
const STOPPED: &str = r#"{"continue":false,"stopReason":"agent hook failed: denied"}"#;

pub(super) static REGISTRATION: Registration = Registration::new("codex", "~/.codex")
    .files(&[
        ConfigFile::hooks("~/.codex/hooks.json"),
        ConfigFile::settings("~/.codex/config.toml"),
        ConfigFile::hooks(".codex/hooks.json"),
        ConfigFile::settings(".codex/config.toml"),
        ConfigFile::settings("~/.codex/requirements.toml"),
        ConfigFile::settings("/etc/codex/requirements.toml"),
    ])
    .runs(&[
        "~/.codex/plugins",
        "~/.codex/prompts",
        "~/.codex/rules",
        "~/.codex/skills",
        ".codex/rules",
        ".codex/skills",
        ".agents/skills",
    ])
    .user_shell()
    .approval(Approval::new("~/.codex/config.toml", approved_at))
    .changed(
        &[WireChange::new("0.123.0", "hooks see Bash alone: patches and MCP tools are not judged")],
        "0.169.0",
    )
    .version(&["--version"])
    .off(&[OffSwitch::when_false(&["features", "hooks"]), OffSwitch::when_false(&["features", "codex_hooks"])])
    .moved(&[Moved::new("CODEX_HOME", "~/.codex")])
    .blocks(&[Block::new("0.169.0", "~/.codex/hooks.json", hooks).project(".codex/hooks.json").only(&["hooks", "description"]).pasting(&[
        "The file may hold nothing beside `hooks` and `description`: any other key makes Codex reject all of it.",
    ]).notes(&[
        "Codex goes on when a hook is killed, too slow or missing, and has no switch against that; the guard in the line covers a crash and a missing program.",
    ])])
    .trust(
        "Open Codex, type /hooks and approve the entries: until then, and again after every edit of one, it skips them without a word.",
    );

fn hooks(setup: &Setup) -> String {
    let hooks: Vec<String> = EVENTS.iter().map(|&(event, on)| entry(setup, event, on)).collect();
    format!("{{\n  \"hooks\": {{\n{}\n  }}\n}}\n", hooks.join(",\n"))
}

/// Codex takes the user's own shell, so each line hands itself to /bin/sh.
fn entry(setup: &Setup, event: &str, on: On) -> String {
    let mut words = vec![setup.binary.as_str(), "hook", "codex", "--event", event];
    words.extend(setup.policy.iter().flat_map(|policy| ["--policy", policy.as_str()]));
    let line = guard::nested_line(words);
    let command = guard::sh(&match on {
        On::Exit => guard::exit_2(&line),
        On::Document => guard::document(&line, STOPPED),
        On::Nothing => line,
    });
    let handler = Members::new().text("type", "command").text("command", &command).json("timeout", TIMEOUT);
    let about_tools = event.contains("Tool") || event.starts_with("Permission");
    let group = if about_tools { Members::new().text("matcher", "*") } else { Members::new() };
    let group = group.json("hooks", &format!("[{}]", handler.finish()));
    format!("    \"{event}\": [{}]", group.finish())
}

/// `hooks.state."<file>:<event in snake case>:<group>:<handler>".trusted_hash`; a group of ours has one handler.
fn approved_at(file: &str, event: &str, group: usize) -> Vec<String> {
    let mut snake = String::with_capacity(event.len() + 4);
    for c in event.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    let name = format!("{file}:{snake}:{group}:0");
    ["hooks", "state", &name, "trusted_hash"].map(str::to_owned).to_vec()
}
