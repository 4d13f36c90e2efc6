//! Database clients.

use super::code::InlineCode;
use super::program::{Call, Program};
use crate::options::OptionSpec;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program { code: sqlite, runs_input: true, ..Program::of(&["sqlite"]) },
    Program {
        options: OptionSpec::new(
            "cdfvoFLPRThpU",
            &["command", "dbname", "file", "set", "variable", "output", "log-file", "host", "port", "username"],
            &[],
        ),
        code: |call| call.says(Ok(client(call.arguments, &["\\", "program"]))),
        runs_input: true,
        writes: &[('o', "output"), ('L', "log-file")],
        ..Program::of(&["psql"])
    },
    Program {
        code: |call| {
            let marks = ["\\", "system", "pager", "tee", "source", "edit", "outfile", "dumpfile"];
            call.says(Ok(client(call.arguments, &marks)))
        },
        runs_input: true,
        ..Program::of(&["mysql", "mariadb"])
    },
];

fn sqlite(call: &Call<'_>) -> InlineCode {
    let is_command = |word: &Word| word.value.starts_with('.') || word.value.contains("\n.") || word.is_dynamic();
    let marks = ["writefile", "readfile", "fsdir", "load_extension", "edit", "-init"];
    let found = call.arguments.iter().find(|word| is_command(word));
    call.says(Ok(found.or_else(|| client(call.arguments, &marks))))
}

/// Finds the word that makes a database client run a program or write a file.
fn client<'w>(words: &'w [Word], marks: &[&str]) -> Option<&'w Word> {
    words.iter().find(|word| {
        let text = word.value.to_ascii_lowercase();
        marks.iter().any(|mark| has_name(&text, mark))
    })
}

/// Returns true if a text contains a name that is not part of a longer name.
fn has_name(text: &str, name: &str) -> bool {
    let named = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let edge = |c: Option<char>| !c.is_some_and(named);
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (text.get(..at), text.get(at + name.len()..));
        let (first, last) = (name.chars().next(), name.chars().next_back());
        let begins = edge(first) || edge(before.and_then(|before| before.chars().next_back()));
        begins && (edge(last) || edge(behind.and_then(|behind| behind.chars().next())))
    })
}
