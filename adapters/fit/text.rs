//! Reasons as agents can take them (O3).

/// Holds the lengths to which texts are cut, in bytes, and how reasons are signed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// For reasons; 1 KiB where the policy does not say otherwise.
    pub reason: usize,
    /// For the text of a response that has to be sent as a reason; 8 KiB.
    pub text: usize,
    /// What every reason that asks or blocks begins with: who speaks.
    pub before: String,
    /// What it ends with, however long it is: where to ask why.
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

    /// Signs every reason that asks or blocks, those that fitting itself gives included.
    #[must_use]
    pub fn signed(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        (self.before, self.after) = (before.into(), after.into());
        self
    }

    /// A reason as one paragraph with its signature, of which the agent reads `most` bytes; only the
    /// reason itself is ever cut.
    pub(super) fn reason(&self, reason: &str, most: usize) -> String {
        let room = self.reason.min(most).saturating_sub(self.before.len() + self.after.len());
        [&self.before, one_paragraph(reason, room).as_str(), &self.after].concat()
    }
}

/// Cuts a text at a character's edge so that it fits, with a mark where something is missing.
pub fn cut(text: &str, bytes: usize) -> String {
    const MARK: &str = " …";
    if text.len() <= bytes {
        return text.to_owned();
    }
    let room = bytes.saturating_sub(MARK.len());
    let end = (0..=room).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    [text.get(..end).unwrap_or_default(), MARK].concat()
}

/// Makes one non-empty paragraph: control characters and terminal sequences removed, white space
/// folded, cut to `bytes`. Some agents run the tool on a blank reason.
pub fn one_paragraph(text: &str, bytes: usize) -> String {
    let mut out = String::with_capacity(text.len().min(bytes));
    let mut chars = text.chars().peekable();
    let mut gap = false;
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            skip_sequence(&mut chars);
        } else if c.is_whitespace() {
            gap = !out.is_empty();
        } else if !c.is_control() && !is_invisible(c) {
            if std::mem::take(&mut gap) {
                out.push(' ');
            }
            out.push(c);
        }
    }
    if out.is_empty() {
        out.push_str("denied by policy");
    }
    let bytes = bytes.max(16);
    if out.len() > bytes { cut(&out, bytes) } else { out }
}

/// Skips what follows an escape character: a CSI sequence to its final letter, an OSC one to its
/// bell or string terminator, else one character.
fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
        Some(']') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Characters that show nothing and turn text around: a reason must read as it is.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_clean_paragraph() {
        assert_eq!(one_paragraph("  a\n\n\tb \u{1b}[31mred\u{1b}[0m \u{1b}]0;t\u{7}c\u{0}", 99), "a b red c");
        assert_eq!(one_paragraph(" \u{1b}[2J \n", 99), "denied by policy");
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
    fn a_long_text_is_cut_at_a_character() {
        let text = cut(&"é".repeat(40), 31);
        assert!(text.len() <= 31 && text.ends_with(" …"), "{text}");
        assert_eq!(cut("short", 5), "short");
    }
}
