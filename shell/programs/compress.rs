//! Programs that replace files by compressed ones, or back.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, Touch, all, concat};
use crate::options::{Given, OptionSpec};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { options: XZ, touches: |call| packed(call, &GZIP), ..Program::reader(&["gzip"]) },
    Program { options: XZ, touches: |call| unpacked(call, &GZIP), ..Program::reader(&["gunzip"]) },
    Program { options: XZ, touches: |call| packed(call, &Packing { end: ".xz", ..GZIP }), ..Program::reader(&["xz"]) },
    Program { options: XZ, touches: |call| unpacked(call, &GZIP), ..Program::reader(&["unxz"]) },
    Program { options: ZSTD, touches: |call| packed(call, &KEEPING), ..Program::reader(&["zstd"]) },
    Program { options: ZSTD, touches: |call| unpacked(call, &KEEPING), ..Program::reader(&["unzstd"]) },
    Program { touches: |call| packed(call, &Packing { end: ".bz2", ..GZIP }), ..Program::reader(&["bzip2"]) },
    Program { touches: |call| unpacked(call, &GZIP), ..Program::reader(&["bunzip2"]) },
];

const XZ: OptionSpec = OptionSpec::new("STF", &["suffix", "threads", "format"], &[]);
const ZSTD: OptionSpec = OptionSpec::new("oDM", &[], &[]);

/// What a program does to the files that it packs.
struct Packing {
    /// The end that it adds to a name.
    end: &'static str,
    /// True if it keeps the file unless it is told otherwise.
    keeps: bool,
}

const GZIP: Packing = Packing { end: ".gz", keeps: false };
const KEEPING: Packing = Packing { end: ".zst", keeps: true };

/// Adds an end to the names of the files; with `-d` it removes it.
fn packed(call: &Call<'_>, packing: &Packing) -> Vec<FileEffect> {
    if call.given().has('d', "decompress") {
        return unpacked(call, packing);
    }
    let made = |word: &Word| (Touch::Write, concat(word, &Word::literal(packing.end)), Extent::Itself);
    replaced(call.given(), packing, made)
}

/// Removes the end from the names of the files.
fn unpacked(call: &Call<'_>, packing: &Packing) -> Vec<FileEffect> {
    const ENDS: &[&str] = &["gz", "bz2", "xz", "zst", "lzma", "tgz", "Z"];
    let made = |word: &Word| {
        let stem = ENDS.iter().find_map(|end| word.value.strip_suffix(end)?.strip_suffix('.'));
        let name = stem.filter(|_| !word.is_dynamic()).map_or_else(Word::somewhere, Word::literal);
        (Touch::Write, name, Extent::Perhaps)
    };
    replaced(call.given(), packing, made)
}

fn replaced(given: &Given<'_>, packing: &Packing, made: impl Fn(&Word) -> FileEffect) -> Vec<FileEffect> {
    if given.has('c', "stdout") || given.has('l', "list") || given.has('t', "test") {
        return Vec::new();
    }
    let stays = (given.has('k', "keep") || packing.keeps) && !given.has(' ', "rm");
    let one = |word: &Word| {
        let gone = (!stays).then(|| (Touch::Delete, word.clone(), Extent::Itself));
        gone.into_iter().chain([made(word)])
    };
    let recursive = given.has('r', "recursive");
    let below = given.operands.iter().filter(|_| recursive);
    let below = below.map(|word| (Touch::Delete, (*word).clone(), Extent::Below));
    let named = all(Touch::Write, given.values('o', "")).collect::<Vec<_>>();
    let folders = given.values(' ', "output-dir-flat").chain(given.values(' ', "output-dir-mirror"));
    let folders: Vec<_> = folders.map(|word| (Touch::Write, word.clone(), Extent::Below)).collect();
    let files = given.operands.iter().filter(|word| word.value != "-");
    files.flat_map(|word| one(word)).chain(below).chain(named).chain(folders).collect()
}
