//! The files that `git` deletes, moves, writes and reads.

use super::super::copy::CopyOperands;
use super::call::{GitCall, call, options};
use crate::effects::{Extent, FileEffect, Touch, all, concat, found, placed, read_somewhere, walked, within};
use crate::options::{Given, given};
use crate::words::Word;

/// The files that are deleted, moved or written, by name or in a folder.
pub(super) fn operands(words: &[Word]) -> Vec<FileEffect> {
    let Ok(GitCall { folder, command, rest, .. }) = call(words) else { return Vec::new() };
    let given = given(&options(command), rest);
    let prints = command.starts_with("diff")
        || matches!(command, "log" | "show" | "whatchanged" | "format-patch" | "reflog" | "shortlog" | "range-diff");
    let mut done = match command {
        // With `--cached` the file stays in the working tree.
        "rm" if given.only(' ', "cached") => Vec::new(),
        "rm" => {
            let lists = given.values(' ', "pathspec-from-file").map(|_| Word::somewhere());
            let files: Vec<_> = given.files().map(named).chain(lists).collect();
            let recursive = given.has('r', "");
            let below = files.iter().filter(|_| recursive);
            let below: Vec<_> = below.map(|word| (Touch::Delete, word.clone(), Extent::Below)).collect();
            all(Touch::Delete, &files).chain(below).collect()
        }
        "mv" => CopyOperands::of(&given).moved(),
        "add" | "stage" if given.only('n', "dry-run") || given.only('u', "update") => Vec::new(),
        "add" | "stage" => {
            let files: Vec<_> = given.files().map(named).collect();
            let listed = given.has(' ', "pathspec-from-file").then(read_somewhere);
            let all = files.is_empty() && given.has('A', "all");
            let extent = if given.has('f', "force") { Extent::Walked } else { Extent::Unignored };
            walked(extent, files.iter().chain(all.then_some(&Word::literal(".")))).chain(listed).collect()
        }
        "archive" => {
            let files: Vec<_> = given.operands.iter().skip(1).map(|word| (**word).clone()).collect();
            let files = if files.is_empty() { vec![Word::literal(".")] } else { files };
            all(Touch::Write, given.values('o', "")).chain(walked(Extent::Unignored, &files)).collect()
        }
        "format-patch" if given.only(' ', "stdout") => Vec::new(),
        "format-patch" => {
            let folder = given.values('o', "output-directory").last().cloned().unwrap_or_else(|| Word::literal("."));
            let patches = Word { value: "*.patch".to_owned(), glob: true, ..Word::default() };
            vec![(Touch::Write, within(&folder, &patches), Extent::Perhaps)]
        }
        "init" => {
            let folder = given.operands.first().map_or_else(|| Word::literal("."), |folder| (*folder).clone());
            vec![(Touch::Make, within(&folder, &Word::literal(".git")), Extent::Itself)]
        }
        "bundle" | "clone" | "worktree" => made(command, &given),
        _ => tree(command, &given, rest),
    };
    done.extend(all(Touch::Write, given.values(' ', "output").chain(given.values(' ', "export-marks"))));
    done.extend(named_files(command, &given));
    if prints || matches!(command, "grep" | "archive") {
        done.extend(printed_globs(command, &given));
    }
    if folder.is_some() {
        done.extend(given.operands.iter().flat_map(|word| in_folder(word)));
    }
    done.extend(given.anywhere().filter(|_| prints || command == "archive"));
    for (_, word, _) in &mut done {
        *word = placed(folder.as_ref(), word);
    }
    done
}

