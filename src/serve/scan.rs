//! Finds the end of the first JSON object in bytes that arrive piece by piece.
//!
//! It finds balance only; whether the bytes are JSON is checked when they are looked into. Parsing
//! again at every piece that ends in `}` would be quadratic, and the sender chooses the pieces.

use snaphook_adapters::raw::string_end;

/// Holds where the scan stands.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    at: usize,
    depth: usize,
    in_string: bool,
}

/// Says how far the first value goes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// It is not complete yet.
    More,
    /// It ends before this byte.
    End(usize),
    /// The first byte that is not blank does not open an object.
    NotAnObject,
}

impl Scanner {
    /// Goes on with everything that has arrived so far.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Scan {
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
                // A lone first byte of the mark may still become one.
                _ if self.depth == 0 && BOM.starts_with(bytes) => {
                    self.at = 0;
                    return Scan::More;
                }
                _ if self.depth == 0 => return Scan::NotAnObject,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Scan::End(self.at);
                    }
                }
                b'"' => self.in_string = true,
                _ => {}
            }
        }
        Scan::More
    }
}

pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Scan {
        Scanner::default().feed(text.as_bytes())
    }

    #[test]
    fn the_end_is_found_whatever_the_pieces() {
        let text = "\u{FEFF} \r\n{\"a\":\"}\\\"]\\\\\",\"b\":[{\"c\":\"\"},1]} x";
        let end = text.rfind('}').unwrap() + 1;
        assert_eq!(whole(text), Scan::End(end));
        for step in 1..8 {
            let mut scanner = Scanner::default();
            let found = (1..=text.len().div_ceil(step))
                .map(|n| scanner.feed(&text.as_bytes()[..(n * step).min(text.len())]))
                .find(|scan| *scan != Scan::More);
            assert_eq!(found, Some(Scan::End(end)), "pieces of {step}");
        }
    }

    #[test]
    fn anything_but_an_object_is_told_at_the_first_byte() {
        for text in ["[", "null", "\"", "x", "\u{FEFF}x", "}"] {
            assert_eq!(whole(text), Scan::NotAnObject, "{text:?}");
        }
        assert_eq!(Scanner::default().feed(b"\xFF\xFE{\0"), Scan::NotAnObject);
        for text in ["", " ", "{", "{\"a\":\"", "{\"a\":\"\\"] {
            assert_eq!(whole(text), Scan::More, "{text:?}");
        }
    }
}
