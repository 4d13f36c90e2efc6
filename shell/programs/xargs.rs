//! `xargs`.

use super::program::Program;
use super::wrapper::{Wrapper, WrapperKind, inside};

pub(super) const PROGRAMS: &[Program] = &[Program { inside: |call| inside(call, &XARGS), ..Program::of(&["xargs"]) }];

const XARGS: Wrapper = Wrapper {
    kind: WrapperKind::TransparentBare,
    flags: "0rtx",
    valued: "nLIdPsE",
    long: &["null", "no-run-if-empty", "verbose", "exit"],
    long_valued: &["max-args", "max-lines", "delimiter", "max-procs", "max-chars"],
    adds: true,
    mark: &["I"],
    unmarks: &["n", "L", "max-args", "max-lines"],
    ..Wrapper::LAYERED
};
