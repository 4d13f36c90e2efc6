//! Programs that run a command and record or cache what it does.

use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        inside: |call| inside(call, &Wrapper { flags: "fqvxCcdikrtTyZz", valued: "esabSX", ..Wrapper::LAYERED }),
        ..Program::of(&["strace"])
    },
    Program {
        inside: |call| inside(call, &Wrapper { flags: "asv", operands: 1, ..Wrapper::LAYERED }),
        ..Program::of(&["logsave"])
    },
    Program {
        inside: |call| inside(call, &Wrapper { flags: "csvzhVxp", ..Wrapper::LAYERED }),
        ..Program::of(&["ccache", "distcc"])
    },
];
