//! Programs that replace files by compressed ones, or back.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, Touch, all, concat, named, written_below};
use crate::options::OptionSpec;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { options: XZ, walks: packed, touches: |call| replaced(call, &GZIP), ..Program::reader(&["gzip"]) },
    Program {
        options: XZ,
        touches: |call| replaced(call, &Packing { end: Some(".xz"), ..GZIP }),
        ..Program::reader(&["xz"])
    },
    Program {
        options: XZ,
        touches: |call| replaced(call, &Packing { end: None, ..GZIP }),
        ..Program::reader(&["gunzip", "unxz"])
    },
    Program { options: ZSTD, walks: packed, touches: |call| replaced(call, &KEEPING), ..Program::reader(&["zstd"]) },
    Program {
        options: ZSTD,
        touches: |call| replaced(call, &Packing { end: None, ..KEEPING }),
        ..Program::reader(&["unzstd"])
    },
    Program { touches: |call| replaced(call, &Packing { end: Some(".bz2"), ..GZIP }), ..Program::reader(&["bzip2"]) },
    Program { touches: |call| replaced(call, &Packing { end: None, ..GZIP }), ..Program::reader(&["bunzip2"]) },
];

const XZ: OptionSpec = OptionSpec::new("STF", &["suffix", "threads", "format"], &[]);
const ZSTD: OptionSpec = OptionSpec::new("oDM", &["output-dir-flat", "output-dir-mirror"], &[]);

/// What a program does to the files that it packs.
struct Packing {
    /// The end that it adds to a name; `None` if it removes one.
    end: Option<&'static str>,
    /// True if it keeps the file unless it is told otherwise.
    keeps: bool,
}

const GZIP: Packing = Packing { end: Some(".gz"), keeps: false };
const KEEPING: Packing = Packing { end: Some(".zst"), keeps: true };

/// Packs each file of a folder under a name that rules about the file do not match.
fn packed(call: &Call<'_>) -> Option<Extent> {
    let given = call.given();
    (given.has('r', "recursive") && !given.has('d', "decompress")).then_some(Extent::Walked)
}

/// Replaces each file by one with an end added to its name, or removed from it.
fn replaced(call: &Call<'_>, packing: &Packing) -> Vec<FileEffect> {
    const ENDS: &[&str] = &["gz", "bz2", "xz", "zst", "lzma", "tgz", "Z"];
    let given = call.given();
    if given.has('c', "stdout") || given.has('l', "list") || given.has('t', "test") {
        return Vec::new();
    }
    let added = packing.end.filter(|_| !given.has('d', "decompress"));
    let made = |word: &Word| {
        if let Some(end) = added {
            return (Touch::Write, concat(word, &Word::literal(end)), Extent::Itself);
        }
        let stem = ENDS.iter().find_map(|end| word.value.strip_suffix(end)?.strip_suffix('.'));
        let name = stem.filter(|_| !word.is_dynamic()).map_or_else(Word::somewhere, Word::literal);
        (Touch::Write, name, Extent::Perhaps)
    };
    let stays = (given.has('k', "keep") || packing.keeps) && !given.has(' ', "rm");
    let one = |word: &Word| {
        let gone = (!stays).then(|| (Touch::Delete, word.clone(), Extent::Itself));
        gone.into_iter().chain([made(word)])
    };
    let below = given.operands.iter().filter(|_| given.has('r', "recursive"));
    let below = below.map(|word| (Touch::Delete, (*word).clone(), Extent::Below));
    let folders = given.values(' ', "output-dir-flat").chain(given.values(' ', "output-dir-mirror"));
    let written = all(Touch::Write, given.values('o', "")).chain(folders.cloned().map(written_below));
    named(given.operands.iter().copied()).flat_map(one).chain(below).chain(written).collect()
}
