//! The tools of Codex. Hooks receive the name `Bash` for every shell tool.

use crate::protocol::ActionKind::{Patch, Read, Shell, Subagent};
use crate::protocol::{Absent, Slot, ToolRow};

const COMMAND: Slot = Slot::key(&["command"]);

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("Bash", &[Shell.on(COMMAND)]).sample(r#"{"command":"ls"}"#),
    ToolRow::new("apply_patch", &[Patch.on(COMMAND)])
        .sample(r#"{"command":"*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n"}"#),
    ToolRow::new("view_image", &[Read.on(Slot::key(&["path"]))]).sample(r#"{"path":"/home/user/project/a.png"}"#),
    ToolRow::new("spawn_agent", &[Subagent.on(Slot::key(&["agent_type"]).absent(Absent::As("")))])
        .sample(r#"{"message":"say hi","agent_type":"default"}"#),
];
