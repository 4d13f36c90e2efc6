//! The code that a command runs beside its own program (B1, B3), and how it is found in arguments.

use crate::options::{Given, Opt, long};
use crate::words::Word;

/// The code that a command runs beside its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InlineCode {
    Plain,
    /// Code in an argument; only a rule that contains the whole command can allow it.
    Opaque(String),
    /// The command cannot be analysed.
    Not(String),
}

/// The word that contains code, if any. `Err` is a word that could expand to anything.
pub(super) type Found<'w> = Result<Option<&'w Word>, &'w Word>;

/// Finds an option that names a program or contains code. `Err` is a word that may expand to such an option.
pub(super) fn option<'g>(given: &'g Given<'_>, letters: &str, longs: &[&str]) -> Found<'g> {
    if let Some(word) = given.unsure {
        return Err(word);
    }
    let runs = |option: &&Opt<'_>| {
        letters.chars().any(|letter| option.is(letter, "")) || longs.iter().any(|long| option.is(' ', long))
    };
    Ok(given.all().find(runs).map(|option| option.word))
}

/// Finds an option, with one or two dashes, that names a program or contains code, or a word with one of the marks.
/// Names are compared literally; marks also count after `--`.
pub(super) fn named<'w>(words: &'w [Word], options: &[&str], marks: &[&str]) -> Option<&'w Word> {
    let own = words.iter().take_while(|word| word.value != "--").find(|word| is_option(word, options));
    own.or_else(|| words.iter().find(|word| marks.iter().any(|mark| word.value.contains(mark))))
}

/// Returns true for one of these options, with one or two dashes.
pub(super) fn is_option(word: &Word, options: &[&str]) -> bool {
    let single = word.value.strip_prefix('-').and_then(|option| option.split('=').next());
    long(&word.value, options) || single.is_some_and(|option| options.contains(&option))
}