/// The files whose contents git prints because a pathspec with a glob matches them, at any depth.
fn printed_globs(command: &str, given: &Given<'_>) -> Vec<FileEffect> {
    let has_pattern = command == "grep" && !given.has('e', "") && !given.has('f', "");
    // With magic it may be any file.
    let is_magic =
        |word: &Word| word.value.starts_with(':') && ![":!", ":^"].iter().any(|out| word.value.starts_with(out));
    let is_glob = |word: &&&Word| word.value.contains(['*', '?', '[', '\\']) && !word.value.starts_with(':');
    let operands = || given.operands.iter().skip(usize::from(has_pattern));
    let magic = operands().any(|word| is_magic(word) && !word.value.starts_with(":(exclude"));
    let globs = operands().filter(is_glob).map(|word| named(word)).chain(magic.then(|| Word::literal(".")));
    let is_top = |word: &Word| word.value.starts_with(":/") || word.value.starts_with(":(top");
    let top = operands().any(|word| is_top(word)).then(read_somewhere);
    walked(Extent::Unignored, &globs.collect::<Vec<_>>()).chain(top).collect()
}

/// The words of a call with `-C` that may name a file: an operand, and a path behind a revision.
fn in_folder(word: &Word) -> impl Iterator<Item = FileEffect> {
    let path = word.value.find(':').map(|at| word.tail(at + 1));
    [Some(word.clone()), path].into_iter().flatten().map(|word| (Touch::MayRead, word, Extent::Itself))
}

/// The files named by arguments, inside or outside the repository.
fn named_files(command: &str, given: &Given<'_>) -> Vec<FileEffect> {
    use Touch::{Read, Write};
    let plain = given.has(' ', "no-index");
    match command {
        "config" => {
            let shows = ["get", "list", "get-all", "get-regexp"];
            let shows = given.has('l', "list") || shows.iter().any(|long| given.has(' ', long));
            all(if shows { Read } else { Write }, given.values('f', "file")).collect()
        }
        "credential-store" => all(Write, given.values(' ', "file")).collect(),
        "merge-file" if !given.only('p', "stdout") => {
            let written = all(Write, given.operands.first().copied());
            written.chain(all(Read, given.files())).collect()
        }
        "interpret-trailers" => all(if given.has(' ', "in-place") { Write } else { Read }, given.files()).collect(),
        "clean" if !given.only('n', "dry-run") => all(Touch::Delete, given.files()).collect(),
        "diff" if plain => all(Read, given.files()).chain(walked(Extent::Walked, given.files())).collect(),
        "merge-file" => all(Read, given.files()).collect(),
        "grep" if plain || given.has(' ', "untracked") => {
            let has_pattern = given.has('e', "") || given.has('f', "");
            let files: Vec<_> = if has_pattern { given.files().collect() } else { given.but_first().collect() };
            let here = Word::literal(".");
            let folders = if files.is_empty() { vec![&here] } else { files.clone() };
            all(Read, files).chain(walked(Extent::Walked, folders)).collect()
        }
        "tag" => all(Read, given.values('F', "file")).collect(),
        "blame" | "annotate" => all(Read, given.values(' ', "contents")).collect(),
        _ => Vec::new(),
    }
}

/// The file or folder that is created.
fn made(command: &str, given: &Given<'_>) -> Vec<FileEffect> {
    let (operands, own) = (given.operands.as_slice(), given.values(' ', "separate-git-dir"));
    let made = match (command, operands) {
        ("bundle", [create, file, ..]) if create.value == "create" => {
            return all(Touch::Write, Some(*file).filter(|file| file.value != "-")).collect();
        }
        ("worktree", [add, folder, ..]) if add.value == "add" => (*folder).clone(),
        ("clone", [_, folder, ..]) => (*folder).clone(),
        ("clone", [from]) if !from.is_dynamic() => {
            let from = from.value.trim_end_matches('/');
            let from = from.strip_suffix("/.git").unwrap_or(from);
            let name = from.rsplit(['/', ':']).next().unwrap_or_default();
            Word::literal(name.strip_suffix(".git").unwrap_or(name))
        }
        ("clone", [from]) => concat(&Word::literal("./"), from),
        _ => return Vec::new(),
    };
    let folders = own.cloned().chain([made]);
    folders.flat_map(|folder| whole(folder, Extent::Below)).collect()
}

