//! `rm` and its relatives.

use super::copy::is_recursive;
use super::program::Program;
use crate::effects::{Extent, Touch};
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        operands: |_| Touch::Delete,
        touches: |call| {
            let given = call.given();
            let recursive = is_recursive(given);
            let below = given.files().filter(|_| recursive);
            below.map(|word| (Touch::Delete, word.clone(), Extent::Below)).collect()
        },
        only_handles_files: true,
        ..Program::of(&["rm", "rmdir"])
    },
    Program { operands: |_| Touch::Delete, ..Program::of(&["unlink"]) },
    Program {
        options: OptionSpec::new("ns", &["iterations", "random-source", "size"], &["remove"]),
        operands: |_| Touch::Delete,
        only_handles_files: true,
        ..Program::of(&["shred"])
    },
];
