//! Files that a command writes and then runs: nobody can know what they are when it runs them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::forms::{is_shell, runs_files};
use super::operands::Touch;
use super::touch::Touched;
use super::words::Word;
use super::{Part, base_name};

/// The program or script that a command writes itself.
pub(super) fn run_by(parts: &[Rc<Part>], touched: &[Touched]) -> Option<String> {
    let written = touched.iter().filter(|touched| matches!(touched.touch, Touch::Write | Touch::MoveTo));
    let mut names: BTreeSet<&str> =
        written.map(|touched| base_name(&touched.shown)).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return None;
    }
    let start = ["make", "git", "sh"].map(|program| names.iter().any(|file| reads_at_start(program, file)));
    // A module is named without its ending.
    let stems: Vec<&str> = names.iter().filter_map(|name| Some(name.split_once('.')?.0)).collect();
    names.extend(stems.into_iter().filter(|stem| !stem.is_empty()));
    let own = |word: &Word| names.contains(base_name(&word.value));
    parts.iter().find_map(|part| {
        let (program, rest) = part.words.split_first()?;
        let name = base_name(&program.value);
        let kinds = [matches!(name, "make" | "gmake"), name == "git", is_shell(name)];
        let starts = kinds.iter().zip(start).any(|(is, reads)| *is && reads);
        let found = Some(program).filter(|program| program.value.contains('/') && own(program));
        let found = found.or_else(|| rest.iter().filter(|_| runs_files(name)).find(|word| own(word)));
        found.or(Some(program).filter(|_| starts)).map(|word| format!("`{}`", word.value))
    })
}

/// Whether a program runs what stands in a file of this name without being told to.
fn reads_at_start(program: &str, file: &str) -> bool {
    match program {
        "make" => file.to_ascii_lowercase().contains("makefile"),
        "git" => matches!(file, "config" | ".gitconfig"),
        _ => [".bash", ".z", ".profile", ".kshrc", ".mkshrc", ".shinit", ".env"].iter().any(|s| file.starts_with(s)),
    }
}
