//! `patch`, and the program that applies patches of coding agents.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, Touch, folder, placed, written_below};
use crate::options::OptionSpec;
use crate::patch::NAMES;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new(
            "BDFVdgioprxYz",
            &[
                "directory",
                "output",
                "reject-file",
                "input",
                "strip",
                "fuzz",
                "prefix",
                "suffix",
                "basename-prefix",
                "ifdef",
                "get",
                "version-control",
            ],
            &[],
        ),
        touches: patch,
        ..Program::of(&["patch"])
    },
    Program { applies_patches: true, ..Program::of(NAMES) },
];

fn patch(call: &Call<'_>) -> Vec<FileEffect> {
    let given = call.given();
    let folder = folder(given.values('d', "directory"));
    let here = |word: &Word| (Touch::Write, placed(Some(&folder), word), Extent::Itself);
    let rejects = given.values('r', "reject-file").map(here);
    if given.has(' ', "dry-run") {
        return Vec::new();
    }
    let (out, file) = (given.values('o', "output").next(), given.operands.first());
    let one = out.or(file.copied()).map(here);
    rejects.chain([one.unwrap_or_else(|| written_below(folder.clone()))]).collect()
}
