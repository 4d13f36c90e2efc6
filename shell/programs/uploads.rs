//! Programs that copy folders to a container, a cluster, a bucket or a backup.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, walked};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { has_subcommands: true, touches: |call| copied(call, &["cp", "sync", "mv"]), ..Program::of(&["aws"]) },
    Program { has_subcommands: true, touches: |call| copied(call, &["cp", "rsync", "mv"]), ..Program::of(&["gcloud"]) },
    Program { touches: |call| copied(call, &["cp", "rsync", "mv"]), ..Program::of(&["gsutil"]) },
    Program { touches: |call| copied(call, &["copy", "copyto", "sync", "move", "moveto"]), ..Program::of(&["rclone"]) },
    Program { touches: |call| copied(call, &["backup"]), ..Program::of(&["restic"]) },
    Program { touches: |call| copied(call, &["create"]), ..Program::of(&["borg"]) },
    Program { walks: |_| Some(Extent::Walked), ..Program::of(&["mksquashfs"]) },
];

/// Reads the folders behind a subcommand that copies them.
pub(super) fn copied(call: &Call<'_>, subcommands: &[&str]) -> Vec<FileEffect> {
    let is_subcommand = |word: &&Word| subcommands.contains(&word.value.as_str());
    let behind = call.given().files().skip_while(|word| !is_subcommand(word)).skip(1);
    walked(Extent::Walked, behind).collect()
}
