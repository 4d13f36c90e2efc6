//! Compares the meaning of two values, regardless of their spelling.

use super::Raw;
use super::object::fold;

impl Raw {
    /// Returns true if both values have the same meaning for a program that decodes them: strings are compared decoded,
    /// objects regardless of the order of their members, and numbers as written.
    ///
    /// Programs spell one string in several ways: Go's encoder writes `<` as `\u003c`. A string with a lone surrogate
    /// equals only its own spelling (J4).
    pub fn means(&self, other: &Self) -> bool {
        same(self, other, DEPTH)
    }
}

/// Deeper levels are compared byte for byte, because each level is another pass (S4).
const DEPTH: usize = 64;

fn same(one: &Raw, other: &Raw, depth: usize) -> bool {
    if one == other {
        return true;
    }
    let Some(deeper) = depth.checked_sub(1) else { return false };
    match one.as_str().as_bytes().first() {
        Some(b'"') => match (one.text(), other.text()) {
            (Some(one), Some(other)) => !one.lossy && !other.lossy && one.value == other.value,
            _ => false,
        },
        Some(b'[') => match (one.array(), other.array()) {
            (Ok(one), Ok(other)) => {
                one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| same(one, other, deeper))
            }
            _ => false,
        },
        Some(b'{') => match (members(one), members(other)) {
            (Some(one), Some(other)) => {
                let pairs = || one.iter().zip(&other);
                one.len() == other.len()
                    && pairs().all(|((one, _), (other, _))| one == other)
                    && pairs().all(|((_, one), (_, other))| same(one, other, deeper))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns the members, sorted by key. Keys that a host may confuse stay in their original order, because the order
/// determines which value counts (J6).
fn members(raw: &Raw) -> Option<Vec<(String, Raw)>> {
    let object = raw.object().ok()?;
    let mut members: Vec<_> = object.members().map(|(key, value)| (key.to_owned(), value)).collect();
    members.sort_by_cached_key(|(key, _)| key.chars().map(fold).collect::<String>());
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(one: &str, other: &str) -> bool {
        let [one, other] = [one, other].map(Raw::document);
        assert_eq!(one.means(&other), other.means(&one), "{one:?} {other:?}");
        one.means(&other)
    }

    #[test]
    fn the_spelling_of_a_string_does_not_change_its_meaning() {
        for (one, other) in [
            (r#"{"command":"a > b && c < d"}"#, r#"{"command":"a \u003e b \u0026\u0026 c \u003C d"}"#),
            ("{\"a\":\"/x\",\"b\":[\"\u{2028}\"]}", r#"{"\u0061":"\/x", "b": ["\u2028"]}"#),
            (r#"{"a":1,"b":{"c":true,"d":null}}"#, r#" { "b" : {"d":null,"c":true}, "a" : 1 } "#),
            ("\"\\ud83d\\ude00\\t\"", "\"\u{1F600}\\u0009\""),
        ] {
            assert!(means(one, other), "{one} {other}");
        }
    }

    #[test]
    fn values_with_different_meanings_are_different() {
        for (one, other) in [
            (r#"{"a":"x"}"#, r#"{"A":"x"}"#),
            (r#"{"a":"x"}"#, r#"{"a":"x","b":1}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#),
            (r#"{"a":1,"A":2}"#, r#"{"A":2,"a":1}"#),
            (r#"["a","b"]"#, r#"["b","a"]"#),
            (r#"{"a":"1"}"#, r#"{"a":1}"#),
            (r#""\ud800""#, r#""\uDBFF""#),
            (r#""\ud800""#, r#""\ufffd""#),
            ("1.0", "1"),
            ("null", "{}"),
            ("{", "[1"),
            (r#"["\u0061"]"#, r#"["a"] x"#),
        ] {
            assert!(!means(one, other), "{one} {other}");
        }
    }

    #[test]
    fn deep_levels_are_compared_byte_for_byte() {
        let deep = |text: &str| format!("{}{text}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(means(&deep("1"), &deep("1")));
        assert!(!means(&deep("\"a\""), &deep(r#""\u0061""#)));
    }
}
