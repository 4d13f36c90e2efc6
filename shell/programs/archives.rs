//! Other programs that pack and unpack archives.

use super::code::option;
use super::program::{Call, Program, TextWords};
use super::readers::changed_by;
use crate::effects::{
    Extent, FileEffect, Touch, all, concat, folder, named, placed, read_somewhere, removed, walked, written_below,
};
use crate::options::OptionSpec;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { options: OptionSpec::new("dP", &[], &[]), touches: unzip, ..Program::of(&["unzip"]) },
    Program {
        options: OptionSpec::new(
            "CDEFHIMORW",
            &["directory", "file", "format", "pattern-file", "message", "owner"],
            &[],
        ),
        touches: cpio,
        ..Program::of(&["cpio"])
    },
    Program {
        options: OptionSpec::new("bnPtix", &[], &[]).some(),
        code: |call| call.says(option(call.given(), "T", &["unzip-command"])),
        touches: zip,
        operands: |call| changed_by(call, "bO", &["output-file", "temp-path"]),
        texts: |_| &TextWords { options: &[('x', "exclude")], ..TextWords::NONE },
        ..Program::of(&["zip"])
    },
    Program {
        unnamed: Some((Extent::Below, &["l", "t", "a", "u", "h", "i", "b", "d"])),
        touches: |call| added(call, &["a", "u"]),
        ..Program::of(&["7z", "7za", "7zr", "7zz"])
    },
    Program {
        unnamed: Some((Extent::Below, &["l", "lt", "lb", "v", "t", "p", "a"])),
        touches: |call| added(call, &["a"]),
        ..Program::of(&["unrar", "rar"])
    },
    Program {
        unnamed: Some((Extent::Below, &["cf", "cvf", "tf", "tvf", "-tf", "-cf", "--list", "--create"])),
        touches: |call| added(call, &["cf", "cvf", "-cf", "-cvf", "--create"]),
        ..Program::of(&["jar"])
    },
    Program {
        unnamed: Some((Extent::Below, &["t", "r", "q", "d", "p", "rc", "cr", "rcs", "crs", "tv"])),
        ..Program::of(&["ar"])
    },
    Program {
        unnamed: Some((Extent::Below, &["-l", "-t"])),
        ..Program::of(&["unar", "cabextract", "unsquashfs", "uudecode", "uncompress", "pax", "ditto", "shar", "unshar"])
    },
];

fn unzip(call: &Call<'_>) -> Vec<FileEffect> {
    let given = call.given();
    let prints = "ltpczZv".chars().any(|letter| given.has(letter, ""));
    let archive = given.operands.first().copied();
    let folder = if given.has(':', "") { Word::somewhere() } else { folder(given.values('d', "").take(1)) };
    all(Touch::Read, archive).chain((!prints).then(|| written_below(folder))).collect()
}

fn cpio(call: &Call<'_>) -> Vec<FileEffect> {
    let given = call.given();
    let archives = given.values('F', "file").chain(given.values('I', "")).chain(given.values('O', ""));
    let makes = given.has('o', "create");
    let mut done: Vec<_> = all(if makes { Touch::Write } else { Touch::Read }, named(archives)).collect();
    // The names of the files are in its input.
    done.extend((makes || given.has('p', "pass-through")).then(read_somewhere));
    let folder = folder(given.values('D', "directory"));
    if given.has('p', "pass-through") {
        done.extend(given.operands.iter().map(|word| written_below(placed(Some(&folder), word))));
    } else if !makes && !given.has('t', "list") && !given.has(' ', "to-stdout") {
        done.push(written_below(folder));
        // An absolute name stays absolute.
        let stays = !given.has(' ', "no-absolute-filenames");
        done.extend(stays.then(|| (Touch::Write, Word::somewhere(), Extent::Perhaps)));
    }
    done
}

/// The files that are added to an archive, if the first argument is one of these words.
fn added(call: &Call<'_>, adds: &[&str]) -> Vec<FileEffect> {
    let [first, files @ ..] = call.arguments else { return Vec::new() };
    if !adds.contains(&first.value.as_str()) {
        return Vec::new();
    }
    let listed = files.iter().any(|word| word.value.starts_with('@')).then(read_somewhere);
    walked(Extent::Walked, files).chain(listed).collect()
}

/// An archive, with the default extension if it has none, and the files added to it.
fn zip(call: &Call<'_>) -> Vec<FileEffect> {
    let given = call.given();
    let Some((archive, files)) = given.operands.split_first() else { return Vec::new() };
    let archive = [(*archive).clone(), concat(archive, &Word::literal(".zip"))];
    let made = archive.into_iter().filter(|word| word.value != "-").map(|word| (Touch::Write, word, Extent::Itself));
    let recursive = given.has('r', "recurse-paths") || given.has('R', "recurse-patterns");
    let walked = walked(Extent::Walked, files.iter().copied().filter(|_| recursive));
    let listed = given.has('@', "names-stdin").then(read_somewhere);
    made.chain(listed).chain(removed(files.iter().copied().filter(|_| given.has('m', "move")))).chain(walked).collect()
}
