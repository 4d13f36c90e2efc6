//! Finds the ends of strings and values in JSON text, without checking the text.

use std::ops::Range;

/// Returns the position after the closing quote of a string; `from` is a position inside the string.
///
/// A quote is escaped if an odd number of backslashes precedes it. Only quotes are searched, so other escapes, which
/// are frequent in file contents, cost nothing.
pub fn string_end(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = next_quote(bytes, from)?;
        let before = bytes.get(..quote).unwrap_or_default();
        if before.last() != Some(&b'\\') {
            return Some(quote + 1);
        }
        if before.iter().rev().take_while(|byte| **byte == b'\\').count().is_multiple_of(2) {
            return Some(quote + 1);
        }
        from = quote + 1;
    }
}

/// Returns the position of the next quote. Common search crates query the features of the processor on first use, which
/// costs more than it saves in a process that reads one small message.
fn next_quote(bytes: &[u8], from: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    let mut at = from;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        // The lowest zero byte that this finds is always correct.
        let zeroed = u64::from_le_bytes(*word) ^ (ONES * u64::from(b'"'));
        let marks = zeroed.wrapping_sub(ONES) & !zeroed & (ONES << 7);
        if marks != 0 {
            return Some(at + marks.trailing_zeros() as usize / 8);
        }
        at += 8;
        if at - from == NEAR {
            at += without_quote(bytes.get(at..)?);
        }
    }
    bytes.get(at..)?.iter().position(|byte| *byte == b'"').map(|found| at + found)
}

/// Returns the length of the blocks without a quote at the start. Most strings are keys and names; the others are file
/// contents, which this scans without a branch per word.
fn without_quote(bytes: &[u8]) -> usize {
    const BLOCK: usize = 32;
    let without = |block: &&[u8]| block.iter().fold(0, |found, byte| found | u8::from(*byte == b'"')) == 0;
    bytes.chunks_exact(BLOCK).take_while(without).count() * BLOCK
}

const NEAR: usize = 64;

/// An iterator over the ranges in an object or array, one level deep: alternating keys and values of an object, or the
/// items of an array. The text must be valid JSON.
pub(super) struct Level<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Level<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 1 }
    }
}

impl Iterator for Level<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.bytes.get(self.at..)?;
        let start = self.at + rest.iter().position(|byte| !is_between(*byte))?;
        self.at = match self.bytes.get(start)? {
            b'}' | b']' => return None,
            b'"' => string_end(self.bytes, start + 1)?,
            b'{' | b'[' => container_end(self.bytes, start)?,
            _ => start + self.bytes.get(start..)?.iter().position(|byte| is_between(*byte) || is_close(*byte))?,
        };
        Some(start..self.at)
    }
}

fn container_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = from;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
}

fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':')
}

fn is_close(byte: u8) -> bool {
    matches!(byte, b'}' | b']')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, value::RawValue};

    use super::*;

    fn level(text: &str) -> Vec<&str> {
        Level::of(text).map(|span| text.get(span).unwrap()).collect()
    }

    #[test]
    fn a_string_ends_at_the_first_quote_that_is_not_escaped() {
        let text = br#""a\"b\\\"c\\" "x""#;
        for from in 1..13 {
            assert_eq!(string_end(text, from), Some(13), "{from}");
        }
        assert_eq!(string_end(br#""a\""#, 1), None);
    }

    #[test]
    fn a_level_contains_the_values_between_its_brackets() {
        let odd = r#"{ "a\"}" : [1,{"b":"]\\"}] ,"c":-1.5e3,"d" :true, "":"" , "e\\":{} }"#;
        let want =
            ["\"a\\\"}\"", r#"[1,{"b":"]\\"}]"#, "\"c\"", "-1.5e3", "\"d\"", "true", "\"\"", "\"\"", r#""e\\""#, "{}"];
        assert_eq!(level(odd), want);
        assert_eq!(level("[1 , \"x\",[ ] ]"), ["1", "\"x\"", "[ ]"]);
        assert!(level("{ }").is_empty() && level("[]").is_empty());
    }

    proptest! {
        #[test]
        fn the_items_of_an_array_are_those_that_a_parser_finds(items in prop::collection::vec(value(), 0..5)) {
            let text = serde_json::to_string_pretty(&items).unwrap();
            let parsed: Vec<&RawValue> = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(level(&text), parsed.iter().map(|item| item.get()).collect::<Vec<_>>());
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![r#"[\\"{}\[\],:x ]{0,8}"#, ".{0,6}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            text.clone().prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 24, 4, move |inner| {
            let members = prop::collection::vec((text.clone(), inner.clone()), 0..4);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                members.prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }
}
