//! How the hook gets into files that are named after their events.

use crate::prelude::*;

pub(super) const REGISTRATION: Registration = Registration::new("cline", "~/.cline")
    .files(&[
        ConfigFile::hooks("~/Documents/Cline/Hooks/*"),
        ConfigFile::hooks("~/.cline/hooks/*"),
        ConfigFile::hooks(".clinerules/hooks/*"),
        ConfigFile::hooks(".cline/hooks/*"),
    ])
    .runs(paths![
        "~/.cline": "agents", "data/settings", "plugins", "rules", "skills", "workflows";
        "~/.agents": "skills";
        "~/Documents/Cline": "Agents", "MCP", "Plugins", "Rules", "Workflows";
        ".cline": "agents", "plugins", "rules", "skills", "workflows";
        ".clinerules": "skills", "workflows";
        ".agents": "skills"
    ])
    .newest("3.0.65")
    .moved(&[Moved::new("CLINE_DIR", "~/.cline")])
    .blocks(&[
        file("~/Documents/Cline/Hooks/PreToolUse", &[gate(&["PreToolUse"])])
            .project(".clinerules/hooks/PreToolUse")
            .notes(&[
                "Cline has no answer that denies one call: a denial, and a question of the policy, stop the whole task.",
                "Cline continues if a hook is killed, times out or prints no answer, and no setting changes this; the guard in the file blocks after a crash or if the program is missing.",
                "The extension calls hooks only if they are enabled in its settings, which they are at first.",
            ]),
        file("~/Documents/Cline/Hooks/UserPromptSubmit", &[gate(&["UserPromptSubmit"])])
            .project(".clinerules/hooks/UserPromptSubmit"),
        file("~/Documents/Cline/Hooks/PostToolUse", &[hook(&["PostToolUse"])])
            .project(".clinerules/hooks/PostToolUse"),
        file("~/Documents/Cline/Hooks/TaskStart", &[hook(&["TaskStart"])]).project(".clinerules/hooks/TaskStart"),
    ]);

const fn file(path: &'static str, entries: &'static [Entry]) -> Block {
    Block::new("all versions", path, entries)
}

const fn gate(events: &'static [&'static str]) -> Entry {
    hook(events).failure(FailureAnswer::Document(CANCELLED))
}

const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(FORM, events)
}

const FORM: EntryForm = &[("command", Field::ShellText)];
const CANCELLED: &str = r#"{"cancel":true,"errorMessage":"<reason>"}"#;
