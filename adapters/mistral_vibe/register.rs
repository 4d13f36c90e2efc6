//! How the hook gets into hooks.toml.

use super::FAILS_OPEN;
use crate::prelude::*;
use crate::protocol::FailureAnswer::Document;
use crate::protocol::PermissionRules;

pub(super) const REGISTRATION: Registration = Registration::new("vibe", "~/.vibe")
    .files(&[
        ConfigFile::hooks("~/.vibe/hooks.toml"),
        ConfigFile::settings("~/.vibe/config.toml"),
        ConfigFile::settings("~/.vibe/trusted_folders.toml"),
        ConfigFile::hooks(".vibe/hooks.toml"),
        ConfigFile::settings(".vibe/config.toml"),
    ])
    .runs(paths!["~/.vibe": "agents", "plugins", "prompts", "skills", "tools"; ".vibe": "agents", "prompts", "skills", "tools"])
    .rules(PermissionRules::Vibe(&["~/.vibe/config.toml", ".vibe/config.toml"]))
    .newest("3.0.2")
    .moved(&[Moved::new("VIBE_HOME", "~/.vibe")])
    .blocks(&[Block::new("3.0 and later", "~/.vibe/hooks.toml", ENTRIES)
        .project(".vibe/hooks.toml")
        .below(&["hooks"])
        .listed("type")
        .closes(&[FAILS_OPEN.sentence])
        .notes(&["A hook cannot have Vibe ask: a call that the policy asks about is denied."])])
    .trust("Hooks of a project run only in a folder that Vibe trusts; hooks in your own file run from the next start.");

const ENTRIES: &[Entry] = &[
    Entry::new(TOOL, &["pre_tool"]).matcher("*").timeout_s(20).fails_closed().failure(Document(DENIED)),
    Entry::new(TOOL, &["post_tool"]).matcher("*").timeout_s(20),
    Entry::new(TURN, &["post_agent"]).timeout_s(20),
];
/// `strict` turns a failure of the hook into a denial, and withholds the result after a tool.
const TOOL: EntryForm = &[
    ("name", Field::Name),
    ("type", Field::Event),
    ("match", Field::Matcher),
    ("command", Field::ShellText),
    ("timeout", Field::Seconds),
    ("strict", Field::True),
];
const TURN: EntryForm =
    &[("name", Field::Name), ("type", Field::Event), ("command", Field::ShellText), ("timeout", Field::Seconds)];
const DENIED: &str = r#"{"decision":"deny","reason":"<reason>"}"#;
