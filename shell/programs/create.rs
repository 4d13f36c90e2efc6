//! Programs that create, write or remove the files that they name.

use super::program::Program;
use crate::effects::{Touch, all};
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new("", &[], &["output-error"]),
        touches: |call| all(Touch::Write, call.given().files()).collect(),
        only_handles_files: true,
        ..Program::of(&["tee"])
    },
    Program { touches: |call| all(Touch::Write, call.given().files()).collect(), ..Program::of(&["sponge"]) },
    Program {
        options: OptionSpec::new("drt", &["date", "reference", "time"], &[]),
        touches: |call| all(Touch::Write, call.given().files()).collect(),
        only_handles_files: true,
        ..Program::of(&["touch"])
    },
    Program {
        options: OptionSpec::new("sr", &["size", "reference"], &[]),
        touches: |call| all(Touch::Write, call.given().files()).collect(),
        only_handles_files: true,
        ..Program::of(&["truncate"])
    },
    Program {
        options: OptionSpec::new("m", &["mode"], &["context"]),
        touches: |call| all(Touch::Make, call.given().files()).collect(),
        ..Program::text(&["mkdir"])
    },
    Program { only_handles_files: true, ..Program::of(&["mktemp"]) },
];