/// A named file or folder. A folder that is only traversed is not changed itself.
fn whole(word: Word, within: Extent) -> impl Iterator<Item = FileEffect> {
    let walked = matches!(word.value.rsplit('/').next(), None | Some("" | "." | ".."));
    let itself = (!walked).then(|| (Touch::Write, word.clone(), Extent::Itself));
    itself.into_iter().chain([(Touch::Write, word, if walked { Extent::Below } else { within })])
}

/// The files written to the working tree: those that are certainly named, otherwise everything in the tree.
fn tree(command: &str, given: &Given<'_>, words: &[Word]) -> Vec<FileEffect> {
    let verb = given.operands.first().map_or("", |word| word.value.as_str());
    let changes = match command {
        // A new branch starts at the current state.
        "checkout" => {
            let begins = given.has('b', "") || given.has('B', "orphan");
            !given.operands.is_empty() || !begins || given.has('f', "force")
        }
        "switch" => !given.operands.is_empty(),
        "checkout-index" | "am" | "pull" => true,
        "merge" | "rebase" | "cherry-pick" | "revert" | "subtree" | "bisect" | "sparse-checkout" => {
            !matches!(verb, "list" | "log" | "view")
        }
        "submodule" => matches!(verb, "add" | "update" | "deinit"),
        "read-tree" => given.has('u', ""),
        "restore" => !given.only('S', "staged") || given.has('W', "worktree"),
        "apply" => {
            let prints = ["cached", "check", "stat", "numstat", "summary"].iter().any(|long| given.only(' ', long));
            !prints || given.has(' ', "apply")
        }
        "stash" => !matches!(verb, "list" | "show" | "drop" | "clear" | "create" | "store"),
        "reset" => ["hard", "merge", "keep"].iter().any(|long| given.has(' ', long)),
        "clean" => !given.only('n', "dry-run"),
        _ => false,
    };
    if !changes {
        return Vec::new();
    }
    let behind = words.iter().position(|word| word.value == "--").and_then(|at| words.get(at + 1..));
    let files: Vec<_> = match (command, behind) {
        ("checkout", Some(files)) => files.iter().map(named).collect(),
        ("restore", _) => given.files().map(named).collect(),
        _ => Vec::new(),
    };
    let lists = given.has(' ', "pathspec-from-file") || given.has(' ', "unsafe-paths");
    if !files.is_empty() && !lists {
        return files.into_iter().flat_map(|file| whole(file, Extent::Folder)).collect();
    }
    let touch = if command == "clean" { Touch::Delete } else { Touch::Write };
    let mut done = vec![(touch, Word::literal("."), Extent::Below)];
    // A commit is checked out into the whole tree, whatever the working directory is.
    if !matches!(command, "clean" | "apply") {
        done.push((Touch::Name, Word::literal("."), Extent::Tree));
    }
    done
}

/// The files that a pathspec names. It may be a glob, even when quoted, whose `*` matches a `/` too.
fn named(word: &Word) -> Word {
    let special = ['*', '?', '[', ']', '\\'];
    let Some(first) = word.value.find(special).filter(|_| !word.value.starts_with(':')) else {
        return if word.value.starts_with(':') { Word::somewhere() } else { word.clone() };
    };
    if !word.spans.is_empty() {
        return Word::somewhere();
    }
    let start = word.value.get(..first).unwrap_or_default();
    let folder = match start.rfind('/') {
        Some(0) => "/",
        Some(end) => start.get(..end).unwrap_or_default(),
        None => ".",
    };
    let end = word.value.rfind(special).map_or(0, |last| last + 1);
    let mut found = found(&Word { value: folder.to_owned(), tilde: word.tilde, ..Word::default() }, None);
    found.value.push_str(word.value.get(end..).unwrap_or_default());
    found
}
