//! Programs that check out revisions into the whole working tree.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, Touch};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        touches: |call| {
            let shows =
                ["status", "log", "diff", "id", "cat", "annotate", "commit", "add", "push", "branch", "heads", "tip"];
            tree_unless(call, &shows)
        },
        ..Program::of(&["hg"])
    },
    Program {
        touches: |call| {
            let shows = ["status", "st", "log", "diff", "info", "cat", "commit", "ci", "add", "list", "ls", "blame"];
            tree_unless(call, &shows)
        },
        ..Program::of(&["svn"])
    },
    Program {
        touches: |call| tree_unless(call, &["log", "status", "st", "diff", "show", "describe", "git"]),
        ..Program::of(&["jj"])
    },
];

/// The whole tree may change, unless the first argument is one of these subcommands.
fn tree_unless(call: &Call<'_>, subcommands: &[&str]) -> Vec<FileEffect> {
    let changes = call.arguments.first().is_some_and(|first| !subcommands.contains(&first.value.as_str()));
    changes.then(|| (Touch::Name, Word::literal("."), Extent::Tree)).into_iter().collect()
}
