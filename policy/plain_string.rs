//! Finds TOML strings that can be read in place.

use std::borrow::Cow;

use crate::find::find_or_control;

/// A TOML string on one line, without escapes other than `\"` and `\\`. It is not empty, because three quotes start a string of
/// several lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainString {
    start: usize,
    end: usize,
    has_escapes: bool,
}

impl PlainString {
    /// Finds the string whose quote is at this offset. Returns `None` if it is not plain.
    #[expect(clippy::inline_always, reason = "a long policy has a string in each line")]
    #[inline(always)]
    pub(crate) fn find(text: &str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let quote = *bytes.get(at)?;
        let start = at + 1;
        let (mut end, mut has_escapes) = (start, false);
        loop {
            let rest = bytes.get(end..)?;
            end += match quote {
                b'\'' => find_or_control(rest, [b'\''; 2])?,
                b'"' => find_or_control(rest, [b'"', b'\\'])?,
                _ => return None,
            };
            match *bytes.get(end)? {
                last if last == quote => return (end > start).then_some(Self { start, end, has_escapes }),
                b'\\' => {
                    bytes.get(end + 1).filter(|escaped| matches!(escaped, b'"' | b'\\'))?;
                    has_escapes = true;
                    end += 2;
                }
                b'\t' => end += 1,
                _ => return None,
            }
        }
    }

    /// The offset after its closing quote.
    pub(crate) fn end(self) -> usize {
        self.end + 1
    }

    /// Returns true if it has only white space.
    pub(crate) fn is_blank(self, text: &str) -> bool {
        let starts_blank = text.as_bytes().get(self.start).is_none_or(|first| !first.is_ascii_graphic());
        starts_blank && self.read(text).trim_start().is_empty()
    }

    /// Reads the string.
    #[inline]
    pub(crate) fn read(self, text: &str) -> Cow<'_, str> {
        let inside = text.get(self.start..self.end).unwrap_or_default();
        if self.has_escapes { Cow::Owned(unescaped(inside)) } else { Cow::Borrowed(inside) }
    }
}

/// Removes the backslash of each escape.
fn unescaped(inside: &str) -> String {
    let mut chars = inside.chars();
    std::iter::from_fn(|| chars.next().filter(|c| *c != '\\').or_else(|| chars.next())).collect()
}
