//! Keeps inputs out of the log: by default all of them; if the policy enables inputs, only the likely secrets.

mod json;
mod kinds;
mod names;
mod text;

#[cfg(test)]
mod tests;

/// Truncates the text of an action to its kind (A2).
pub fn without_input(action: &mut String) {
    action.truncate(action.find(':').unwrap_or(action.len()));
}

/// Masks secrets in the text of an action like in the input (A2).
pub fn with_input_redacted(action: &mut String) {
    *action = redact(action);
}

/// Replaces what a reason quotes from a call, which may be cut (A2).
pub fn without_quoted(reason: &str, quoted: &str) -> String {
    let start = quoted.find('`').and_then(|start| quoted.get(..=start));
    match (reason.contains(quoted), start.and_then(|start| reason.find(start))) {
        (true, _) => reason.replace(quoted, "the call"),
        (false, Some(at)) => format!("{}the call …", reason.get(..at).unwrap_or_default()),
        (false, None) => reason.to_owned(),
    }
}

/// Shortens the description of the part of a command that could not be analysed to its first word, without values:
/// the rest is text of the command (A2).
pub fn outline(why: &str) -> String {
    let Some((before, quoted)) = why.split_once('`') else { return why.to_owned() };
    let quoted = quoted.strip_suffix('`').unwrap_or(quoted);
    let end = quoted.find([' ', '\t', '\n', '(', '`', '=', '{', '\'', '"']).map_or(quoted.len(), |at| at + 1);
    let kept = quoted.get(..end).unwrap_or(quoted);
    let rest = if kept.len() < quoted.len() { "…" } else { "" };
    format!("{before}`{}{rest}`", kept.trim_end())
}

/// Masks likely secrets in a text such as a command or a file, and keeps the rest unchanged.
///
/// Truncates the text to 64 KiB. Runs in linear time.
pub fn redact(text: &str) -> String {
    text::Redactor::default().whole(text)
}

/// Masks likely secrets in a JSON document. All values of members with secret names are masked. Text that is not
/// valid JSON is redacted like plain text.
pub fn redact_json(json: &str) -> String {
    json::redacted(json)
}

/// The replacement for a secret.
const MASK: &str = "***";

/// The maximum length of a recorded input, in bytes.
const KEPT: usize = 64 << 10;

/// The longest prefix of a text with at most `bytes` bytes.
fn prefix(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}
