//! Programs that write files which an archive, a patch or a number names, in a folder that they name
//! themselves.

use super::operands::{Done, Extent, Touch, all, behind, placed};
use super::options::{Given, bundled, given};
use super::words::Word;

/// Whatever lies below a folder is written, and nobody knows what does.
fn below(folder: Word) -> Done {
    (Touch::Write, folder, Extent::Below)
}

/// The folder that is meant, each from the one before; the one that the program is called in, if none is.
fn folder<'w>(named: impl Iterator<Item = &'w Word>) -> Word {
    named.fold(None, |folder, word| Some(placed(folder.as_ref(), word))).unwrap_or_else(|| Word::literal("."))
}

/// Everything that a name begins, in one folder.
fn begun(prefix: &Word) -> Done {
    let star = Word { value: "*".to_owned(), glob: true, ..Word::default() };
    (Touch::Write, behind(prefix, &star), Extent::Perhaps)
}

fn named<'w>(words: impl Iterator<Item = &'w Word>) -> impl Iterator<Item = &'w Word> {
    words.filter(|word| word.value != "-")
}

pub(super) fn tar(words: &[Word]) -> Vec<Done> {
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

/// Returns true if a call of `tar` may put files into a folder, or take them out of an archive.
pub(super) fn extracts(words: &[Word]) -> bool {
    let words = bundled("tar", words);
    let given = given("tar", &words);
    let reads = [('c', "create"), ('t', "list"), ('r', "append"), ('u', "update"), ('d', "diff"), ('d', "compare")];
    let reads = reads.iter().any(|(letter, long)| given.has(*letter, long));
    !reads || given.unsure.is_some() || given.has('x', "extract") || given.has(' ', "get")
}

pub(super) fn unzip(words: &[Word]) -> Vec<Done> {
    let given = given("unzip", words);
    let prints = "ltpczZv".chars().any(|letter| given.has(letter, ""));
    let archive = given.operands.first().copied();
    let folder = if given.has(':', "") { Word::somewhere() } else { folder(given.values('d', "").take(1)) };
    all(Touch::Read, archive).chain((!prints).then(|| below(folder))).collect()
}

pub(super) fn cpio(words: &[Word]) -> Vec<Done> {
    let given = given("cpio", words);
    let archives = given.values('F', "file").chain(given.values('I', "")).chain(given.values('O', ""));
    let makes = given.has('o', "create");
    let mut done: Vec<_> = all(if makes { Touch::Write } else { Touch::Read }, named(archives)).collect();
    let folder = folder(given.values('D', "directory"));
    if given.has('p', "pass-through") {
        done.extend(given.operands.iter().map(|word| below(placed(Some(&folder), word))));
    } else if !makes && !given.has('t', "list") && !given.has(' ', "to-stdout") {
        done.push(below(folder));
        // A name that is absolute stays so.
        let stays = !given.has(' ', "no-absolute-filenames");
        done.extend(stays.then(|| (Touch::Write, Word::somewhere(), Extent::Perhaps)));
    }
    done
}

pub(super) fn patch(words: &[Word]) -> Vec<Done> {
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

pub(super) fn split(words: &[Word]) -> Vec<Done> {
    let given = given("split", words);
    let prefix = given.operands.get(1).map_or_else(|| Word::literal("x"), |word| (*word).clone());
    reads(&given).chain([begun(&prefix)]).collect()
}

pub(super) fn csplit(words: &[Word]) -> Vec<Done> {
    let given = given("csplit", words);
    let prefix = given.values('f', "prefix").last().cloned().unwrap_or_else(|| Word::literal("xx"));
    reads(&given).chain([begun(&prefix)]).collect()
}

fn reads(given: &Given<'_>) -> impl Iterator<Item = Done> {
    all(Touch::Read, named(given.operands.first().copied().into_iter()))
}
