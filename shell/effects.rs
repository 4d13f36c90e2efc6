//! The effects of commands on files (B10). Only deny and ask rules use those of known programs, because a program without
//! an entry may open any file.

use crate::words::{Expands, Word};

/// The effect of a command on a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Touch {
    /// Reads the file.
    Read,
    /// Writes the file, or anything in the folder.
    Write,
    /// Creates a folder and changes no file.
    Make,
    /// Removes the file or folder.
    Delete,
    /// Takes it away under its old name.
    MoveFrom,
    /// Puts it to its new name.
    MoveTo,
    /// A word may name the file, and the program may change it.
    Name,
    /// The same for a program that only takes the rights of others away, which no rule is about.
    Restrict,
    /// A word may name the file, and the program may read it.
    MayRead,
}

impl Touch {
    /// The effect of the same program on a word that may name a file: [`Touch::Name`], [`Touch::MayRead`] or
    /// [`Touch::Restrict`].
    pub(super) fn possible(self) -> Self {
        match self {
            Self::Read | Self::Make | Self::MayRead => Self::MayRead,
            Self::Restrict => Self::Restrict,
            _ => Self::Name,
        }
    }
}

/// The part of a path that is affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// The path itself.
    Itself,
    /// It is unknown whether the path is touched at all.
    Perhaps,
    /// Unknown files below the path.
    Below,
    /// The same if the path is a folder, which it usually is not.
    Folder,
    /// All files below the path if it is a folder. They are read, and so is the path itself.
    Walked,
    /// The same without the files that `.gitignore` excludes.
    Unignored,
    /// The same without hidden files as well.
    Visible,
    /// Unknown files in the whole working tree that contains the path.
    Tree,
}

impl Extent {
    /// Returns true if a program walks the folder and reads the files in it.
    pub fn is_walked(self) -> bool {
        matches!(self, Self::Walked | Self::Unignored | Self::Visible)
    }
}

/// One effect of a command on a path.
pub(super) type FileEffect = (Touch, Word, Extent);

/// Applies the same effect to every word.
pub(super) fn all<'w>(touch: Touch, words: impl IntoIterator<Item = &'w Word>) -> impl Iterator<Item = FileEffect> {
    words.into_iter().map(move |word| (touch, word.clone(), Extent::Itself))
}

/// Removes files, and folders with everything in them.
pub(super) fn removed<'w>(words: impl IntoIterator<Item = &'w Word>) -> impl Iterator<Item = FileEffect> {
    let one = |word: &Word| [Extent::Itself, Extent::Below].map(|extent| (Touch::Delete, word.clone(), extent));
    words.into_iter().flat_map(one)
}

/// A read of an unknown file.
pub(super) fn read_somewhere() -> FileEffect {
    (Touch::Read, Word::somewhere(), Extent::Itself)
}

/// Writes to unknown files below a folder.
pub(super) fn written_below(folder: Word) -> FileEffect {
    (Touch::Write, folder, Extent::Below)
}

/// Reads the files in each folder that a word names.
pub(super) fn walked<'w>(
    extent: Extent,
    words: impl IntoIterator<Item = &'w Word>,
) -> impl Iterator<Item = FileEffect> {
    words.into_iter().map(move |word| (Touch::Read, word.clone(), extent))
}

/// The paths that a program finds below a folder: all of them, or those with a name.
pub(super) fn found(folder: &Word, name: Option<&Word>) -> Word {
    let mut below = within(folder, &Word::default());
    let from = below.value.len();
    below.value.push_str("{}");
    below.expands(from, Expands::Found, true, None);
    name.map_or_else(|| below.clone(), |name| within(&below, name))
}

/// Every path in one folder that starts with a prefix.
pub(super) fn begun(prefix: &Word) -> FileEffect {
    let star = Word { value: "*".to_owned(), glob: true, ..Word::default() };
    (Touch::Write, concat(prefix, &star), Extent::Perhaps)
}

/// Joins the folder options in order; without any, the working directory.
pub(super) fn folder<'w>(named: impl Iterator<Item = &'w Word>) -> Word {
    named.fold(None, |folder, word| Some(placed(folder.as_ref(), word))).unwrap_or_else(|| Word::literal("."))
}

/// The words that are not `-`.
pub(super) fn named<'w>(words: impl Iterator<Item = &'w Word>) -> impl Iterator<Item = &'w Word> {
    words.filter(|word| word.value != "-")
}

/// The last component of a path; the whole path if the start of the component is unknown.
pub(super) fn last(word: &Word) -> Word {
    if word.is_dynamic() && !word.spans.is_empty() {
        return word.clone();
    }
    let mut word = word.clone();
    word.value.truncate(word.value.trim_end_matches('/').len());
    let from = word.value.rfind('/').map_or(0, |at| at + 1);
    word.tail(from)
}

/// Joins a path to the folder that it is relative to.
pub(super) fn placed(folder: Option<&Word>, word: &Word) -> Word {
    match folder {
        Some(folder) if !word.value.starts_with('/') && !word.tilde && folder.value != "." => within(folder, word),
        _ => word.clone(),
    }
}

/// Joins a name to a folder.
pub(super) fn within(folder: &Word, name: &Word) -> Word {
    let mut word = folder.clone();
    word.value.truncate(word.value.trim_end_matches('/').len());
    word.value.push('/');
    concat(&word, name)
}

/// Concatenates two words.
pub(super) fn concat(word: &Word, name: &Word) -> Word {
    let mut word = word.clone();
    let moved = word.value.len();
    word.value.push_str(&name.value);
    word.spans.extend(name.spans.iter().cloned().map(|mut span| {
        span.start += moved;
        span.end += moved;
        span
    }));
    word.glob |= name.glob;
    word.literal |= name.literal;
    word.quoted |= name.quoted;
    word.brackets = word.brackets.max(name.brackets);
    word.unseen = false;
    word
}
