//! `jq` and its relatives.

use super::program::{Program, TextWords};
use super::readers::changed_by;
use crate::options::OptionSpec;

const TEXTS: TextWords = TextWords { first: Some(&[('f', "from-file")]), ..TextWords::NONE };

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec {
            pairs: &["arg", "argjson", "slurpfile", "rawfile"],
            ..OptionSpec::new("fL", &["from-file", "indent", "arg", "argjson", "slurpfile", "rawfile"], &["slurp"])
        },
        reads: &[('f', "from-file"), (' ', "slurpfile"), (' ', "rawfile")],
        texts: |_| &TEXTS,
        ..Program::reader(&["jq"])
    },
    Program {
        operands: |call| changed_by(call, "i", &["inplace", "in-place"]),
        texts: |_| &TEXTS,
        ..Program::of(&["yq", "tomlq", "xq"])
    },
];
