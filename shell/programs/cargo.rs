//! `cargo`.

use super::code::named;
use super::program::{Naming, Program};

pub(super) const PROGRAMS: &[Program] = &[Program {
    code: |call| {
        let marks = ["linker=", "codegen-backend", "--runtool", "--test-runtool", "--test-builder"];
        call.says(Ok(named(call.arguments, &["config"], &marks)))
    },
    has_subcommands: true,
    namings: &[Naming {
        subcommands: &[
            "add", "remove", "search", "install", "update", "tree", "test", "t", "bench", "build", "b", "check", "c",
            "doc",
        ],
        flags: &["--lib", "--workspace", "--release", "--all-features", "--locked", "--no-deps", "--dev", "-q"],
        valued: &["-p", "--package", "--test", "--bin", "--example", "--bench", "-F", "--features"],
    }],
    ..Program::of(&["cargo"])
}];
