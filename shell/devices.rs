//! Paths that refer to open file descriptors.

use super::effects::Touch;
use super::words::Word;

/// Returns true if the path is a stream that keeps no data, unless the descriptor refers to a file.
pub(super) fn is_stream(word: &Word, touch: Touch) -> bool {
    let value = word.value.as_str();
    let numbered = |value: &str| value.strip_prefix("/dev/fd/").is_some_and(is_number);
    let read = touch == Touch::Read;
    word.spans.is_empty()
        && (matches!(value, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2")
            || (read && (value == "/dev/stdin" || numbered(value))))
}

/// Returns true if the path refers to an open file or to the program of a process, neither of which can be
/// inspected.
pub(super) fn is_input(path: &str) -> bool {
    let odd = |step: &str| matches!(step, "proc" | "stdin") || (step == "fd" && path.contains("dev"));
    let last = path.rsplit('/').next().unwrap_or(path);
    path == "-" || path.starts_with("/dev/") || is_number(last) || path.split('/').any(odd)
}

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
