//! The code that `git` runs and the files that it names.

use super::inline_code::Found;
use super::operands::{CopyOperands, Extent, FileEffect, Touch, all, concat, placed, within};
use super::option_table::has_row;
use super::options::{Given, given, hides, long, short};
use super::words::Word;

/// A `git` command after its global options.
struct GitCall<'w> {
    /// The working directory given by `-C`; absent if it is that of the call.
    folder: Option<Word>,
    /// A global option that runs code, or may.
    runs: Option<&'w Word>,
    command: &'w str,
    rest: &'w [Word],
}

/// Global options without a value, or with the value in the same word.
const OWN: &[&str] = &[
    "-p",
    "-P",
    "-v",
    "-h",
    "--paginate",
    "--no-pager",
    "--version",
    "--help",
    "--html-path",
    "--man-path",
    "--info-path",
    "--bare",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-advice",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--namespace",
    "--super-prefix",
    "--shallow-file",
    "--attr-source",
    "--list-cmds",
];

/// Parses the global options. `Err` is a word that may be one.
fn call(words: &[Word]) -> Result<GitCall<'_>, &Word> {
    let (mut folder, mut runs) = (None, None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            return Err(word);
        }
        match value {
            "-c" => {
                if !rest.next().is_some_and(is_plain) {
                    runs.get_or_insert(word);
                }
            }
            "--config-env" => {
                runs.get_or_insert(word);
                rest.next();
            }
            "-C" => folder = rest.next().map(|next| placed(folder.as_ref(), next)),
            "--git-dir" | "--work-tree" => {
                rest.next();
                folder = Some(Word::somewhere());
            }
            "--namespace" | "--super-prefix" | "--shallow-file" | "--attr-source" => drop(rest.next()),
            _ if value.starts_with("--git-dir=") || value.starts_with("--work-tree=") => {
                folder = Some(Word::somewhere());
            }
            _ if OWN.contains(&value.split('=').next().unwrap_or(value)) => {}
            // An option that contains code, or that is unknown.
            _ if value.starts_with('-') => {
                runs.get_or_insert(word);
            }
            command => return Ok(GitCall { folder, runs, command, rest: rest.as_slice() }),
        }
    }
    Ok(GitCall { folder, runs, command: "", rest: &[] })
}

