//! The tools of Augment.

use crate::prelude::ActionKind::{Delete, Edit, Fetch, Patch, Read, Shell, ShellInput, WebSearch, Write};
use crate::prelude::*;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("launch-process", &[Shell.on(Slot::key(&["command"])).with("cwd")]),
    ToolRow::new("write-process", &[ShellInput.on(Slot::key(&["input_text"]))]),
    ToolRow::new("view", &[Read.on(PATH)]),
    ToolRow::new("save-file", &[Write.on(PATH)]).sample(r#"{"path":"","file_content":"text"}"#),
    ToolRow::new("str-replace-editor", &[Edit.on(PATH)])
        .sample(r#"{"command":"str_replace","path":"","old_str_1":"old","new_str_1":"new"}"#),
    ToolRow::new("remove-files", &[Delete.on(Slot::each(&["file_paths"]))]),
    ToolRow::new("apply_patch", &[Patch.on(Slot::key(&["input"]))]),
    ToolRow::new("web-fetch", &[Fetch.on(Slot::key(&["url"]))]),
    ToolRow::new("web-search", &[WebSearch.on(Slot::key(&["query"]))]),
    ToolRow::new("codebase-retrieval", &[]),
    ToolRow::new("grep-search", &[]),
    ToolRow::new("read-process", &[]),
    ToolRow::new("kill-process", &[]),
    ToolRow::new("list-processes", &[]),
];

const PATH: Slot = Slot::key(&["path"]);
