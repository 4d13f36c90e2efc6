//! Tables of programs that write a file named by an option or chosen by the program.

use super::base_name;
use super::by_name::by_name;
use super::operands::{CopyOperands, Extent, FileEffect, Touch, all, concat, placed, read_somewhere, within};
use super::options::{Given, given};
use super::programs::family;
use super::words::Word;

/// Letters and long names.
type Options = &'static [(char, &'static str)];

/// The effects of a program beyond its options.
type More = fn(&str, &Given<'_>) -> Vec<FileEffect>;

fn nothing(_: &str, _: &Given<'_>) -> Vec<FileEffect> {
    Vec::new()
}

/// Options whose value is a file that is written.
const FILES: &[(&[&str], Options, More)] = &[
    (
        &["curl"],
        &[
            ('D', "dump-header"),
            ('c', "cookie-jar"),
            (' ', "trace"),
            (' ', "trace-ascii"),
            (' ', "stderr"),
            (' ', "libcurl"),
            (' ', "etag-save"),
            (' ', "hsts"),
            (' ', "alt-svc"),
        ],
        |name, given| {
            let more = given.anywhere().into_iter().chain(saved(given));
            more.chain(fetched(name, given)).chain(sent(given)).collect()
        },
    ),
    (
        &["wget"],
        &[
            ('O', "output-document"),
            ('o', "output-file"),
            ('a', "append-output"),
            (' ', "save-cookies"),
            (' ', "rejected-log"),
            (' ', "hsts-file"),
        ],
        |name, given| given.anywhere().into_iter().chain(fetched(name, given)).chain(listed(given)).collect(),
    ),
    (&["gpg", "gpg2"], &[('o', "output")], nothing),
    (&["shuf", "sdiff", "iconv"], &[('o', "output")], nothing),
    (&["tree", "xmllint", "xsltproc", "pandoc"], &[('o', "output")], nothing),
    (&["less"], &[('o', "log-file"), ('O', "LOG-FILE")], nothing),
    (&["ssh"], &[('E', "")], nothing),
    (&["psql"], &[('o', "output"), ('L', "log-file")], nothing),
    (&["rsync"], &[(' ', "log-file"), (' ', "write-batch"), (' ', "only-write-batch")], copied),
    (&["scp"], &[], copied),
    (&["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd"], &[], packed),
    (&["zip"], &[], zipped),
    (&["perl", "ruby"], &[], edited),
];

/// The same for programs with long options that may have one dash; `true` means that the file may follow in the
/// same word without a `=`. Compilers come first.
const WORDS: &[(&[&str], &[&str], bool)] = &[
    (&["gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as", "rustc"], &["o", "MF", "dumpbase"], true),
    (&["go"], &["o", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"], false),
    (&["openssl"], &["out", "keyout", "writerand", "CAkeyout", "sigout"], false),
];

/// Returns true if the output is compiled from source code.
pub(super) fn builds(words: &[Word]) -> bool {
    let known = |word: &Word| by_name!(WORDS, 0).row(family(base_name(&word.value)));
    words.first().and_then(known).is_some_and(|row| row < 2)
}

/// The effects of a program, by its family.
pub(super) fn written(name: &str, words: &[Word]) -> Vec<FileEffect> {
    if let Some((_, names, glued)) = by_name!(WORDS, 0).row(name).and_then(|row| WORDS.get(row)) {
        return named(words, names, *glued);
    }
    let row = by_name!(FILES, 0).row(name).and_then(|row| FILES.get(row));
    let Some((_, options, more)) = row else { return Vec::new() };
    let given = given(name, words);
    let files = options.iter().flat_map(|(letter, long)| given.values(*letter, long));
    let files = files.filter(|word| word.value != "-");
    all(Touch::Write, files).chain(more(name, &given)).collect()
}

/// The files that a script edits in place; the first operand is the script.
fn edited(_: &str, given: &Given<'_>) -> Vec<FileEffect> {
    all(Touch::Write, given.but_first().filter(|_| given.has('i', ""))).collect()
}

/// The values of long options.
fn named(words: &[Word], names: &[&str], glued: bool) -> Vec<FileEffect> {
    let mut files = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let Some(option) = value.strip_prefix("--").or_else(|| value.strip_prefix('-')) else { continue };
        let name = option.split('=').next().unwrap_or(option);
        if names.contains(&option) {
            files.extend(rest.next().cloned());
        } else if names.contains(&name) {
            files.push(word.tail(value.len() - option.len() + name.len() + 1));
        } else if let Some(name) = names.iter().find(|name| option.starts_with(**name)).filter(|_| glued)
            && !value.starts_with("--")
        {
            files.push(word.tail(1 + name.len()));
        }
    }
    files.retain(|word| word.value != "-");
    all(Touch::Write, &files).collect()
}

/// The output file of curl.
fn saved(given: &Given<'_>) -> Vec<FileEffect> {
    let folder = given.values(' ', "output-dir").last();
    let files = given.values('o', "output").filter(|word| word.value != "-").map(|word| placed(folder, word));
    all(Touch::Write, &files.collect::<Vec<_>>()).collect()
}

/// Files that are downloaded under their own names, or any file in the folder if the server chooses the name.
fn fetched(name: &str, given: &Given<'_>) -> Vec<FileEffect> {
    let (folder, named, other) = if name == "curl" {
        let other = given.has('J', "remote-header-name");
        (given.values(' ', "output-dir"), given.has('O', "remote-name") || given.has(' ', "remote-name-all"), other)
    } else {
        let many = [('r', "recursive"), ('m', "mirror"), ('p', "page-requisites"), ('x', "force-directories")];
        let many = many.iter().any(|(letter, long)| given.has(*letter, long));
        let said = given.has(' ', "content-disposition") || given.has(' ', "trust-server-names");
        let list = given.has('i', "input-file");
        (given.values('P', "directory-prefix"), !given.has('O', "output-document"), many || said || list)
    };
    // A config file may contain any option.
    if given.has(if name == "curl" { 'K' } else { ' ' }, "config") {
        return vec![(Touch::Write, Word::somewhere(), Extent::Perhaps)];
    }
    if !named {
        return Vec::new();
    }
    let folder = folder.last().cloned().unwrap_or_else(|| Word::literal("."));
    // curl has its own globs and other ways to write names.
    let odd = |word: &&Word| word.is_dynamic() || word.value.contains(['[', '{', '%']);
    if other || given.operands.iter().copied().any(|word| odd(&word)) {
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

/// Files that list the addresses of wget, or that it uploads.
fn listed(given: &Given<'_>) -> Vec<FileEffect> {
    let files = [('i', "input-file"), (' ', "post-file"), (' ', "body-file")];
    all(Touch::Read, files.iter().flat_map(|(letter, long)| given.values(*letter, long))).collect()
}

/// Local files that curl reads: `file:` addresses and uploads. Its own globs are not expanded.
fn sent(given: &Given<'_>) -> Vec<FileEffect> {
    let globs = |word: &Word| word.value.contains(['[', '{', '%']);
    let addresses = given.operands.iter().copied().chain(given.values(' ', "url"));
    let address = |word: &Word| {
        let scheme = word.value.split(':').next().unwrap_or_default();
        let from = word.value.find("://").map_or(scheme.len() + 1, |at| at + 3);
        let from = from + word.value.get(from..)?.find('/')?;
        if scheme.eq_ignore_ascii_case("file") {
            return Some(if globs(word) { read_somewhere() } else { (Touch::Read, word.tail(from), Extent::Itself) });
        }
        (scheme.len() < word.value.len() && scheme.contains(['[', '{'])).then(read_somewhere)
    };
    let uploads = given.values('T', "upload-file").filter(|word| !matches!(word.value.as_str(), "-" | "."));
    let upload = |word: &Word| {
        if globs(word) { read_somewhere() } else { (Touch::Read, word.clone(), Extent::Itself) }
    };
    let data = ["data", "data-ascii", "data-binary", "json"];
    let data = given.values('d', "").chain(data.iter().flat_map(|long| given.values(' ', long)));
    let encoded = given.all().filter(|option| option.word.value.starts_with("--data-u"));
    let encoded = encoded.filter_map(|option| option.value.as_ref());
    let forms = given.values('F', "form").chain(encoded).filter_map(|word| Some((word, word.value.find(['@', '<'])?)));
    let whole = data.filter(|word| word.value.starts_with('@')).map(|word| (word, 0));
    let parts = forms.chain(whole).map(|(word, at)| {
        let mut file = word.tail(at + 1);
        let end = file.value.find([';', ',']).filter(|_| file.spans.is_empty()).unwrap_or(file.value.len());
        file.value.truncate(end);
        (Touch::Read, file, Extent::Itself)
    });
    // The address may contribute a part of the name.
    let numbered = given.values('o', "output").any(|word| word.value.contains('#'));
    let any = given.has(' ', "proto-default").then(read_somewhere);
    let written = numbered.then(|| (Touch::Write, Word::somewhere(), Extent::Perhaps));
    addresses.filter_map(address).chain(uploads.map(upload)).chain(parts).chain(any).chain(written).collect()
}

/// The sources and targets of a copy between machines.
fn copied(_: &str, given: &Given<'_>) -> Vec<FileEffect> {
    let Some((target, sources)) = given.operands.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        return Vec::new();
    };
    if given.only('n', "dry-run") || given.only(' ', "list-only") {
        return Vec::new();
    }
    let local: Vec<_> = sources.iter().copied().filter(|word| host(word).is_none()).collect();
    let gone = local.iter().filter(|_| given.has(' ', "remove-source-files"));
    let gone =
        gone.flat_map(|word| [Extent::Itself, Extent::Below].map(|extent| (Touch::Delete, (*word).clone(), extent)));
    let made = if host(target).is_some() {
        Vec::new()
    } else {
        CopyOperands::of(given).fetched(|word| host(word).unwrap_or(0))
    };
    all(Touch::Read, local.iter().copied()).chain(made).chain(gone).collect()
}

/// The position of the path after a host name; absent if there is no host name.
fn host(word: &Word) -> Option<usize> {
    let at = word.value.find(':')?;
    word.value.get(..at).is_some_and(|host| !host.contains('/')).then_some(at + 1)
}

/// Files that are replaced by files with an extension added or removed.
fn packed(name: &str, given: &Given<'_>) -> Vec<FileEffect> {
    if given.has('c', "stdout") || given.has('l', "list") || given.has('t', "test") {
        return Vec::new();
    }
    let opens =
        name.starts_with("gun") || name.starts_with("bun") || name.starts_with("un") || given.has('d', "decompress");
    let ends = ["gz", "bz2", "xz", "zst", "lzma", "tgz", "Z"];
    let other = |word: &Word| {
        if opens {
            let stem = ends.iter().find_map(|end| word.value.strip_suffix(end)?.strip_suffix('.'));
            return stem.filter(|_| !word.is_dynamic()).map_or_else(Word::somewhere, Word::literal);
        }
        let end = match name.get(..2) {
            Some("gz") => ".gz",
            Some("bz") => ".bz2",
            Some("xz") => ".xz",
            _ => ".zst",
        };
        concat(word, &Word::literal(end))
    };
    let stays = (given.has('k', "keep") || name.contains("zst")) && !given.has(' ', "rm");
    let one = |word: &Word| {
        let gone = (!stays).then(|| (Touch::Delete, word.clone(), Extent::Itself));
        let made = (Touch::Write, other(word), if opens { Extent::Perhaps } else { Extent::Itself });
        gone.into_iter().chain([made])
    };
    let below = given.operands.iter().filter(|_| given.has('r', "recursive"));
    let below = below.map(|word| (Touch::Delete, (*word).clone(), Extent::Below));
    let named = all(Touch::Write, given.values('o', "")).collect::<Vec<_>>();
    let folders = given.values(' ', "output-dir-flat").chain(given.values(' ', "output-dir-mirror"));
    let folders: Vec<_> = folders.map(|word| (Touch::Write, word.clone(), Extent::Below)).collect();
    let files = given.operands.iter().filter(|word| word.value != "-");
    files.flat_map(|word| one(word)).chain(below).chain(named).chain(folders).collect()
}

/// An archive, with the default extension if it has none, and the files added to it.
fn zipped(_: &str, given: &Given<'_>) -> Vec<FileEffect> {
    let Some((archive, files)) = given.operands.split_first() else { return Vec::new() };
    let archive = [(*archive).clone(), concat(archive, &Word::literal(".zip"))];
    let made = archive.into_iter().filter(|word| word.value != "-").map(|word| (Touch::Write, word, Extent::Itself));
    let gone = files.iter().filter(|_| given.has('m', "move"));
    let gone =
        gone.flat_map(|word| [Extent::Itself, Extent::Below].map(|extent| (Touch::Delete, (*word).clone(), extent)));
    made.chain(gone).collect()
}
