//! The text of reasons, in a form that every agent accepts (O3).

use crate::raw::is_visible;

/// The maximum lengths of texts, in bytes, and the signature of reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// For reasons; 1 KiB unless the policy sets another limit.
    pub reason: usize,
    /// For the text of a response that has to be sent as a reason; 8 KiB.
    pub text: usize,
    /// The beginning of every reason that asks or blocks: the name of the program.
    pub before: String,
    /// The end of every such reason, which is never cut: the command that explains the decision.
    pub after: String,
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(1024, 8192)
    }
}

impl Limits {
    /// Sets both lengths, in bytes.
    pub fn new(reason: usize, text: usize) -> Self {
        Self { reason, text, before: String::new(), after: String::new() }
    }

    /// Signs every reason that asks or blocks, including those that fitting adds.
    #[must_use]
    pub fn signed(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        (self.before, self.after) = (before.into(), after.into());
        self
    }

    /// Returns a reason as one paragraph with its signature, of which the agent reads `most` bytes. Only the reason
    /// itself is cut.
    pub(super) fn reason(&self, reason: &str, most: usize) -> String {
        let room = self.reason.min(most).saturating_sub(self.before.len() + self.after.len());
        [&self.before, one_paragraph(reason, room).as_str(), &self.after].concat()
    }
}

/// Cuts a text at a character boundary to a number of bytes, and marks the cut.
pub fn cut(text: &str, bytes: usize) -> String {
    const MARK: &str = " …";
    if text.len() <= bytes {
        return text.to_owned();
    }
    let room = bytes.saturating_sub(MARK.len());
    let end = (0..=room).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    [text.get(..end).unwrap_or_default(), MARK].concat()
}

/// Returns the text as one non-empty paragraph of at most `bytes` bytes: without control characters and terminal
/// sequences, with white space collapsed. Some agents run the tool if the reason is blank.
pub fn one_paragraph(text: &str, bytes: usize) -> String {
    let mut out = String::with_capacity(text.len().min(bytes));
    let mut chars = text.chars().peekable();
    let mut gap = false;
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            let kind = chars.next();
            skip_sequence(kind, &mut chars);
        } else if let Some(kind) = c1(c) {
            skip_sequence(Some(kind), &mut chars);
        } else if c.is_whitespace() {
            gap = !out.is_empty();
        } else if is_visible(c) {
            if std::mem::take(&mut gap) {
                out.push(' ');
            }
            out.push(c);
        }
    }
    if out.is_empty() {
        out.push_str("denied by policy");
    }
    cut(&out, bytes.max(16))
}

/// Skips a terminal sequence: CSI (`[`) to its final letter, a string (OSC, DCS, SOS, PM, APC) to its terminator. Any
/// other sequence is the one character after the escape.
fn skip_sequence(kind: Option<char>, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match kind {
        Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = chars.next() {
                if matches!(c, '\u{7}' | '\u{9c}') || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Returns the character that follows the escape character in the seven-bit form of a C1 control that starts a
/// sequence.
fn c1(c: char) -> Option<char> {
    matches!(c, '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}')
        .then(|| char::from_u32(u32::from(c) - 0x40))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_clean_paragraph() {
        assert_eq!(one_paragraph("  a\n\n\tb \u{1b}[31mred\u{1b}[0m \u{1b}]0;t\u{7}c\u{0}", 99), "a b red c");
        assert_eq!(one_paragraph(" \u{1b}[2J \n", 99), "denied by policy");
        assert_eq!(
            one_paragraph("a\u{9b}31mred\u{9b}0m\u{9d}0;t\u{9c}b\u{1b}P1x\u{1b}\\c\u{85}\u{80}d", 99),
            "aredbc d"
        );
        let hidden = "\u{7f}\u{ad}\u{61c}\u{180e}\u{200b}\u{200f}\u{202e}\u{2066}\u{2069}\u{206a}\u{3164}\u{fe0f}\u{feff}\u{e0041}";
        assert_eq!(one_paragraph(&format!("a{hidden}b"), 99), "ab");
        assert_eq!(one_paragraph("a\u{2028}b\u{2029}c", 99), "a b c");
        assert_eq!(one_paragraph("ne\u{301}e é हिन्दी ไทย 😀", 99), "ne\u{301}e é हिन्दी ไทย 😀");
    }

    #[test]
    fn a_signature_survives_the_longest_reason() {
        let limits = Limits::new(64, 64).signed("snaphook: ", "; snaphook why k3f9");
        assert_eq!(limits.reason("no\nway", 99), "snaphook: no way; snaphook why k3f9");
        let long = limits.reason(&"x".repeat(999), 99);
        assert!(long.len() <= 64 && long.ends_with(" …; snaphook why k3f9"), "{long}");
        let short = limits.reason(&"x".repeat(999), 50);
        assert!(short.len() <= 50 && short.ends_with(" …; snaphook why k3f9"), "{short}");
    }

    #[test]
    fn a_long_text_is_cut_at_a_character_boundary() {
        let text = cut(&"é".repeat(40), 31);
        assert!(text.len() <= 31 && text.ends_with(" …"), "{text}");
        assert_eq!(cut("short", 5), "short");
    }
}
