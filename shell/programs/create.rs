//! Programs that create, write or remove the files that they name.

use super::program::Program;
use crate::effects::Touch;
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new("", &[], &["output-error"]),
        operands: |_| Touch::Write,
        only_handles_files: true,
        ..Program::of(&["tee"])
    },
    Program { operands: |_| Touch::Write, ..Program::of(&["sponge"]) },
    Program {
        options: OptionSpec::new("drt", &["date", "reference", "time"], &[]),
        operands: |_| Touch::Write,
        only_handles_files: true,
        ..Program::of(&["touch"])
    },
    Program {
        options: OptionSpec::new("sr", &["size", "reference"], &[]),
        operands: |_| Touch::Write,
        only_handles_files: true,
        ..Program::of(&["truncate"])
    },
    Program {
        options: OptionSpec::new("m", &["mode"], &["context"]),
        operands: |_| Touch::Make,
        ..Program::text(&["mkdir"])
    },
    Program { only_handles_files: true, ..Program::of(&["mktemp"]) },
];
