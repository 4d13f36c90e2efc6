//! How the hook gets into hooks.json.

use crate::prelude::*;
use crate::protocol::FailureAnswer::Document;

pub(super) const REGISTRATION: Registration = Registration::new("agy", "~/.gemini/antigravity-cli")
    .files(&[ConfigFile::hooks("~/.gemini/config/hooks.json"), ConfigFile::hooks(".agents/hooks.json")])
    .runs(paths![
        "~/.gemini/config": "agents", "mcp_config.json", "plugins", "skills";
        ".agents": "agents", "mcp_config.json", "plugins", "skills"
    ])
    .newest("1.2.3")
    .blocks(&[Block::new("1.1.2 and later", "~/.gemini/config/hooks.json", ENTRIES)
        .project(".agents/hooks.json")
        .by_name()
        .notes(&[
            "`/hooks` shows the hooks that Antigravity uses. One report says that the CLI 1.1.11 ignores the file of a project.",
            "A question becomes a denial: it is not known if the mode that skips permissions answers it.",
        ])]);

/// The time limit is far above the deadline of snaphook, and does not depend on the default of Antigravity.
const ENTRIES: &[Entry] = &[Entry::new(FORM, &["PreToolUse"]).matcher("*").timeout_s(20).failure(Document(DENIED))];
const FORM: EntryForm = &[("PreToolUse", Field::List(claude_style::ENTRY))];
const DENIED: &str = r#"{"decision":"deny","reason":"<reason>"}"#;
