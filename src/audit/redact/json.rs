//! Masks secrets in a JSON document by the names of its members.

use snaphook_adapters::raw::{json_string, string_end};

use super::names::NameClass;
use super::text::Redactor;
use super::{KEPT, MASK, prefix};

/// Redacts a document. A long document is truncated.
pub(super) fn redacted(json: &str) -> String {
    let kept = prefix(json, KEPT);
    let cut = kept.len() < json.len();
    let bytes = kept.as_bytes();
    let mut walk = JsonScan {
        out: String::with_capacity(kept.len()),
        redactor: Redactor::default(),
        secret: Vec::new(),
        class: None,
    };
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'"' => {
                let Some(end) = string_end(bytes, at + 1) else {
                    walk.unfinished(kept.get(at + 1..).unwrap_or_default());
                    break;
                };
                let is_key = bytes.get(end..).unwrap_or_default().trim_ascii_start().first() == Some(&b':');
                walk.text(kept.get(at..end).unwrap_or_default(), is_key);
                end
            }
            b'{' | b'[' => {
                let above = walk.secret.last() == Some(&true);
                let class = matches!(walk.class.take(), Some(NameClass::Secret | NameClass::Header));
                walk.secret.push(above || class);
                walk.redactor.end();
                walk.out.push(char::from(*byte));
                at + 1
            }
            b'}' | b']' => {
                walk.secret.pop();
                walk.redactor.end();
                walk.class = None;
                walk.out.push(char::from(*byte));
                at + 1
            }
            b'-' | b'0'..=b'9' => {
                let length = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is_number(**byte)).count();
                let number = if walk.is_secret() { "\"***\"" } else { kept.get(at..at + length).unwrap_or_default() };
                walk.out.push_str(number);
                walk.class = None;
                at + length
            }
            _ => {
                let length = kept.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                walk.out.push_str(kept.get(at..at + length).unwrap_or_default());
                at + length
            }
        };
    }
    if cut { walk.out + " …" } else { walk.out }
}

struct JsonScan {
    out: String,
    redactor: Redactor,
    /// For each enclosing object or array, whether its contents are secret.
    secret: Vec<bool>,
    /// The class of the current member's name.
    class: Option<NameClass>,
}

impl JsonScan {
    fn is_secret(&self) -> bool {
        matches!(self.class, Some(NameClass::Secret | NameClass::Header)) || self.secret.last() == Some(&true)
    }

    /// Redacts a string literal.
    fn text(&mut self, literal: &str, is_key: bool) {
        // A literal with a lone surrogate cannot be decoded, so its escaped form is redacted.
        let inner = literal.get(1..literal.len() - 1).unwrap_or_default();
        let text = serde_json::from_str(literal).unwrap_or_else(|_| inner.to_owned());
        if is_key {
            self.redactor.next_member();
            self.class = self.redactor.member(&text);
            self.out.push_str(&json_string(&Redactor::default().one(&text)));
            return;
        }
        let masked = match self.class {
            _ if self.is_secret() && !text.is_empty() => MASK.to_owned(),
            Some(NameClass::Names) => {
                self.redactor.names(&text);
                Redactor::default().one(&text)
            }
            Some(NameClass::Maybe) => self.redactor.maybe(&text),
            _ => self.redactor.one(&text),
        };
        self.out.push_str(&json_string(&masked));
        self.class = None;
    }

    /// Redacts a string that is truncated by the length limit.
    fn unfinished(&mut self, inner: &str) {
        if self.is_secret() {
            self.out.push_str(MASK);
            return;
        }
        // Drops a truncated escape sequence.
        let tail = inner.len().saturating_sub(6);
        let end = inner.bytes().rposition(|byte| byte == b'\\').filter(|at| *at >= tail).unwrap_or(inner.len());
        let end =
            end - inner.get(..end).map_or(0, |inner| inner.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2);
        let whole = format!("\"{}\"", inner.get(..end).unwrap_or_default());
        let text = serde_json::from_str(&whole).unwrap_or_else(|_| inner.to_owned());
        let text = text.trim_end_matches(|c: char| !c.is_whitespace());
        let masked = json_string(&self.redactor.one(text));
        self.out.push_str(masked.strip_suffix('"').unwrap_or(&masked));
    }
}

fn is_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}
