//! The tools of Goose: those of an extension are called `<extension>__<tool>`.

use crate::prelude::ActionKind::{Edit, Read, Shell, Write};
use crate::prelude::*;
use crate::protocol::ActionCondition;

pub(super) static TOOLS: &[ToolRow] = &[
    ToolRow::new("developer__shell", &[Shell.on(Slot::key(&["command"]))]),
    ToolRow::new(
        "developer__text_editor",
        &[
            Read.on(PATH).only(ActionCondition::when("command", &["view"]).or_unlisted()),
            Write.on(PATH).only(ActionCondition::when("command", &["write"]).or_unlisted()),
            Edit.on(PATH).only(
                ActionCondition::when("command", &["str_replace", "insert", "undo_edit"]).or_absent().or_unlisted(),
            ),
        ],
    ),
];

const PATH: Slot = Slot::key(&["path"]);
