//! Checks a text eight bytes at a time. Each call checks every text of every rule.

const ONES: u64 = u64::MAX / 0xFF;
const HIGH: u64 = ONES << 7;

/// Returns true if `is_odd` returns a number other than zero for any eight bytes of a text. Every pair of adjacent bytes is
/// checked together. A shorter text is padded with letters.
pub(crate) fn any_eight(text: &[u8], is_odd: impl Fn(u64) -> u64) -> bool {
    let Some(last) = text.last_chunk::<8>() else {
        let filled = text.iter().rev().fold(ONES * u64::from(b'a'), |eight, byte| eight << 8 | u64::from(*byte));
        return is_odd(filled) != 0;
    };
    let mut odd = is_odd(u64::from_le_bytes(*last));
    let mut rest = text;
    while let Some(eight) = rest.first_chunk::<8>() {
        odd |= is_odd(u64::from_le_bytes(*eight));
        rest = rest.get(7..).unwrap_or_default();
    }
    odd != 0
}

/// Returns a number other than zero if one of eight bytes is an ASCII control character.
pub(crate) fn controls(eight: u64) -> u64 {
    let below = eight.wrapping_sub(ONES * u64::from(b' ')) & !eight;
    let delete = eight ^ (ONES * 0x7F);
    (below | delete.wrapping_sub(ONES) & !delete) & HIGH
}

/// Returns a number other than zero if two adjacent bytes of eight are blanks.
pub(crate) fn double_blanks(eight: u64) -> u64 {
    let other = eight ^ (ONES * u64::from(b' '));
    let blanks = !(((other & !HIGH) + !HIGH) | other) & HIGH;
    blanks & blanks << 8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_are_found_wherever_they_are(text in prop::collection::vec(prop_oneof![Just(b' '), any::<u8>()], 0..40)) {
            let has_control = text.iter().any(|byte| *byte < b' ' || *byte == 0x7F);
            prop_assert_eq!(any_eight(&text, controls), has_control);
            prop_assert_eq!(any_eight(&text, double_blanks), text.windows(2).any(|pair| pair == b"  "));
        }
    }
}
