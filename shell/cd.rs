//! The effect of `cd` and its relatives on the folder in which later commands run.

use super::words::Word;

/// The effect of a command on the working directory of the shell.
pub(super) enum Move {
    Stay,
    To(Word),
    Somewhere,
}

/// The target of a `cd`.
pub(super) fn moved(words: &[Word]) -> Move {
    let skipped = words.iter().take_while(|word| matches!(word.value.as_str(), "builtin" | "command")).count();
    let Some((program, rest)) = words.get(skipped..).and_then(<[Word]>::split_first) else { return Move::Stay };
    match program.value.as_str() {
        "pushd" if rest.is_empty() => return Move::Somewhere,
        "cd" | "chdir" | "pushd" => {}
        // A file that is read as commands may move too.
        "popd" | "source" | "." => return Move::Somewhere,
        _ => return Move::Stay,
    }
    // `..` after a symbolic link cannot be resolved from the path alone.
    let mut rest = rest.iter().skip_while(|word| matches!(word.value.as_str(), "-L" | "--"));
    match (rest.next(), rest.next()) {
        (None, _) => Move::To(Word { value: "~".to_owned(), tilde: true, ..Word::default() }),
        (Some(word), None) if !word.value.starts_with('-') && !word.glob && !word.brace => Move::To(word.clone()),
        _ => Move::Somewhere,
    }
}

/// Returns true for the builtin that reads a file as commands, which may move too.
pub(super) fn is_source(program: &str) -> bool {
    matches!(program, "source" | ".")
}

/// Returns true for a builtin that changes the directory.
pub(super) fn is_cd(program: &str) -> bool {
    matches!(program, "cd" | "chdir" | "pushd" | "popd")
}
