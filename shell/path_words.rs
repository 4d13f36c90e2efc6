//! Words that may name a file that a program reads or changes. This is any word of any program, unless the word is
//! known to be text.

use std::collections::{HashMap, HashSet};
use std::ptr::from_ref;

use super::by_name::by_name;
use super::git;
use super::operands::{Extent, FileEffect, Touch};
use super::options::{Opt, given, long, short};
use super::programs::family;
use super::unwrap::Inside;
use super::words::Word;
use super::{base_name, find, unpack};

/// Programs that change no file named by a word, beyond the tables of options and operands. The listed options
/// are exceptions: letters, then long names.
#[rustfmt::skip]
const READERS: &[(&[&str], &str, &[&str])] = &[
    (&[
        "cat", "head", "tail", "less", "more", "tac", "nl", "wc", "cut", "diff", "cmp", "comm", "join", "paste", "od",
        "hexdump", "strings", "base64", "base32", "file", "stat", "ls", "dir", "vdir", "tree", "exa", "eza", "lsd",
        "grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "locate", "which", "whereis", "type", "whatis", "man",
        "echo", "printf", "test", "[", "[[", "true", "false", ":", "cd", "chdir", "pushd", "popd", "pwd", "export", "readonly", "unset",
        "exit", "return", "wait", "kill", "jobs", "sleep", "seq", "expr", "dirname", "basename", "realpath",
        "readlink", "pathchk", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum",
        "cksum", "sum", "shasum", "md5", "du", "df", "column", "fold", "fmt", "expand", "unexpand", "tr", "rev",
        "look", "jq", "bat", "batcat", "cloc", "tokei", "wdiff", "colordiff", "lsattr", "getfacl", "getfattr",
        "namei", "zcat", "bzcat", "xzcat", "zstdcat", "zgrep", "zless", "lsof", "fuser", "ps", "top", "date", "env",
        "printenv", "id", "whoami", "groups", "hostname", "uname", "uptime", "shellcheck", "identify", "sed", "awk",
        "gawk", "mawk", "nawk", "sort", "uniq", "xxd", "read", "set", "shift", "hash", "ulimit", "umask", "dd", "mkdir",
    ], "", &[]),
    (&["yq", "yamllint", "tomlq", "xq"], "i", &["inplace", "in-place"]),
    (&["xmllint"], "", &["output"]),
    (&["zip"], "bO", &["output-file", "temp-path"]),
    (&["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd"], "", &[]),
    (&["snaphook"], "", &["audit"]),
];

/// Programs whose words are text, or name files that are only listed or tested.
#[rustfmt::skip]
const TEXT: &[&str] = &[
    "echo", "printf", "true", "false", ":", "test", "[", "[[", "cd", "chdir", "pushd", "popd", "pwd", "export", "readonly", "unset", "exit",
    "return", "wait", "kill", "jobs", "sleep", "seq", "expr", "dirname", "basename", "realpath", "readlink", "pathchk",
    "which", "whereis", "type", "whatis", "man", "locate", "find", "ls", "dir", "vdir", "tree", "exa", "eza", "lsd", "stat",
    "du", "df", "tr", "namei", "lsattr", "getfacl", "getfattr", "lsof", "fuser", "ps", "top", "env", "printenv", "id",
    "whoami", "groups", "uname", "uptime", "read", "set", "shift", "hash", "ulimit", "umask", "mkdir",
    "snaphook",
];

/// Programs whose first operand is a script that they run.
const RUNNERS: &[&str] = &["node", "python", "pypy", "ruby", "php", "lua", "Rscript", "tsx", "ts-node", "bun"];

