//! Keeps inputs out of the log: all of them, or, if the policy asks to keep them, what looks like a secret.

mod json;
mod kinds;
mod names;
mod text;

#[cfg(test)]
mod tests;

/// Leaves of an action in words only its kind (A2).
pub fn without_input(action: &mut String) {
    action.truncate(action.find(':').unwrap_or(action.len()));
}

/// Masks in an action in words what would be masked in the input (A2).
pub fn with_input_redacted(action: &mut String) {
    *action = redact(action);
}

/// Leaves of what made a command one that is not understood only the word it begins with, and no value:
/// the rest is the command's own text (A2).
pub fn outline(why: &str) -> String {
    let Some((before, quoted)) = why.split_once('`') else { return why.to_owned() };
    let quoted = quoted.strip_suffix('`').unwrap_or(quoted);
    let end = quoted.find([' ', '\t', '\n', '(', '`', '=', '{', '\'', '"']).map_or(quoted.len(), |at| at + 1);
    let kept = quoted.get(..end).unwrap_or(quoted);
    let rest = if kept.len() < quoted.len() { "…" } else { "" };
    format!("{before}`{}{rest}`", kept.trim_end())
}

/// Masks what looks like a secret in a text, such as a command or a file; the rest stays as it is.
///
/// Keeps at most the first 64 KiB, in time linear in what it keeps.
pub fn redact(text: &str) -> String {
    text::Redactor::default().whole(text)
}

/// Does the same for a JSON document, by its members: what is under a secret name is masked whatever it holds.
/// Where the text is no JSON, it is redacted as a text.
pub fn redact_json(json: &str) -> String {
    json::redacted(json)
}

/// What is put in place of a secret.
const MASK: &str = "***";

/// How much of an input is kept, in bytes.
const KEPT: usize = 64 << 10;

/// The longest beginning of a text that has at most so many bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}
