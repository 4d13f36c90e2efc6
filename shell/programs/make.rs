//! `make`.

use super::code::Found;
use super::inside::Inside;
use super::program::{Call, Loads, Program};
use super::spellings::each_target;
use crate::devices::is_input;
use crate::options::{Given, OptionSpec};
use crate::words::{Expands, Word};

pub(super) const PROGRAMS: &[Program] = &[Program {
    options: OptionSpec::new(
        "CfIoWE",
        &[
            "file",
            "makefile",
            "directory",
            "eval",
            "include-dir",
            "old-file",
            "assume-old",
            "what-if",
            "new-file",
            "assume-new",
        ],
        &["jobs", "load-average", "max-load", "output-sync", "debug", "shuffle"],
    )
    .glued("jlO"),
    inside: variables,
    code: |call| call.says(code(call.given())),
    has_subcommands: true,
    spellings: |call| each_target(call, "make"),
    loads: Loads {
        arguments: true,
        names: &["Makefile", "makefile", "GNUmakefile"],
        parts: &["makefile"],
        ..Loads::NOTHING
    },
    ..Program::of(&["make"])
}];

/// Finds the code that `make` runs: a makefile on standard input, or the value of `--eval`.
fn code<'g>(given: &'g Given<'_>) -> Found<'g> {
    if let Some(word) = given.unsure {
        return Err(word);
    }
    for option in given.all() {
        if option.is('E', "eval") {
            return Ok(Some(option.word));
        }
        let file = option.is('f', "file") || option.is('f', "makefile");
        if file && option.value.as_ref().is_none_or(|file| file.is_dynamic() || is_input(&file.value)) {
            return Err(option.word);
        }
    }
    // The makefile decides which variables are run as commands or contain function calls.
    let runs = |word: &&&Word| {
        let Some((name, value)) = word.value.split_once('=') else { return false };
        let set = name.trim_end_matches([':', '?', '+', ' ', '\t']).trim_start().trim_start_matches("override ").trim();
        // Spans are in order, and a nested span ends with its outer span.
        let mut spans = word.spans.iter().peekable();
        let mut own = |at: usize| {
            while spans.next_if(|span| span.end <= at).is_some() {}
            spans.peek().is_none_or(|span| span.start > at)
        };
        let called = value.match_indices(['$', '`']).any(|(at, _)| own(name.len() + 1 + at));
        called
            || name.ends_with('!')
            || name.contains('!')
            || matches!(set, "SHELL" | ".SHELLFLAGS" | "MAKEFLAGS" | "GNUMAKEFLAGS" | "MAKEFILES")
    };
    Ok(given.operands.iter().find(runs).copied())
}

/// The variables given to `make`. A rule may start with any of them; the built-in rules start with `CC`.
fn variables(call: &Call<'_>) -> Inside {
    let mut values = Vec::new();
    for word in &call.given().operands {
        let Some(at) = word.value.find('=') else { continue };
        let value = word.tail(at + 1);
        let (mut known, mut from) = (String::with_capacity(value.value.len()), 0);
        for span in &value.spans {
            known.push_str(value.value.get(from..span.start).unwrap_or_default());
            known.push_str(match span.what {
                Expands::Home => "~",
                Expands::Cwd => ".",
                Expands::Number => "1",
                Expands::Found | Expands::Other => return call.hides_commands(word),
            });
            from = span.end;
        }
        known.push_str(value.value.get(from..).unwrap_or_default());
        // Prefixes that make removes from a line.
        let lines = known.lines().map(|line| line.trim_start_matches(['@', '-', '+', ' ', '\t']));
        let text = lines.collect::<Vec<_>>().join("\n");
        // A text that make expands is code.
        if !text.is_empty() && !text.contains(['$', '`']) {
            values.push(text);
        }
    }
    Inside { values, ..Inside::default() }
}
