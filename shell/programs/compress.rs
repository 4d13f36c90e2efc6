//! Programs that replace files by compressed ones, or back.

use super::program::{Call, Program};
use crate::effects::{Extent, FileEffect, Touch, all, concat, named, written_below};
use crate::options::OptionSpec;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { options: XZ, touches: packed, ..Program::reader(&["gzip", "gunzip", "xz", "unxz"]) },
    Program { options: ZSTD, touches: packed, ..Program::reader(&["zstd", "unzstd"]) },
    Program { touches: packed, ..Program::reader(&["bzip2", "bunzip2"]) },
];

const XZ: OptionSpec = OptionSpec::new("STF", &["suffix", "threads", "format"], &[]);
const ZSTD: OptionSpec = OptionSpec::new("oDM", &["output-dir-flat", "output-dir-mirror"], &[]);

/// Adds an end to the names of the files, or removes it.
fn packed(call: &Call<'_>) -> Vec<FileEffect> {
    const MADE: &[(&str, &str)] = &[("gzip", ".gz"), ("xz", ".xz"), ("bzip2", ".bz2"), ("zstd", ".zst")];
    const ENDS: &[&str] = &["gz", "bz2", "xz", "zst", "lzma", "tgz", "Z"];
    let (given, name) = (call.given(), call.name.to_ascii_lowercase());
    if given.has('c', "stdout") || given.has('l', "list") || given.has('t', "test") {
        return Vec::new();
    }
    let packs = MADE.iter().find(|(program, _)| name.starts_with(program) && !given.has('d', "decompress"));
    let made = |word: &Word| {
        if let Some((_, end)) = packs {
            return (Touch::Write, concat(word, &Word::literal(end)), Extent::Itself);
        }
        let stem = ENDS.iter().find_map(|end| word.value.strip_suffix(end)?.strip_suffix('.'));
        let name = stem.filter(|_| !word.is_dynamic()).map_or_else(Word::somewhere, Word::literal);
        (Touch::Write, name, Extent::Perhaps)
    };
    let stays = (given.has('k', "keep") || name.contains("zstd")) && !given.has(' ', "rm");
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
