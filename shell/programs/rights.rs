//! Programs that change the permissions, owner or mount of a path. Without permission to read a folder, the files in it cannot be read either.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, Touch};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        touches: changed,
        operands: |call| if is_owner_only(call.arguments) { Touch::Restrict } else { Touch::Name },
        only_handles_files: true,
        ..Program::of(&["chmod"])
    },
    Program { touches: changed, only_handles_files: true, ..Program::of(&["chown", "chgrp"]) },
    Program { touches: changed, ..Program::of(&["setfacl", "chattr", "mount", "umount", "chcon", "setfattr"]) },
];

/// Modes that take the rights of all others away and leave those of the owner.
const OWNER_ONLY: &[&str] =
    &["400", "500", "600", "700", "0400", "0500", "0600", "0700", "go-rwx", "og-rwx", "go=", "og="];

fn changed(call: &Call<'_>) -> Vec<FileEffect> {
    let operands = call.arguments.iter().filter(|word| !word.value.starts_with('-'));
    operands.map(|word| (Touch::Name, word.clone(), Extent::Below)).collect()
}

/// Returns true if `chmod` only takes the rights of all others away.
fn is_owner_only(words: &[Word]) -> bool {
    let mut words = words.iter().skip_while(|word| matches!(word.value.as_str(), "-R" | "-v"));
    words.next().is_some_and(|mode| OWNER_ONLY.contains(&mode.value.as_str()) && !mode.is_dynamic())
        && words.all(|word| !word.value.starts_with('-') && !word.may_be_option())
}
