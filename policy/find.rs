//! Searches short texts. On x86-64, sixteen bytes are compared at a time with SSE2, which every such processor has. `memchr` asks the
//! processor whether it has AVX2 before its first search, which takes long on a virtual machine.

/// Returns the offset of the first byte that is one of these two.
#[inline]
pub(crate) fn find(text: &[u8], bytes: [u8; 2]) -> Option<usize> {
    first::<false>(text, bytes)
}

/// Returns the offset of the first byte that is one of these two or an ASCII control character.
#[inline]
pub(crate) fn find_or_control(text: &[u8], bytes: [u8; 2]) -> Option<usize> {
    first::<true>(text, bytes)
}

#[inline]
fn first<const CONTROLS: bool>(text: &[u8], bytes: [u8; 2]) -> Option<usize> {
    let (chunks, rest) = text.as_chunks();
    let mut at = 0;
    for chunk in chunks {
        let mask = match_mask::<CONTROLS>(chunk, bytes);
        if mask != 0 {
            return Some(at + mask.trailing_zeros() as usize);
        }
        at += chunk.len();
    }
    Some(at + rest.iter().position(|byte| matches::<CONTROLS>(*byte, bytes))?)
}

#[inline]
fn matches<const CONTROLS: bool>(byte: u8, [a, b]: [u8; 2]) -> bool {
    byte == a || byte == b || CONTROLS && byte.is_ascii_control()
}

/// Returns a mask with a bit for each byte that matches.
#[cfg(not(target_arch = "x86_64"))]
fn match_mask<const CONTROLS: bool>(chunk: &[u8; 16], bytes: [u8; 2]) -> i32 {
    chunk.iter().rev().fold(0, |mask, byte| mask << 1 | i32::from(matches::<CONTROLS>(*byte, bytes)))
}

/// Returns a mask with a bit for each byte that matches.
#[cfg(target_arch = "x86_64")]
#[inline]
fn match_mask<const CONTROLS: bool>(chunk: &[u8; 16], bytes: [u8; 2]) -> i32 {
    use safe_arch::{
        bitor_m128i, cmp_eq_mask_i8_m128i, load_unaligned_m128i, min_u8_m128i, move_mask_i8_m128i, set_splat_i8_m128i,
    };

    let chunk = load_unaligned_m128i(chunk);
    let [a, b] = bytes.map(|byte| cmp_eq_mask_i8_m128i(chunk, set_splat_i8_m128i(byte.cast_signed())));
    let mut found = bitor_m128i(a, b);
    if CONTROLS {
        let low = cmp_eq_mask_i8_m128i(chunk, min_u8_m128i(chunk, set_splat_i8_m128i(0x1F)));
        let delete = cmp_eq_mask_i8_m128i(chunk, set_splat_i8_m128i(0x7F));
        found = bitor_m128i(found, bitor_m128i(low, delete));
    }
    move_mask_i8_m128i(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_is_found_at_each_place() {
        for length in 0..40 {
            for at in 0..=length {
                for wanted in 0..=0xFF_u8 {
                    let mut text = vec![b'a'; length];
                    text.get_mut(at..).unwrap().fill(wanted);
                    let is_found = at < length && matches!(wanted, b'"' | b'\\');
                    assert_eq!(find(&text, *b"\"\\"), is_found.then_some(at), "{wanted} {at} {length}");
                    let is_found = is_found || at < length && wanted.is_ascii_control();
                    assert_eq!(find_or_control(&text, *b"\"\\"), is_found.then_some(at), "{wanted} {at} {length}");
                }
            }
        }
    }
}
