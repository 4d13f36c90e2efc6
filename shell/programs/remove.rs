//! `rm` and its relatives.

use super::copy::is_recursive;
use super::program::Program;
use crate::effects::{Extent, Touch, all};
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        touches: |call| {
            let given = call.given();
            let recursive = is_recursive(given);
            let below = given.files().filter(|_| recursive);
            let below = below.map(|word| (Touch::Delete, word.clone(), Extent::Below)).collect::<Vec<_>>();
            all(Touch::Delete, given.files()).chain(below).collect()
        },
        only_handles_files: true,
        ..Program::of(&["rm"])
    },
    Program {
        touches: |call| all(Touch::Delete, call.given().files()).collect(),
        only_handles_files: true,
        ..Program::of(&["rmdir"])
    },
    Program { touches: |call| all(Touch::Delete, call.given().files()).collect(), ..Program::of(&["unlink"]) },
    Program {
        options: OptionSpec::new("ns", &["iterations", "random-source", "size"], &["remove"]),
        touches: |call| all(Touch::Delete, call.given().files()).collect(),
        only_handles_files: true,
        ..Program::of(&["shred"])
    },
];
