//! `curl`.

use super::program::{OptionNames, Program};
use super::wget::saved_as;
use crate::effects::{Extent, FileEffect, Touch, all, placed, read_somewhere};
use crate::options::{Given, OptionSpec};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program {
    options: OptionSpec::new(
        "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
        &[
            "output",
            "output-dir",
            "dump-header",
            "cookie-jar",
            "trace",
            "trace-ascii",
            "stderr",
            "libcurl",
            "etag-save",
            "hsts",
            "alt-svc",
            "header",
            "data",
            "data-ascii",
            "data-binary",
            "data-raw",
            "data-urlencode",
            "json",
            "form",
            "form-string",
            "user",
            "user-agent",
            "referer",
            "cookie",
            "request",
            "url",
            "max-time",
            "connect-timeout",
            "write-out",
            "proxy",
            "cacert",
            "config",
        ],
        &["head"],
    ),
    writes: WRITTEN,
    touches: |call| {
        let given = call.given();
        given.anywhere().into_iter().chain(saved(given)).chain(fetched(given)).chain(sent(given)).collect()
    },
    only_handles_files: true,
    ..Program::of(&["curl"])
}];

const WRITTEN: &[OptionNames] = &[
    ('D', "dump-header"),
    ('c', "cookie-jar"),
    (' ', "trace"),
    (' ', "trace-ascii"),
    (' ', "stderr"),
    (' ', "libcurl"),
    (' ', "etag-save"),
    (' ', "hsts"),
    (' ', "alt-svc"),
];

/// Files that are downloaded under their own names, or any file in the folder if the server chooses the name.
fn fetched(given: &Given<'_>) -> Vec<FileEffect> {
    // A config file may contain any option.
    if given.has('K', "config") {
        return vec![(Touch::Write, Word::somewhere(), Extent::Perhaps)];
    }
    if !(given.has('O', "remote-name") || given.has(' ', "remote-name-all")) {
        return Vec::new();
    }
    saved_as(given, given.values(' ', "output-dir").last(), given.has('J', "remote-header-name"))
}

/// The output file of curl.
fn saved(given: &Given<'_>) -> Vec<FileEffect> {
    let folder = given.values(' ', "output-dir").last();
    let files = given.values('o', "output").filter(|word| word.value != "-").map(|word| placed(folder, word));
    all(Touch::Write, &files.collect::<Vec<_>>()).collect()
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
