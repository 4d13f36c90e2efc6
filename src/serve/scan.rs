//! Finds the end of the first JSON object in bytes that arrive in pieces.
//!
//! Only brackets and strings are tracked; the parser validates the JSON later. Parsing again after every piece
//! that ends in `}` would be quadratic, and the sender chooses the pieces.

use snaphook_adapters::raw::string_end;

/// The state of the scan.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    at: usize,
    depth: usize,
    in_string: bool,
}

/// The extent of the first value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ScanResult {
    /// It is not complete yet.
    More,
    /// It ends before this byte.
    End(usize),
    /// The first byte that is not blank does not open an object.
    NotAnObject,
}

impl Scanner {
    /// Continues the scan; `bytes` is everything that has arrived so far.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> ScanResult {
        if self.at == 0 && bytes.starts_with(BOM) {
            self.at = BOM.len();
        }
        while let Some(&byte) = bytes.get(self.at) {
            if self.in_string {
                let end = string_end(bytes, self.at);
                self.in_string = end.is_none();
                self.at = end.unwrap_or(bytes.len());
                continue;
            }
            self.at += 1;
            match byte {
                b'{' | b'[' if self.depth > 0 || byte == b'{' => self.depth += 1,
                b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {}
                // The first byte of a byte order mark may have arrived alone.
                _ if self.depth == 0 && BOM.starts_with(bytes) => {
                    self.at = 0;
                    return ScanResult::More;
                }
                _ if self.depth == 0 => return ScanResult::NotAnObject,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return ScanResult::End(self.at);
                    }
                }
                b'"' => self.in_string = true,
                _ => {}
            }
        }
        ScanResult::More
    }
}

pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> ScanResult {
        Scanner::default().feed(text.as_bytes())
    }

    #[test]
    fn the_end_of_an_object_is_found_for_any_split_of_the_input() {
        let text = "\u{FEFF} \r\n{\"a\":\"}\\\"]\\\\\",\"b\":[{\"c\":\"\"},1]} x";
        let end = text.rfind('}').unwrap() + 1;
        assert_eq!(whole(text), ScanResult::End(end));
        for step in 1..8 {
            let mut scanner = Scanner::default();
            let found = (1..=text.len().div_ceil(step))
                .map(|n| scanner.feed(&text.as_bytes()[..(n * step).min(text.len())]))
                .find(|scan| *scan != ScanResult::More);
            assert_eq!(found, Some(ScanResult::End(end)), "pieces of {step}");
        }
    }

    #[test]
    fn a_value_that_is_not_an_object_is_detected_at_the_first_byte() {
        for text in ["[", "null", "\"", "x", "\u{FEFF}x", "}"] {
            assert_eq!(whole(text), ScanResult::NotAnObject, "{text:?}");
        }
        assert_eq!(Scanner::default().feed(b"\xFF\xFE{\0"), ScanResult::NotAnObject);
        for text in ["", " ", "{", "{\"a\":\"", "{\"a\":\"\\"] {
            assert_eq!(whole(text), ScanResult::More, "{text:?}");
        }
    }
}
