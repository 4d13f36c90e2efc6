//! Programs that write files listed in an archive or patch, or numbered files, in a given folder.

use super::operands::{Extent, FileEffect, Touch, all, concat, placed};
use super::options::{Given, bundled, given};
use super::words::Word;

/// Writes to unknown files below a folder.
fn below(folder: Word) -> FileEffect {
    (Touch::Write, folder, Extent::Below)
}

/// Joins the folder options in order; without any, the working directory.
fn folder<'w>(named: impl Iterator<Item = &'w Word>) -> Word {
    named.fold(None, |folder, word| Some(placed(folder.as_ref(), word))).unwrap_or_else(|| Word::literal("."))
}

/// Every path in one folder that starts with a prefix.
fn begun(prefix: &Word) -> FileEffect {
    let star = Word { value: "*".to_owned(), glob: true, ..Word::default() };
    (Touch::Write, concat(prefix, &star), Extent::Perhaps)
}

fn named<'w>(words: impl Iterator<Item = &'w Word>) -> impl Iterator<Item = &'w Word> {
    words.filter(|word| word.value != "-")
}

pub(super) fn tar(words: &[Word]) -> Vec<FileEffect> {
    let words = bundled("tar", words);
    let given = given("tar", &words);
    let changes =
        [('c', "create"), ('r', "append"), ('u', "update"), ('A', "concatenate"), ('A', "catenate"), (' ', "delete")];
    let changes = changes.iter().any(|(letter, long)| given.has(*letter, long));
    let touch = if changes { Touch::Write } else { Touch::Read };
    let mut done: Vec<_> = all(touch, named(given.values('f', "file"))).collect();
    done.extend(all(Touch::Write, given.values('g', "listed-incremental")));
    done.extend(all(Touch::Write, given.values(' ', "index-file")));
    let gone = given.operands.iter().filter(|_| given.has(' ', "remove-files"));
    let gone = gone.flat_map(|word| [Extent::Itself, Extent::Below].map(|extent| (Touch::Delete, word, extent)));
    let folder = folder(given.values('C', "directory"));
    done.extend(gone.map(|(touch, word, extent)| (touch, placed(Some(&folder), word), extent)));
    if (given.has('x', "extract") || given.has(' ', "get")) && !given.has('O', "to-stdout") {
        done.extend(given.values(' ', "one-top-level").map(|word| below(placed(Some(&folder), word))));
        done.push(below(if given.has('P', "absolute-names") { Word::somewhere() } else { folder }));
    }
    done
}

/// Returns true if a call of `tar` may extract files or delete members of an archive.
pub(super) fn extracts(words: &[Word]) -> bool {
    let words = bundled("tar", words);
    let given = given("tar", &words);
    let reads = [('c', "create"), ('t', "list"), ('r', "append"), ('u', "update"), ('d', "diff"), ('d', "compare")];
    let reads = reads.iter().any(|(letter, long)| given.has(*letter, long));
    !reads || given.unsure.is_some() || given.has('x', "extract") || given.has(' ', "get")
}

pub(super) fn unzip(words: &[Word]) -> Vec<FileEffect> {
    let given = given("unzip", words);
    let prints = "ltpczZv".chars().any(|letter| given.has(letter, ""));
    let archive = given.operands.first().copied();
    let folder = if given.has(':', "") { Word::somewhere() } else { folder(given.values('d', "").take(1)) };
    all(Touch::Read, archive).chain((!prints).then(|| below(folder))).collect()
}

pub(super) fn cpio(words: &[Word]) -> Vec<FileEffect> {
    let given = given("cpio", words);
    let archives = given.values('F', "file").chain(given.values('I', "")).chain(given.values('O', ""));
    let makes = given.has('o', "create");
    let mut done: Vec<_> = all(if makes { Touch::Write } else { Touch::Read }, named(archives)).collect();
    let folder = folder(given.values('D', "directory"));
    if given.has('p', "pass-through") {
        done.extend(given.operands.iter().map(|word| below(placed(Some(&folder), word))));
    } else if !makes && !given.has('t', "list") && !given.has(' ', "to-stdout") {
        done.push(below(folder));
        // An absolute name stays absolute.
        let stays = !given.has(' ', "no-absolute-filenames");
        done.extend(stays.then(|| (Touch::Write, Word::somewhere(), Extent::Perhaps)));
    }
    done
}

pub(super) fn patch(words: &[Word]) -> Vec<FileEffect> {
    let given = given("patch", words);
    let folder = folder(given.values('d', "directory"));
    let here = |word: &Word| (Touch::Write, placed(Some(&folder), word), Extent::Itself);
    let rejects = given.values('r', "reject-file").map(here);
    if given.has(' ', "dry-run") {
        return Vec::new();
    }
    let (out, file) = (given.values('o', "output").next(), given.operands.first());
    let one = out.or(file.copied()).map(here);
    rejects.chain([one.unwrap_or_else(|| below(folder.clone()))]).collect()
}

pub(super) fn split(words: &[Word]) -> Vec<FileEffect> {
    let given = given("split", words);
    let prefix = given.operands.get(1).map_or_else(|| Word::literal("x"), |word| (*word).clone());
    reads(&given).chain([begun(&prefix)]).collect()
}

pub(super) fn csplit(words: &[Word]) -> Vec<FileEffect> {
    let given = given("csplit", words);
    let prefix = given.values('f', "prefix").last().cloned().unwrap_or_else(|| Word::literal("xx"));
    reads(&given).chain([begun(&prefix)]).collect()
}

fn reads(given: &Given<'_>) -> impl Iterator<Item = FileEffect> {
    all(Touch::Read, named(given.operands.first().copied().into_iter()))
}
