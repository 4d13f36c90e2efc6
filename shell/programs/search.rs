//! `grep` and its relatives.

use super::code::option;
use super::program::{Call, Program, TextWords};
use crate::effects::Extent;
use crate::options::OptionSpec;
use crate::words::Word;

const TEXTS: TextWords = TextWords {
    first: Some(&[('e', "regexp"), ('f', "file")]),
    options: &[('e', "regexp"), (' ', "exclude"), (' ', "include"), ('g', "glob")],
    ..TextWords::NONE
};

/// The long options of `grep`: with a value, and without one.
#[rustfmt::skip]
const GREP: [&[&str]; 2] = [
    &[
        "regexp", "file", "max-count", "after-context", "before-context", "context", "label", "binary-files", "include",
        "exclude", "exclude-from", "exclude-dir", "devices", "directories", "group-separator",
    ],
    &[
        "color", "colour", "files-with-matches", "files-without-match", "basic-regexp", "binary", "byte-offset", "count",
        "dereference-recursive", "extended-regexp", "fixed-strings", "ignore-case", "initial-tab", "invert-match",
        "line-buffered", "line-number", "line-regexp", "no-filename", "no-group-separator", "no-ignore-case",
        "no-messages", "null", "null-data", "only-matching", "perl-regexp", "quiet", "recursive", "silent", "text",
        "with-filename", "word-regexp",
    ],
];

/// The long options of `rg`, likewise.
#[rustfmt::skip]
const RG: [&[&str]; 2] = [
    &[
        "regexp", "file", "glob", "max-count", "type", "type-not", "iglob", "after-context", "before-context", "context",
        "color", "colors", "context-separator", "dfa-size-limit", "encoding", "engine", "field-context-separator",
        "field-match-separator", "generate", "hostname-bin", "hyperlink-format", "ignore-file", "max-columns", "max-depth",
        "maxdepth", "max-filesize", "path-separator", "pre", "pre-glob", "regex-size-limit", "replace", "sort", "sortr",
        "threads", "type-add", "type-clear",
    ],
    &[
        "files", "block-buffered", "byte-offset", "case-sensitive", "column", "count", "count-matches", "crlf",
        "files-with-matches", "files-without-match", "fixed-strings", "follow", "heading", "hidden", "ignore-case",
        "include-zero", "invert-match", "json", "line-buffered", "line-number", "line-regexp", "mmap", "multiline",
        "multiline-dotall", "no-config", "no-filename", "no-heading", "no-hidden", "no-ignore", "no-line-number",
        "no-messages", "no-mmap", "null", "null-data", "one-file-system", "only-matching", "passthru", "pcre2", "pretty",
        "quiet", "search-zip", "smart-case", "stats", "text", "trim", "type-list", "unrestricted", "vimgrep",
        "with-filename", "word-regexp",
    ],
];

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new("efmABCdD", GREP[0], GREP[1]),
        reads: &[('f', "file")],
        walks: |call| {
            let given = call.given();
            let recurses = |value: &Word| value.is_dynamic() || "recurse".starts_with(&value.value);
            let directories = given.values('d', "directories").any(recurses);
            let recursive = given.has('r', "recursive") || given.has('R', "dereference-recursive") || directories;
            recursive.then_some(Extent::Walked)
        },
        walks_only: |call| {
            let given = call.given();
            // With `--exclude`, grep may also read files that neither option names.
            let excludes = given.has(' ', "exclude") || given.has(' ', "exclude-from");
            if excludes { Vec::new() } else { names(given.values(' ', "include")) }
        },
        texts: |_| &TEXTS,
        ..Program::reader(&["grep", "egrep", "fgrep", "zgrep"])
    },
    Program {
        options: OptionSpec::new("efgmtTABCEMdjr", RG[0], RG[1]),
        code: |call| call.says(option(call.given(), "", &["pre", "hostname-bin"])),
        reads: &[('f', "file")],
        walks: |call| {
            let given = call.given();
            let lists = given.has(' ', "files") || given.has(' ', "type-list");
            let no_ignore = call.arguments.iter().any(|word| word.value.starts_with("--no-ignore"));
            // A file that matches a glob is searched even if it is hidden or ignored.
            let names = given.values('g', "glob").any(|glob| !glob.value.starts_with('!')) || given.has(' ', "iglob");
            let whole = no_ignore || names || given.has('u', "unrestricted");
            let extent = match (whole, given.has('.', "hidden") || given.has('t', "type")) {
                (true, _) => Extent::Walked,
                // `-t` also searches hidden files of that type.
                (_, true) => Extent::Unignored,
                _ => Extent::Visible,
            };
            searched(call, extent).filter(|_| !lists)
        },
        walks_only: |call| {
            let ignores_case = |word: &Word| word.value.starts_with("--iglob") || word.value.starts_with("--glob-case");
            let globs = call.given().values('g', "glob").filter(|glob| !glob.value.starts_with('!'));
            if call.arguments.iter().any(ignores_case) { Vec::new() } else { names(globs) }
        },
        texts: |_| &TEXTS,
        ..Program::reader(&["rg"])
    },
    Program {
        walks: |call| searched(call, Extent::Walked),
        texts: |_| &TEXTS,
        ..Program::reader(&["ag", "ack", "ugrep", "ug", "pt", "sift"])
    },
];

/// Returns `None` for a search of standard input: a call that has an input and no file or folder.
fn searched(call: &Call<'_>, extent: Extent) -> Option<Extent> {
    let reads_input = call.is_fed && call.given().operands.len() < 2;
    (!reads_input).then_some(extent)
}

/// Returns the globs with their lists in braces expanded. Returns none of them if one is not just a name.
fn names<'w>(globs: impl Iterator<Item = &'w Word>) -> Vec<Word> {
    let name = |value: String| Word { value, glob: true, ..Word::default() };
    let is_name = |glob: &Word| glob.spans.is_empty() && !glob.unseen && !glob.value.contains(['/', '\\', '[', '!']);
    let all = globs.map(|glob| if is_name(glob) { alternatives(&glob.value) } else { None });
    all.collect::<Option<Vec<_>>>().unwrap_or_default().into_iter().flatten().map(name).collect()
}

/// Expands a list in braces: `*.{a,b}` gives `*.a`, `*.b` and, because not every program expands braces, the text itself. Returns
/// `None` if there is a second list, or a range such as `{a..c}`.
fn alternatives(glob: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = glob.split_once('{') else { return Some(vec![glob.to_owned()]) };
    if rest.contains('{') || rest.contains("..") {
        return None;
    }
    let (list, behind) = rest.split_once('}')?;
    let named = list.split(',').map(|one| [before, one, behind].concat());
    Some(named.chain([glob.to_owned()]).collect())
}
