//! How the hook gets into Codex's hooks.json.

use crate::protocol::FailureAnswer::{Document, Exit2};
use crate::protocol::{
    Approval, Block, ConfigFile, Entry, MatcherSyntax, Moved, OffSwitch, PermissionRules, Registration, WireChange,
};
use crate::shared::claude_style;

const ENTRIES: &[Entry] = &[
    hook(&["PreToolUse"]).matcher("*").failure(Exit2),
    hook(&["PermissionRequest"]).matcher("*").failure(Exit2),
    hook(&["UserPromptSubmit"]).failure(Exit2),
    hook(&["PreCompact"]).failure(Document(STOPPED)),
    hook(&["PostToolUse"]).matcher("*"),
    hook(&["SessionStart"]),
    hook(&["Stop"]),
    hook(&["SubagentStop"]),
];
const STOPPED: &str = r#"{"continue":false,"stopReason":"<reason>"}"#;

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(claude_style::ENTRY, events).timeout_s(20)
}

pub(super) static REGISTRATION: Registration = Registration::new("codex", "~/.codex")
    .files(&[
        ConfigFile::hooks("~/.codex/hooks.json"),
        ConfigFile::settings("~/.codex/config.toml"),
        ConfigFile::hooks(".codex/hooks.json"),
        ConfigFile::settings(".codex/config.toml"),
        ConfigFile::settings("~/.codex/requirements.toml"),
        ConfigFile::settings("/etc/codex/requirements.toml"),
    ])
    .runs(crate::paths![
        "~/.codex": "plugins", "prompts", "rules", "skills";
        ".codex": "rules", "skills";
        ".agents": "skills"
    ])
    .rules(PermissionRules::Codex(&["~/.codex/rules", ".codex/rules"]))
    .user_shell()
    .matchers(MatcherSyntax::Whole)
    .approval(Approval::new("~/.codex/config.toml", approved_at))
    .changed(&[WireChange::new("0.123.0", "hooks receive only Bash: patches and MCP tools are not judged")])
    .newest("0.169.0")
    .off(&[OffSwitch::when_false(&["features", "hooks"]), OffSwitch::when_false(&["features", "codex_hooks"])])
    .moved(&[Moved::new("CODEX_HOME", "~/.codex")])
    .blocks(&[Block::new("0.169.0", "~/.codex/hooks.json", ENTRIES).below(&["hooks"]).project(".codex/hooks.json").only(&["hooks", "description"]).pasting(&[
        "The file may contain only `hooks` and `description`: with any other key, Codex rejects the whole file.",
    ]).notes(&[
        "Codex continues if a hook is killed, times out or is missing, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
    ])])
    .trust(
        "Open Codex, type /hooks and approve the entries: until then, and after every change of an entry, Codex skips them silently.",
    );

/// `hooks.state."<file>:<event in snake case>:<group>:<handler>".trusted_hash`; our groups have one handler.
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
