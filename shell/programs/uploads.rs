//! Programs that copy folders to a container, a cluster, a bucket or a backup.

use super::program::{Call, Program};
use crate::effects::Extent;

pub(super) const PROGRAMS: &[Program] = &[
    Program { has_subcommands: true, walks: |call| copies(call, &["cp", "sync", "mv"]), ..Program::of(&["aws"]) },
    Program { has_subcommands: true, walks: |call| copies(call, &["cp", "rsync", "mv"]), ..Program::of(&["gcloud"]) },
    Program { walks: |call| copies(call, &["cp", "rsync", "mv"]), ..Program::of(&["gsutil"]) },
    Program { walks: |call| copies(call, &["copy", "copyto", "sync", "move", "moveto"]), ..Program::of(&["rclone"]) },
    Program { walks: |call| copies(call, &["backup"]), ..Program::of(&["restic"]) },
    Program { walks: |call| copies(call, &["create"]), ..Program::of(&["borg"]) },
    Program { walks: |_| Some(Extent::Folder), ..Program::of(&["mksquashfs"]) },
];

/// What a call reads below its operands, if one of these words is among its arguments.
pub(super) fn copies(call: &Call<'_>, verbs: &[&str]) -> Option<Extent> {
    let copies = call.arguments.iter().any(|word| verbs.contains(&word.value.as_str()));
    copies.then_some(Extent::Folder)
}
