//! `jq` and its relatives.

use super::program::{Program, TextWords};
use super::readers::changed_by;

const TEXTS: TextWords = TextWords { first: Some(&[('f', "from-file")]), ..TextWords::NONE };

pub(super) const PROGRAMS: &[Program] = &[
    Program { texts: |_| &TEXTS, ..Program::reader(&["jq"]) },
    Program {
        names_files: |call| changed_by(call, "i", &["inplace", "in-place"]),
        texts: |_| &TEXTS,
        ..Program::of(&["yq", "tomlq", "xq"])
    },
];
