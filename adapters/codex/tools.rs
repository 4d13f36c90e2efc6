//! The tools of Codex. Hooks receive the name `Bash` for every shell tool.

use crate::protocol::{Absent, Act, Slot, ToolRow, What};

const COMMAND: Slot = Slot::key(&["command"]);

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("Bash", &[Act::new(What::Shell, COMMAND)]).sample(r#"{"command":"ls"}"#),
    ToolRow::new("apply_patch", &[Act::new(What::Patch, COMMAND)])
        .sample(r#"{"command":"*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n"}"#),
    ToolRow::new("view_image", &[Act::new(What::Read, Slot::key(&["path"]))])
        .sample(r#"{"path":"/home/user/project/a.png"}"#),
    ToolRow::new("spawn_agent", &[Act::new(What::Subagent, Slot::key(&["agent_type"]).absent(Absent::As("")))])
        .sample(r#"{"message":"say hi","agent_type":"default"}"#),
];