/// Finds the word that makes `git` run code.
pub(super) fn code(words: &[Word]) -> Found<'_> {
    let GitCall { runs, command, rest, .. } = call(words)?;
    if let Some(word) = runs.or_else(|| words.iter().find(|word| word.value.contains("ext::"))) {
        return Ok(Some(word));
    }
    let (letters, longs): (&str, &[&str]) = match command {
        "rebase" => ("x", &["exec"]),
        "grep" => ("O", &["open-files-in-pager"]),
        "clone" => ("cu", &["config", "upload-pack", "template"]),
        "init" => ("", &["template"]),
        "fetch" | "pull" | "ls-remote" | "fetch-pack" => ("", &["upload-pack", "exec"]),
        "push" | "send-pack" => ("", &["receive-pack", "exec"]),
        "archive" => ("", &["exec"]),
        "difftool" => ("x", &["extcmd"]),
        "instaweb" => ("d", &["httpd"]),
        "send-email" => ("", &["sendmail-cmd", "smtp-server", "to-cmd", "cc-cmd", "header-cmd"]),
        "filter-branch" => (
            "",
            &[
                "tree-filter",
                "index-filter",
                "msg-filter",
                "env-filter",
                "parent-filter",
                "commit-filter",
                "tag-name-filter",
                "setup",
            ],
        ),
        "bisect" | "submodule" => ("", &[]),
        "config" => return config(rest),
        "remote-ext" | "remote-fd" | "shell" | "daemon" | "http-backend" | "merge-index" | "for-each-repo" => {
            return Ok(words.first());
        }
        _ => return Ok(None),
    };
    for word in rest {
        let value = word.value.as_str();
        if word.may_be_option() || hides("git", word) {
            return Err(word);
        }
        let runs = match command {
            "bisect" => value == "run",
            "submodule" => value == "foreach",
            _ => short(value, letters) || long(value, longs),
        };
        if runs {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Settings that affect display or identity, and not the code that is run.
const PLAIN: &[&str] = &[
    "user.",
    "color.",
    "init.defaultbranch",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "core.autocrlf",
    "core.quotepath",
    "advice.",
];

/// Returns true if `KEY=VALUE` sets only such a setting.
fn is_plain(setting: &Word) -> bool {
    let key = setting.value.split_once('=').map(|(key, _)| key.to_ascii_lowercase());
    !setting.is_dynamic() && key.is_some_and(|key| PLAIN.iter().any(|plain| key.starts_with(plain)))
}

/// Finds the setting that `git config` writes, unless later calls run the same code as before.
fn config(words: &[Word]) -> Found<'_> {
    let given = given("git config", words);
    if let Some(word) = given.unsure {
        return Err(word);
    }
    let odd = |option: &&super::options::Opt<'_>| option.is('e', "edit") || option.is(' ', "rename-section");
    if let Some(option) = given.options.iter().find(odd) {
        return Ok(Some(option.word));
    }
    let mut operands = given.operands.iter().copied();
    let key = match operands.next() {
        Some(word) => match word.value.as_str() {
            "get" | "list" | "unset" | "remove-section" => return Ok(None),
            "edit" | "rename-section" => return Ok(Some(word)),
            "set" => operands.next(),
            _ => Some(word),
        },
        None => None,
    };
    let Some(key) = key.filter(|_| operands.next().is_some()) else { return Ok(None) };
    let name = key.value.to_ascii_lowercase();
    let plain = !key.is_dynamic() && PLAIN.iter().any(|plain| name.starts_with(plain));
    Ok(Some(key).filter(|_| !plain))
}

/// Subcommands that change no file of the working tree named by a word, beyond those in [`operands`].
#[rustfmt::skip]
const READERS: &[&str] = &[
    "", "add", "annotate", "blame", "branch", "bugreport", "cat-file", "check-attr", "check-ignore", "cherry",
    "commit", "config", "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree", "fetch",
    "for-each-ref", "fsck", "gc", "grep", "hash-object", "help", "log", "ls-files", "ls-remote", "ls-tree",
    "merge-base", "name-rev", "notes", "push", "range-diff", "reflog", "remote", "rev-list", "rev-parse", "shortlog",
    "show", "show-ref", "status", "symbolic-ref", "tag", "update-index", "update-ref", "var", "version",
    "whatchanged", "write-tree",
];

/// Returns true if a call changes no file that a word names, beyond those in [`operands`].
pub(super) fn only_reads(words: &[Word]) -> bool {
    let Ok(GitCall { command, rest, .. }) = call(words) else { return false };
    let index = || given("git", rest).only(' ', "cached");
    let shows = || rest.first().is_some_and(|word| matches!(word.value.as_str(), "list" | "show"));
    READERS.contains(&command) || (command == "rm" && index()) || (matches!(command, "stash" | "worktree") && shows())
}

/// Returns true if a call is known to be one of these subcommands.
pub(super) fn is_any_of(words: &[Word], names: &[&str]) -> bool {
    call(words).is_ok_and(|call| names.contains(&call.command))
}

/// The files that are deleted, moved or written, by name or in a folder.
pub(super) fn operands(words: &[Word]) -> Vec<FileEffect> {
    let Ok(GitCall { folder, command, rest, .. }) = call(words) else { return Vec::new() };
    let own = format!("git {command}");
    let program = if has_row(&own) { own } else { "git".to_owned() };
    let given = given(&program, rest);
    let prints = command.starts_with("diff")
        || matches!(command, "log" | "show" | "whatchanged" | "format-patch" | "reflog" | "shortlog" | "range-diff");
    let mut done = match command {
        // With `--cached` the file stays in the working tree.
        "rm" if given.only(' ', "cached") => Vec::new(),
        "rm" => {
            let lists = given.values(' ', "pathspec-from-file").map(|_| Word::somewhere());
            let files: Vec<_> = given.files().map(named).chain(lists).collect();
            let below = files.iter().filter(|_| given.has('r', ""));
            let below: Vec<_> = below.map(|word| (Touch::Delete, word.clone(), Extent::Below)).collect();
            all(Touch::Delete, &files).chain(below).collect()
        }
        "mv" => CopyOperands::of(&given).moved(),
        "archive" => all(Touch::Write, given.values('o', "")).collect(),
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
    done.extend(given.anywhere().filter(|_| prints || command == "archive"));
    for (_, word, _) in &mut done {
        *word = placed(folder.as_ref(), word);
    }
    done
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
        "diff" | "merge-file" if plain || command == "merge-file" => all(Read, given.files()).collect(),
        "grep" if plain && (given.has('e', "") || given.has('f', "")) => all(Read, given.files()).collect(),
        "grep" if plain => all(Read, given.but_first()).collect(),
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

/// A pathspec, which may be a glob that matches at any depth, even when quoted.
fn named(word: &Word) -> Word {
    let magic = word.value.starts_with(':') || word.value.contains(['*', '?', '[']);
    if magic { Word::somewhere() } else { word.clone() }
}
