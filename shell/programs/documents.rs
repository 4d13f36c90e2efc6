//! Programs that convert and compare documents and texts.

use super::code::option;
use super::program::{OptionNames, Program};
use super::readers::changed_by;
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new("oft", &["output", "from-code", "to-code"], &[]),
        writes: OUTPUT,
        ..Program::of(&["iconv"])
    },
    Program {
        options: OptionSpec::new("o", &["output"], &[]),
        writes: OUTPUT,
        operands: |call| changed_by(call, "", &["output"]),
        ..Program::of(&["xmllint"])
    },
    Program { options: OptionSpec::new("o", &["output"], &[]), writes: OUTPUT, ..Program::of(&["xsltproc"]) },
    Program {
        options: OptionSpec::new("oftrwFLVMHBADTcd", &["output", "from", "to", "filter", "lua-filter"], &[]),
        code: |call| call.says(option(call.given(), "F", &["filter", "lua-filter", "pdf-engine"])),
        writes: OUTPUT,
        ..Program::of(&["pandoc"])
    },
    Program {
        options: OptionSpec::new("owI", &["output", "width", "diff-program", "ignore-matching-lines"], &[]),
        code: |call| call.says(option(call.given(), "", &["diff-program"])),
        writes: OUTPUT,
        ..Program::of(&["sdiff"])
    },
    Program { code: |call| call.says(option(call.given(), "", &["diff-program"])), ..Program::of(&["diff3"]) },
    Program {
        code: |call| call.says(option(call.given(), "UF", &[])),
        ..Program::of(&["groff", "troff", "gtroff", "nroff", "pic", "gpic"])
    },
];

const OUTPUT: &[OptionNames] = &[('o', "output")];
