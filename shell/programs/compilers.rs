//! Compilers and linkers.

use super::code::named;
use super::program::Program;
use crate::effects::{FileEffect, Touch, all};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        code: |call| call.says(Ok(named(call.arguments, OPTIONS, &[]).or_else(|| listed(call.arguments)))),
        touches: |call| written(call.arguments, OUTPUTS, true),
        builds: true,
        ..Program::of(&["gcc", "g++", "cc", "c++", "clang", "clang++"])
    },
    Program {
        code: |call| call.says(Ok(named(call.arguments, OPTIONS, &[]).or_else(|| listed(call.arguments)))),
        ..Program::of(&["c89", "c99"])
    },
    Program { touches: |call| written(call.arguments, OUTPUTS, true), builds: true, ..Program::of(&["ld", "as"]) },
    Program {
        code: |call| call.says(Ok(named(call.arguments, RUST_OPTIONS, RUST_MARKS).or_else(|| listed(call.arguments)))),
        touches: |call| written(call.arguments, OUTPUTS, true),
        builds: true,
        ..Program::of(&["rustc"])
    },
    Program {
        code: |call| call.says(Ok(named(call.arguments, RUST_OPTIONS, RUST_MARKS).or_else(|| listed(call.arguments)))),
        ..Program::of(&["rustdoc"])
    },
    Program { code: |call| call.says(Ok(named(call.arguments, &["plugin"], &[]))), ..Program::of(&["protoc"]) },
];

const OPTIONS: &[&str] = &["wrapper", "specs", "fplugin"];
const RUST_OPTIONS: &[&str] = &["test-runtool", "runtool", "test-builder"];
const RUST_MARKS: &[&str] = &["linker=", "codegen-backend"];
const OUTPUTS: &[&str] = &["o", "MF", "dumpbase"];

/// More options may be in a response file, and programs in a folder.
fn listed(words: &[Word]) -> Option<&Word> {
    let mut own = words.iter().take_while(|word| word.value != "--");
    own.find(|word| word.value.starts_with('@') || word.value.starts_with("-B"))
}

/// The values of long options, which may have one dash. With `glued`, a value may follow in the same word without a `=`.
pub(super) fn written(words: &[Word], names: &[&str], glued: bool) -> Vec<FileEffect> {
    let mut files = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let Some(option) = value.strip_prefix("--").or_else(|| value.strip_prefix('-')) else { continue };
        let name = option.split('=').next().unwrap_or(option);
        if names.contains(&option) {
            files.extend(rest.next().cloned());
        } else if names.contains(&name) {
            files.push(word.tail(value.len() - option.len() + name.len() + 1));
        } else if let Some(name) = names.iter().find(|name| option.starts_with(**name)).filter(|_| glued)
            && !value.starts_with("--")
        {
            files.push(word.tail(1 + name.len()));
        }
    }
    files.retain(|word| word.value != "-");
    all(Touch::Write, &files).collect()
}
