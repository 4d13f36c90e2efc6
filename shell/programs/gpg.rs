//! `gpg` and `openssl`.

use super::code::named;
use super::program::Program;
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new("oruNkRz", &["output", "recipient", "local-user", "homedir", "passphrase"], &[]),
        code: |call| call.says(Ok(named(call.arguments, PROGRAM_OPTIONS, &[]))),
        writes: &[('o', "output")],
        ..Program::of(&["gpg", "gpg2"])
    },
    Program {
        options: OptionSpec { outputs: &["out", "keyout", "writerand", "CAkeyout", "sigout"], ..OptionSpec::NOTHING },
        ..Program::of(&["openssl"])
    },
];

const PROGRAM_OPTIONS: &[&str] =
    &["agent-program", "dirmngr-program", "keyboxd-program", "exec-path", "photo-viewer", "options"];
