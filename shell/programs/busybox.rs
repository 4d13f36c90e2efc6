//! Programs that contain others.

use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] =
    &[Program { inside: |call| inside(call, &Wrapper::LAYERED), ..Program::of(&["busybox", "toybox"]) }];
