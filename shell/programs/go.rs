//! `go`.

use super::code::named;
use super::program::{Naming, Program};
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[Program {
    options: OptionSpec { outputs: OUTPUTS, ..OptionSpec::NOTHING },
    code: |call| call.says(Ok(named(call.arguments, &["exec", "toolexec", "vettool", "w"], &["-extld"]))),
    builds: true,
    has_subcommands: true,
    namings: &[Naming {
        subcommands: &["build", "test", "vet", "get", "install", "list", "doc", "fmt", "mod"],
        flags: &["-v", "-u", "-m", "-race", "-short", "-benchmem"],
        valued: &["-run", "-bench", "-count", "-tags", "-timeout"],
    }],
    ..Program::of(&["go"])
}];

const OUTPUTS: &[&str] = &["o", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"];
