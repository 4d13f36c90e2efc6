//! The tools of Mistral Vibe, with the namespaces that hooks receive.

use crate::prelude::ActionKind::{Edit, Read, Shell, ShellInput, Subagent, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("file_system.bash", &[Shell.on(COMMAND)]),
    ToolRow::new("process.start", &[Shell.on(COMMAND).with("cwd")]),
    ToolRow::new("process.write", &[ShellInput.on(Slot::key(&["text"]).absent(Absent::Nothing))]),
    ToolRow::new("file_system.read_file", &[Read.on(PATH)]),
    ToolRow::new("file_system.write_file", &[Write.on(PATH)]).sample(r#"{"file_path":"","content":"text"}"#),
    ToolRow::new("file_system.search_replace", &[Edit.on(PATH)])
        .sample(r#"{"file_path":"","old_string":"old","new_string":"new"}"#),
    ToolRow::new("agents.spawn", &[Subagent.on(Slot::key(&["config_name"]).absent(Absent::As("")))]),
    ToolRow::new("skill.read", &[]),
];

const COMMAND: Slot = Slot::key(&["command"]);
const PATH: Slot = Slot::any(&["file_path", "path"]);
