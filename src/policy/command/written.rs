//! Files that a command writes and then runs.

use std::rc::Rc;

use super::forms::{is_shell, runs_files};
use super::operands::Touch;
use super::touch::Touched;
use super::words::Word;
use super::{Part, base_name};

/// A program or script that the command itself writes: nobody can know what it is when it runs.
pub(super) fn run_by(parts: &[Rc<Part>], touched: &[Touched]) -> Option<String> {
    let written = touched.iter().filter(|touched| matches!(touched.touch, Touch::Write | Touch::MoveTo));
    let written: Vec<&str> = written.map(|touched| base_name(&touched.shown)).filter(|name| !name.is_empty()).collect();
    if written.is_empty() {
        return None;
    }
    let stem = |name: &'_ str| name.split_once('.').map_or(name.to_owned(), |(stem, _)| stem.to_owned());
    let own = |word: &Word| {
        let name = base_name(&word.value);
        written.iter().any(|file| *file == name || (!name.is_empty() && stem(file) == name))
    };
    parts.iter().find_map(|part| {
        let (program, rest) = part.words.split_first()?;
        let name = base_name(&program.value);
        let starts = written.iter().any(|file| reads_at_start(name, file));
        let found = Some(program).filter(|program| program.value.contains('/') && own(program));
        let found = found.or_else(|| rest.iter().filter(|_| runs_files(name)).find(|word| own(word)));
        found.or(Some(program).filter(|_| starts)).map(|word| format!("`{}`", word.value))
    })
}

/// Whether a program runs what stands in a file of this name without being told to.
fn reads_at_start(program: &str, file: &str) -> bool {
    match program {
        "make" | "gmake" => file.to_ascii_lowercase().contains("makefile"),
        "git" => matches!(file, "config" | ".gitconfig"),
        program if is_shell(program) => [".bash", ".z", ".profile", ".kshrc", ".mkshrc", ".shinit", ".env"]
            .iter()
            .any(|start| file.starts_with(start)),
        _ => false,
    }
}
