//! The tools of pi.

use crate::model::ShellKind;
use crate::prelude::ActionKind::{Edit, List, Read, Search, Shell, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("bash", &[Shell.on(Slot::key(&["command"]))]),
    ToolRow::new("powershell", &[Shell.on(Slot::key(&["command"])).shell(ShellKind::PowerShell)]),
    ToolRow::new("read", &[Read.on(PATH)]),
    ToolRow::new("write", &[Write.on(PATH)]).sample(r#"{"path":"","content":"text"}"#),
    ToolRow::new("edit", &[Edit.on(PATH)]).sample(r#"{"path":"","edits":[{"oldText":"old","newText":"new"}]}"#),
    ToolRow::new("grep", &[Search.on(HERE).with("glob")]).sample(r#"{"pattern":"text"}"#),
    ToolRow::new("find", &[Search.on(HERE).with("pattern")]).sample(r#"{"pattern":"*"}"#),
    ToolRow::new("ls", &[List.on(HERE)]),
];

const PATH: Slot = Slot::key(&["path"]);
/// An absent path means the directory of the session.
const HERE: Slot = Slot::key(&["path"]).absent(Absent::As("."));
