//! `wget`.

use super::code::option;
use super::program::Program;
use crate::effects::{Extent, FileEffect, Touch, within};
use crate::options::{Given, OptionSpec};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program {
    options: OptionSpec::new(
        "aABDeiIlGoOPQRtTUwX",
        &[
            "output-document",
            "output-file",
            "append-output",
            "save-cookies",
            "rejected-log",
            "hsts-file",
            "input-file",
            "post-file",
            "body-file",
        ],
        &[],
    ),
    code: |call| call.says(option(call.given(), "e", &["execute", "use-askpass"])),
    reads: &[('i', "input-file"), (' ', "post-file"), (' ', "body-file")],
    writes: &[
        ('O', "output-document"),
        ('o', "output-file"),
        ('a', "append-output"),
        (' ', "save-cookies"),
        (' ', "rejected-log"),
        (' ', "hsts-file"),
    ],
    touches: |call| call.given().anywhere().into_iter().chain(fetched(call.given())).collect(),
    ..Program::of(&["wget"])
}];

/// Files that are downloaded under their own names.
fn fetched(given: &Given<'_>) -> Vec<FileEffect> {
    // A config file may contain any option.
    if given.has(' ', "config") {
        return vec![(Touch::Write, Word::somewhere(), Extent::Perhaps)];
    }
    if given.has('O', "output-document") {
        return Vec::new();
    }
    let many = [('r', "recursive"), ('m', "mirror"), ('p', "page-requisites"), ('x', "force-directories")];
    let many = many.iter().any(|(letter, long)| given.has(*letter, long));
    let said = given.has(' ', "content-disposition") || given.has(' ', "trust-server-names");
    let server_names = many || said || given.has('i', "input-file");
    saved_as(given, given.values('P', "directory-prefix").last(), server_names)
}

/// Files named like the last part of their addresses, or any file in the folder if the server chooses the name.
pub(super) fn saved_as(given: &Given<'_>, folder: Option<&Word>, server_names: bool) -> Vec<FileEffect> {
    let folder = folder.cloned().unwrap_or_else(|| Word::literal("."));
    // curl has its own globs and other ways to write names.
    let odd = |word: &&Word| word.is_dynamic() || word.value.contains(['[', '{', '%']);
    if server_names || given.operands.iter().copied().any(|word| odd(&word)) {
        return vec![(Touch::Write, folder, Extent::Below)];
    }
    let name = |word: &&Word| {
        let path = word.value.split(['?', '#']).next().unwrap_or_default();
        let path = path.split_once("://").map_or(path, |(_, rest)| rest);
        let name = path.split_once('/').and_then(|(_, path)| path.rsplit('/').next()).unwrap_or_default();
        within(&folder, &Word::literal(if name.is_empty() { "index.html" } else { name }))
    };
    given.operands.iter().map(|word| (Touch::Write, name(word), Extent::Itself)).collect()
}
