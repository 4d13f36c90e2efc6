//! `gpg` and `openssl`.

use super::code::named;
use super::compilers::written as written_by_name;
use super::program::Program;
use super::readers::written;
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new("oruNkRz", &["output", "recipient", "local-user", "homedir", "passphrase"], &[]),
        code: |call| call.says(Ok(named(call.arguments, PROGRAM_OPTIONS, &[]))),
        touches: |call| written(call.given(), &[('o', "output")]),
        ..Program::of(&["gpg", "gpg2"])
    },
    Program {
        touches: |call| written_by_name(call.arguments, &["out", "keyout", "writerand", "CAkeyout", "sigout"], false),
        ..Program::of(&["openssl"])
    },
];

const PROGRAM_OPTIONS: &[&str] =
    &["agent-program", "dirmngr-program", "keyboxd-program", "exec-path", "photo-viewer", "options"];
