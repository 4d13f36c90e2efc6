//! `apply_patch`: edits inside a shell command.
//!
//! Codex takes such a command out of the shell and applies the patch in its own process. It looks for the
//! name in the raw text and reads the body of the here-document unexpanded, with a parser that is not the
//! shell's. So each text with such a command is searched for file headers line by line, which finds at least
//! what Codex and the shell would find, and a text in which the two could differ is refused.

use std::rc::Rc;

use super::effects::Touch;
use super::touched_paths::{Base, CommandPath, Touched};
use super::words::Word;

/// The names of the programs that apply the patch in a command.
pub const NAMES: &[&str] = &["apply_patch", "applypatch"];
const BEGIN: &str = "*** Begin Patch";

/// The headers of a patch that name a file. A move has the new name of the file before it.
const HEADERS: [(&str, Touch); 4] = [
    ("*** Add File: ", Touch::Write),
    ("*** Update File: ", Touch::Write),
    ("*** Delete File: ", Touch::Delete),
    ("*** Move to: ", Touch::MoveTo),
];

/// A file that a patch changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchOperation {
    touch: Touch,
    path: String,
}

/// Returns true if Codex may read a word as such a program. Its parser treats more characters as blanks than a
/// shell does.
pub(super) fn is_named(word: &str) -> bool {
    NAMES.iter().any(|name| word.contains(name))
}

/// The files that a patch changes; empty if the text is not a patch.
///
/// # Errors
///
/// The text starts a patch that names no file.
pub(super) fn files(text: &str) -> Result<Vec<PatchOperation>, String> {
    if !begins(text) {
        return Ok(Vec::new());
    }
    let actions = patched(text).or_else(|| patched(&text.replace("\\n", "\n")));
    actions.ok_or_else(|| "the patch names no file".to_owned())
}

/// The files in the headers of a patch; `None` if it has none. Every line may be indented, and the rest of a header is the
/// path, as Codex reads it.
fn patched(text: &str) -> Option<Vec<PatchOperation>> {
    let mut files: Vec<PatchOperation> = Vec::new();
    let mut updated = false;
    for line in text.split('\n').map(str::trim) {
        let header = HEADERS.iter().find_map(|(start, touch)| Some((*start, *touch, line.strip_prefix(start)?)));
        let Some((start, touch, path)) = header else { continue };
        let old_name = files.last().filter(|_| updated && touch == Touch::MoveTo).map(|file| file.path.clone());
        let touch = if touch == Touch::MoveTo && old_name.is_none() { Touch::Write } else { touch };
        files.extend(old_name.map(|path| PatchOperation { touch: Touch::MoveFrom, path }));
        updated = start == "*** Update File: ";
        files.push(PatchOperation { touch, path: path.to_owned() });
    }
    (!files.is_empty()).then_some(files)
}

/// Returns true if a patch may start in a text.
pub(super) fn begins(text: &str) -> bool {
    text.contains(BEGIN)
}

/// The same for the text of a command, whose patch is a here-document or the output of another command.
///
/// # Errors
/// Codex may find other files in the patch than a shell would.
pub(super) fn files_of_script(text: &str) -> Result<Vec<PatchOperation>, String> {
    let actions = files(text)?;
    if let Some(at) = text.find("<<").filter(|_| !actions.is_empty()) {
        let rest = text.get(at..).unwrap_or_default().trim_start_matches(['<', '-', ' ', '\t']);
        if !rest.starts_with(['\'', '"', '\\']) && rest.contains(['$', '`']) {
            return Err("the here-document has expansions; quote its delimiter, as in <<'EOF'".to_owned());
        }
    }
    Ok(actions)
}

/// The folder in which Codex applies the patch of a text; absent for its working directory.
///
/// # Errors
/// Codex may interpret the `cd` at the start of the text differently than a shell.
fn folder(text: &str) -> Result<Option<&str>, String> {
    let end = NAMES.iter().filter_map(|name| text.find(name)).min().unwrap_or(text.len());
    let before = text.get(..end).unwrap_or_default();
    if !before.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "cd") {
        return Ok(None);
    }
    let plain = |c: char| c.is_alphanumeric() || "/._-+@:,%=".contains(c);
    let folder = || {
        let folder = before.trim().strip_prefix("cd")?.strip_suffix("&&")?;
        let folder = folder.strip_prefix([' ', '\t'])?.trim();
        let quoted = ["'", "\""].iter().find_map(|quote| folder.strip_prefix(quote)?.strip_suffix(quote));
        let inner = quoted.unwrap_or(folder);
        let fits = |c| plain(c) || (quoted.is_some() && c == ' ');
        (!inner.is_empty() && !inner.starts_with('-') && inner.chars().all(fits)).then_some(inner)
    };
    folder().map(Some).ok_or_else(|| "the `cd` before the patch is not a plain one; use absolute paths".to_owned())
}

/// The files touched by a text that could not be parsed, but from which Codex may extract a patch.
///
/// # Errors
/// The text may contain a patch that cannot be read.
pub(super) fn torn(text: &str) -> Result<Vec<Touched>, String> {
    if !is_named(text) {
        return Ok(Vec::new());
    }
    let actions = files_of_script(text)?;
    if actions.is_empty() {
        return Ok(Vec::new());
    }
    Ok(touched(&actions, &Rc::new(vec![base(text)?]), false))
}

/// The base of the paths in the patch of a text.
///
/// # Errors
/// As for [`folder`].
pub(super) fn base(text: &str) -> Result<Base, String> {
    Ok(folder(text)?.map_or(Base::Own, |folder| Base::Own.then(&CommandPath::of(&Word::literal(folder), false))))
}

/// The files that the actions of a patch touch.
pub(super) fn touched(actions: &[PatchOperation], bases: &Rc<Vec<Base>>, watch_only: bool) -> Vec<Touched> {
    let mut all = Vec::new();
    for PatchOperation { touch, path } in actions {
        let word = Word::literal(path);
        // A leading `~` is a plain name for Codex, and the home folder for some programs.
        let home = path.starts_with("~/").then(|| Word { tilde: true, ..word.clone() });
        let words = [word].into_iter().chain(home);
        all.extend(words.map(|word| Touched::new(*touch, &word, bases, watch_only)));
    }
    all
}
