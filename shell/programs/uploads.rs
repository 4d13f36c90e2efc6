//! Programs that copy folders to a container, a cluster, a bucket, a backup or another person.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, walked};
use crate::options::OptionSpec;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { has_subcommands: true, touches: |call| copied(call, &["cp", "sync", "mv"]), ..Program::of(&["aws"]) },
    Program { has_subcommands: true, touches: |call| copied(call, &["cp", "rsync", "mv"]), ..Program::of(&["gcloud"]) },
    Program { touches: |call| copied(call, &["cp", "rsync", "mv"]), ..Program::of(&["gsutil"]) },
    Program { touches: |call| copied(call, &["copy", "copyto", "sync", "move", "moveto"]), ..Program::of(&["rclone"]) },
    Program { touches: |call| copied(call, &["backup"]), ..Program::of(&["restic"]) },
    Program { touches: |call| copied(call, &["create"]), ..Program::of(&["borg"]) },
    Program { touches: |call| copied(call, &["put", "sync"]), ..Program::of(&["s3cmd"]) },
    Program { touches: |call| copied(call, &["cp", "mirror", "mv"]), ..Program::of(&["mc", "mcli"]) },
    Program { touches: |call| copied(call, &["copy", "cp", "sync"]), ..Program::of(&["azcopy"]) },
    Program { touches: |call| copied(call, &["sync"]), ..Program::of(&["b2"]) },
    Program {
        has_subcommands: true,
        touches: |call| walked(Extent::Walked, call.given().values('s', "source")).collect(),
        options: OptionSpec::new("s", &["source"], &[]).some(),
        ..Program::of(&["az"])
    },
    Program { touches: |call| copied(call, &["create"]), ..Program::of(&["kopia"]) },
    Program { touches: |call| copied(call, &["push"]), ..Program::of(&["adb", "lxc", "incus"]) },
    Program { touches: |call| copied(call, &["transfer"]), ..Program::of(&["multipass"]) },
    Program { touches: |call| copied(call, &["upload"]), ..Program::of(&["vagrant", "ffsend"]) },
    Program { touches: |call| copied(call, &["send"]), ..Program::of(&["croc", "wormhole", "magic-wormhole"]) },
    Program { touches: |call| copied(call, &["filesystem"]), ..Program::of(&["trufflehog"]) },
    Program {
        walks: |_| Some(Extent::Walked),
        ..Program::of(&[
            "mksquashfs",
            "genisoimage",
            "mkisofs",
            "xorriso",
            "duplicity",
            "rdiff-backup",
            "tarsnap",
            "unison",
        ])
    },
    // These print the files of a repository for a model.
    Program {
        walks: |_| Some(Extent::Unignored),
        ..Program::of(&["repomix", "files-to-prompt", "code2prompt", "gitingest"])
    },
];

/// Reads the folders behind a subcommand that copies them.
pub(super) fn copied(call: &Call<'_>, subcommands: &[&str]) -> Vec<FileEffect> {
    let is_subcommand = |word: &&Word| subcommands.contains(&word.value.as_str());
    let behind = call.given().files().skip_while(|word| !is_subcommand(word)).skip(1);
    walked(Extent::Walked, behind).collect()
}
