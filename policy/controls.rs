//! Finds control characters eight bytes at a time. Each call looks for them in every text of every rule.

const ONES: u64 = u64::MAX / 0xFF;
const HIGH: u64 = ONES << 7;

/// Returns true if a text has an ASCII control character.
pub(crate) fn has_controls(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk::<8>() else {
        let padded = text.iter().rev().fold(ONES * u64::from(b'a'), |eight, byte| eight << 8 | u64::from(*byte));
        return controls(padded) != 0;
    };
    let (eights, _) = text.as_chunks::<8>();
    eights.iter().fold(controls(u64::from_le_bytes(*last)), |all, eight| all | controls(u64::from_le_bytes(*eight)))
        != 0
}

/// Returns a number other than zero if one of eight bytes is an ASCII control character.
fn controls(eight: u64) -> u64 {
    let below = eight.wrapping_sub(ONES * u64::from(b' ')) & !eight;
    let delete = eight ^ (ONES * 0x7F);
    (below | delete.wrapping_sub(ONES) & !delete) & HIGH
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn controls_are_found_wherever_they_are(text in prop::collection::vec(prop_oneof![Just(b' '), any::<u8>()], 0..40)) {
            let has_control = text.iter().any(|byte| *byte < b' ' || *byte == 0x7F);
            prop_assert_eq!(has_controls(&text), has_control);
        }
    }
}
