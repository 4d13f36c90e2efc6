//! Programs that check out revisions into the whole working tree.

use super::program::Program;
use super::uploads::copied;
use crate::effects::Extent;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        unnamed: Some((Extent::Tree, HG)),
        touches: |call| copied(call, &["add", "addremove"]),
        ..Program::of(&["hg"])
    },
    Program {
        unnamed: Some((Extent::Tree, SVN)),
        touches: |call| copied(call, &["add", "import"]),
        ..Program::of(&["svn"])
    },
    Program { unnamed: Some((Extent::Tree, JJ)), ..Program::of(&["jj"]) },
];

/// Subcommands that leave the tree unchanged.
const HG: &[&str] =
    &["status", "log", "diff", "id", "cat", "annotate", "commit", "add", "push", "branch", "heads", "tip"];
const SVN: &[&str] = &["status", "st", "log", "diff", "info", "cat", "commit", "ci", "add", "list", "ls", "blame"];
const JJ: &[&str] = &["log", "status", "st", "diff", "show", "describe", "git"];
