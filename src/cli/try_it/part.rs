//! Finds the part of a call that decides, to underline it.

use std::ops::Range;

use snaphook_policy::Cause;

/// Finds the part of a text that a cause quotes. If the text has it several times, it is the first that decides: without those
/// after it, `judged` still returns the same cause.
pub(super) fn deciding_part(text: &str, cause: &Cause, judged: impl Fn(&str) -> Option<Cause>) -> Option<Range<usize>> {
    let found = occurrences(text, quoted(cause)?);
    let decides = |kept: &usize| {
        let mut shortened = text.to_owned();
        for at in found.iter().skip(*kept).rev() {
            shortened.replace_range(at.clone(), "x");
        }
        judged(&shortened).is_some_and(|other| other.rule == cause.rule && other.action == cause.action)
    };
    let kept: Vec<usize> = (1..found.len()).collect();
    found.get(kept.partition_point(|kept| !decides(kept))).cloned()
}

/// The part of the call in the backquotes of a reason.
fn quoted(cause: &Cause) -> Option<&str> {
    let part = cause.quoted.as_deref()?.split('`').nth(1)?;
    // A long part is cut.
    Some(part.strip_suffix('…').map_or(part, str::trim_end)).filter(|part| !part.is_empty())
}

/// Every occurrence of a part that is not inside of a word.
fn occurrences(text: &str, part: &str) -> Vec<Range<usize>> {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let is_whole = |at: &Range<usize>| {
        let (before, after) = (text.get(..at.start), text.get(at.end..));
        is_edge(before.and_then(|text| text.chars().next_back())) && is_edge(after.and_then(|text| text.chars().next()))
    };
    text.match_indices(part).map(|(at, part)| at..at + part.len()).filter(is_whole).collect()
}
