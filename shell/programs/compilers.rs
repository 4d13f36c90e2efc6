//! Compilers and linkers.

use super::code::named;
use super::program::Program;
use crate::options::OptionSpec;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OUTPUTS,
        code: |call| call.says(Ok(named(call.arguments, OPTIONS, &[]).or_else(|| listed(call.arguments)))),
        builds: true,
        ..Program::of(&["gcc", "g++", "cc", "c++", "clang", "clang++", "c89", "c99"])
    },
    Program { options: OUTPUTS, builds: true, ..Program::of(&["ld", "as"]) },
    Program {
        options: OUTPUTS,
        code: |call| call.says(Ok(named(call.arguments, RUST_OPTIONS, RUST_MARKS).or_else(|| listed(call.arguments)))),
        builds: true,
        ..Program::of(&["rustc", "rustdoc"])
    },
    Program { code: |call| call.says(Ok(named(call.arguments, &["plugin"], &[]))), ..Program::of(&["protoc"]) },
];

const OPTIONS: &[&str] = &["wrapper", "specs", "fplugin"];
const RUST_OPTIONS: &[&str] = &["test-runtool", "runtool", "test-builder"];
const RUST_MARKS: &[&str] = &["linker=", "codegen-backend"];
const OUTPUTS: OptionSpec = OptionSpec { outputs: &["o", "MF", "dumpbase"], glued: "oMd", ..OptionSpec::NOTHING };

/// More options may be in a response file, and programs in a folder.
fn listed(words: &[Word]) -> Option<&Word> {
    let mut own = words.iter().take_while(|word| word.value != "--");
    own.find(|word| word.value.starts_with('@') || word.value.starts_with("-B"))
}
