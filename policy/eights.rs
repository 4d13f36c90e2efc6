//! Searches a text eight bytes at a time. The `memchr` crate would first ask the processor which instructions it has, which a
//! virtual machine answers slowly. `snaphook_adapters::raw` searches quotes in the same way, but the build script of this
//! package has no dependencies.

const ONES: u64 = u64::MAX / 0xFF;
const HIGH: u64 = ONES << 7;

/// Returns the offset of the first byte that `marks` marks. `marks` gets eight bytes, the first in the lowest place, and sets
/// the highest bit of each marked byte. Only the lowest bit that it sets has to be right.
pub(crate) fn find(text: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let first = |marked: u64| usize::try_from(marked.trailing_zeros() / 8).unwrap_or_default();
    let (eights, rest) = text.as_chunks::<8>();
    for (index, eight) in eights.iter().enumerate() {
        let marked = marks(u64::from_le_bytes(*eight));
        if marked != 0 {
            return Some(8 * index + first(marked));
        }
    }
    if rest.is_empty() {
        return None;
    }
    let padded = match text.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last) >> (64 - 8 * rest.len()),
        None => rest.iter().rev().fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
    };
    let marked = marks(padded);
    (marked != 0 && first(marked) < rest.len()).then(|| 8 * eights.len() + first(marked))
}

/// Marks ASCII control characters. The text has to be UTF-8: a byte 0xFF would carry into the next one.
pub(crate) fn controls(eight: u64) -> u64 {
    // Adding one to an ASCII byte sets the highest bit for DEL (0x7F) alone.
    (eight.wrapping_sub(ONES * u64::from(b' ')) | eight.wrapping_add(ONES)) & !eight & HIGH
}

/// Marks bytes with this value.
pub(crate) fn equal(eight: u64, byte: u8) -> u64 {
    let other = eight ^ (ONES * u64::from(byte));
    other.wrapping_sub(ONES) & !other & HIGH
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_byte_is_found_wherever_it_is(
            text in prop::collection::vec(prop_oneof![8 => b' '..0x7F, 1 => 0..0xFF_u8], 0..40),
            byte in any::<u8>(),
        ) {
            let found = text.iter().position(u8::is_ascii_control);
            prop_assert_eq!(find(&text, controls), found);
            let found = text.iter().position(|one| *one == byte || one.is_ascii_control());
            prop_assert_eq!(find(&text, |eight| controls(eight) | equal(eight, byte)), found);
        }
    }
}