/// Programs and some of their options, by letter and long name.
type OptionTable = &'static [(&'static [&'static str], &'static [(char, &'static str)])];

/// Programs whose first operand is text, unless one of the options gives that text.
const TEXT_FIRST: OptionTable = &[
    (&["grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"], &[('e', "regexp"), ('f', "file")]),
    (&["sed"], &[('e', "expression"), ('f', "file")]),
    (&["awk", "gawk", "mawk", "nawk"], &[('e', "source"), ('f', "file")]),
    (&["jq", "yq", "xq", "tomlq"], &[('f', "from-file")]),
];

/// Options whose value is text, and the programs that have them.
const TEXT_OPTIONS: OptionTable = &[
    (&["git commit"], &[('m', "message"), (' ', "author"), (' ', "date")]),
    (&["git"], &[('S', ""), ('G', ""), (' ', "grep"), (' ', "author"), (' ', "format"), (' ', "pretty")]),
    (
        &["grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"],
        &[('e', "regexp"), (' ', "exclude"), (' ', "include"), ('g', "glob")],
    ),
    (&["sed"], &[('e', "expression")]),
    // Keys that are only used.
    (&["ssh", "scp", "sftp"], &[('i', "")]),
    (&["kubectl", "helm"], &[(' ', "kubeconfig")]),
    (&["pytest"], &[('k', ""), ('m', "")]),
    (&["gh", "glab", "hub"], &[('t', "title"), ('b', "body"), ('m', "message")]),
];

/// Modes of `chmod` that take the rights of all others away and leave those of the owner.
const OWNER_ONLY: &[&str] =
    &["400", "500", "600", "700", "0400", "0500", "0600", "0700", "go-rwx", "og-rwx", "go=", "og="];

/// Subcommands of git with a message.
const GIT_MESSAGE: &[&str] = &["commit", "merge", "notes", "stash", "tag"];

/// Subcommands of git whose words name no file that is read.
#[rustfmt::skip]
const GIT_TEXT: &[&str] = &[
    "branch", "check-attr", "check-ignore", "describe", "fetch", "for-each-ref", "gc", "help", "ls-files", "ls-remote",
    "ls-tree", "merge-base", "name-rev", "push", "reflog", "remote", "rev-list", "rev-parse", "rm", "show-ref", "status",
    "symbolic-ref", "tag", "update-ref", "var", "version",
];

/// Returns the words of a command that may be, or contain, the path of a file that it reads or changes. `done` lists
/// its known effects.
pub(super) fn named(words: &[Word], done: &[FileEffect]) -> Vec<(Touch, Word)> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = family(base_name(&program.value));
    if rest.is_empty() {
        return Vec::new();
    }
    let touch = match name {
        "chmod" if is_owner_only(rest) => Touch::Restrict,
        _ if only_reads(name, rest) => Touch::MayRead,
        _ => Touch::Name,
    };
    if touch == Touch::MayRead && (TEXT.contains(&name) || (name == "git" && git::is_any_of(rest, GIT_TEXT))) {
        return Vec::new();
    }
    let done = done.iter().filter(|(.., extent)| *extent == Extent::Itself);
    let known: HashSet<&str> = done.map(|(_, word, _)| word.value.as_str()).collect();
    let text = texts(name, rest, touch);
    let new = |word: &Word| !word.value.is_empty() && !known.contains(word.value.as_str());
    let files = rest.iter().filter(|word| !text.contains(&from_ref(*word)));
    // Behind an option the word may be an argument of code in the option.
    let script = rest.first().filter(|word| !word.value.starts_with('-') && RUNNERS.contains(&name)).map(from_ref);
    let touch = |word| if script == Some(from_ref(word)) { Touch::MayRead } else { touch };
    let words = files.flat_map(|word| paths(word).into_iter().map(move |path| (touch(word), path)));
    words.filter(|(_, word)| new(word)).collect()
}

/// Returns the words that are known to be text: patterns, scripts and messages. Equal words may have other meanings.
pub(super) fn texts(name: &str, rest: &[Word], touch: Touch) -> HashSet<*const Word> {
    let row_name = match name {
        "git" if git::is_any_of(rest, GIT_MESSAGE) => "git commit",
        // `kubectl config` prints and changes the file.
        "kubectl" if rest.iter().any(may_be_config) => "",
        name => name,
    };
    let row =
        |table: OptionTable| table.iter().find(|(names, _)| names.contains(&row_name)).map(|(_, options)| *options);
    let (first, options) = (row(TEXT_FIRST).filter(|_| touch == Touch::MayRead), row(TEXT_OPTIONS).unwrap_or_default());
    if first.is_none() && options.is_empty() {
        return HashSet::new();
    }
    let given = given(name, rest);
    let elsewhere = |options: &[(char, &str)]| options.iter().any(|(letter, long)| given.has(*letter, long));
    let first = first.filter(|options| !elsewhere(options) && given.unsure.is_none());
    let first = first.and_then(|_| given.operands.first().copied()).map(from_ref);
    let is_text = |option: &&Opt<'_>| options.iter().any(|(letter, long)| option.is(*letter, long));
    let given: HashMap<_, _> =
        given.options.iter().filter(is_text).map(|one| (from_ref(one.word), &one.value)).collect();
    // The value of an option is a part of it, or the next word.
    let values = rest.windows(2).filter_map(|pair| {
        let [option, next] = pair else { return None };
        let value = given.get(&from_ref(option))?;
        value.as_ref().is_none_or(|value| value.value == next.value).then_some(from_ref(next))
    });
    first.into_iter().chain(values).chain(given.keys().copied()).collect()
}

fn may_be_config(word: &Word) -> bool {
    word.value == "config" || word.may_be_option() || (word.is_dynamic() && !word.value.starts_with('-'))
}

/// Returns true if `chmod` only takes the rights of all others away.
fn is_owner_only(words: &[Word]) -> bool {
    let mut words = words.iter().skip_while(|word| matches!(word.value.as_str(), "-R" | "-v"));
    words.next().is_some_and(|mode| OWNER_ONLY.contains(&mode.value.as_str()) && !mode.is_dynamic())
        && words.all(|word| !word.value.starts_with('-') && !word.may_be_option())
}

/// Returns the number of leading words that belong to the command itself, and not to a command that it runs.
pub(super) fn own_words(words: &[Word], inside: &Inside) -> usize {
    // The words of a script are checked together with its name.
    if !inside.watched.is_empty() {
        return 0;
    }
    let [inner] = inside.commands.as_slice() else { return words.len() };
    // The words of `find` surround those of the commands that it runs.
    if words.first().is_some_and(|program| family(base_name(&program.value)) == "find") {
        return words.len();
    }
    let unseen = |words: &[Word]| usize::from(words.last().is_some_and(|word| word.unseen));
    let added = unseen(&inner.words).saturating_sub(unseen(words));
    words.len().saturating_sub(inner.words.len().saturating_sub(added))
}

/// Returns true if a program changes no file that a word names, beyond its known effects.
pub fn only_reads(name: &str, words: &[Word]) -> bool {
    let name = family(name);
    if name == "git" {
        return git::only_reads(words);
    }
    match name {
        "find" if find::read(words).blame.is_some() => return false,
        "tar" | "bsdtar" => return !unpack::extracts(words),
        _ => {}
    }
    let Some((_, letters, longs)) = by_name!(READERS, 0).row(name).and_then(|row| READERS.get(row)) else {
        return false;
    };
    !words.iter().any(|word| short(&word.value, letters) || long(&word.value, longs))
}

/// Returns a word and its parts that may be paths: the value of an option or setting, and both sides of a
/// colon.
fn paths(word: &Word) -> Vec<Word> {
    let value = word.value.as_str();
    let mut found = Vec::new();
    if !value.starts_with('-') {
        found.push(word.clone());
    } else if !value.starts_with("--") {
        found.push(word.tail(2));
        found.extend(value.find(['.', '/', '~']).filter(|at| *at > 2).map(|at| word.tail(at)));
    }
    for at in [value.find('='), value.rfind('='), value.find('@'), value.rfind(':')].into_iter().flatten() {
        found.push(word.tail(at + 1));
    }
    // The part before a colon, as in `-v FROM:TO`, also after a `=`.
    let more: Vec<_> = found
        .iter()
        .filter_map(|word| {
            let end = word.value.find([':', ','])?;
            let mut left = word.clone();
            left.value.truncate(end);
            left.spans.retain(|span| span.end <= end);
            Some(left)
        })
        .collect();
    found.extend(more);
    found.dedup();
    found
}

/// Programs that change the permissions, owner or mount of a path. Without permission to read a folder, the
/// files in it cannot be read either.
const RIGHTS: &[&str] = &["chmod", "chown", "chgrp", "setfacl", "chattr", "mount", "umount", "chcon", "setfattr"];

/// Programs that unpack or update unnamed files in the working directory, and the words that prevent that.
const UNPACKERS: &[(&[&str], &[&str])] = &[
    (&["7z", "7za", "7zr", "7zz"], &["l", "t", "a", "u", "h", "i", "b", "d"]),
    (&["unrar", "rar"], &["l", "lt", "lb", "v", "t", "p", "a"]),
    (&["jar"], &["cf", "cvf", "tf", "tvf", "-tf", "-cf", "--list", "--create"]),
    (&["ar"], &["t", "r", "q", "d", "p", "rc", "cr", "rcs", "crs", "tv"]),
    (&["unar", "cabextract", "unsquashfs", "uudecode", "uncompress", "pax", "ditto", "shar", "unshar"], &["-l", "-t"]),
];

/// The same for programs that check out revisions into the whole working tree.
const REVISIONS: &[(&[&str], &[&str])] = &[
    (&["hg"], &["status", "log", "diff", "id", "cat", "annotate", "commit", "add", "push", "branch", "heads", "tip"]),
    (&["svn"], &["status", "st", "log", "diff", "info", "cat", "commit", "ci", "add", "list", "ls", "blame"]),
    (&["jj"], &["log", "status", "st", "diff", "show", "describe", "git"]),
];

/// Python modules that unpack archives.
const MODULES: &[&str] = &["zipfile", "tarfile", "shutil"];

/// Returns the effects of a command on unnamed files below a folder or in a working tree.
pub(super) fn below(words: &[Word]) -> Vec<FileEffect> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = base_name(&program.value);
    let one = |word: &Word| (Touch::Name, word.clone(), Extent::Below);
    if RIGHTS.contains(&name) {
        return rest.iter().filter(|word| !word.value.starts_with('-')).map(one).collect();
    }
    let here = |extent| vec![(Touch::Name, Word::literal("."), extent)];
    let does = |not: &[&str]| rest.first().is_some_and(|first| !not.contains(&first.value.as_str()));
    if let Some((_, not)) = by_name!(UNPACKERS, 0).row(name).and_then(|row| UNPACKERS.get(row)) {
        return if does(not) { here(Extent::Below) } else { Vec::new() };
    }
    if let Some((_, not)) = by_name!(REVISIONS, 0).row(name).and_then(|row| REVISIONS.get(row)) {
        return if does(not) { here(Extent::Tree) } else { Vec::new() };
    }
    let unpacks = matches!(family(name), "python" | "pypy")
        && rest.iter().any(|word| MODULES.contains(&word.value.trim_start_matches("-m")));
    if unpacks { rest.iter().map(one).chain(here(Extent::Below)).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ScriptLimits;
    use crate::{Touched, read};

    #[test]
    fn any_word_may_be_a_file_unless_it_is_text() {
        for (line, expected) in [
            ("frob a", "a"),
            ("cp a b", ""),
            ("cp -T x b", ""),
            ("cat a", ""),
            ("paste a", "read a"),
            ("jq . a", "read a"),
            ("grep a", ""),
            ("grep -e a -f b c", ""),
            ("echo a; test -f a; find a -name a", ""),
            ("git commit -am a", "read commit"),
            ("git commit -F a", "read commit, read a"),
            ("git diff -m a", "read diff, read a"),
            ("git log --grep=a b", "read log, read b"),
            ("git check-ignore a", ""),
            ("ssh -i a b", "b"),
            ("node a b", "read a, b"),
            ("yq -i .a b", ".a, b"),
            ("node --eval=c a", "c, a"),
            ("tar xf a.tar b", "xf, b"),
            ("tar czf a.tgz b", "read czf, read b"),
            ("7z x a -ob", "x, a, b, ."),
            ("git checkout x b", "checkout, x, b, ."),
            ("git add a", "read add, read a"),
            ("git rm --cached a", ""),
            ("git apply --directory=a b", "apply, a, b"),
            ("docker run -v ~/a:/b c", "run, ~/a:/b, /b, ~/a, c"),
            ("frob --out=a:b", "a:b, b, a"),
            ("env X=1 frob a", "a"),
            ("sudo -u me cat a", "me"),
            ("xargs frob a", "a"),
            ("sh s.sh a", "a"),
            ("sh -c 'frob \"$1\"' _ a", "frob \"$1\", _, a, $1"),
            ("find a -exec frob {} \\;", "a, a/{}"),
            ("curl -F x=@a u", "x=@a, @a, u"),
            ("ln a b", "a"),
            ("cp -al a b", "l, a, b"),
            ("chmod 0 a", "0, a, 0, a"),
            ("chmod -R 600 a", "600, a"),
            ("chmod 644 a", "644, a, 644, a"),
            ("chmod 600 --reference=a b", "600, a, b, 600, b"),
            ("kubectl --kubeconfig a get b", "get, b"),
            ("kubectl --kubeconfig a config view", "a, config, view"),
            ("kubectl --kubeconfig a $X", "a, $X"),
            ("helm --kubeconfig=a list", "list"),
            ("pytest -k a", ""),
            ("sha256sum a", "read a"),
        ] {
            let analysis = read(line, &ScriptLimits::default());
            let named = analysis.touched.iter().filter(|touched| matches!(touched.touch, Touch::Name | Touch::MayRead));
            let shown = |touched: &Touched| {
                format!("{}{}", if touched.touch == Touch::Name { "" } else { "read " }, touched.shown)
            };
            let found: Vec<_> = named.map(shown).collect();
            assert_eq!(found.join(", "), expected, "{line}");
        }
    }
}
