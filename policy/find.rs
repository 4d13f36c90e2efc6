//! Searches a text, on x86-64 sixteen bytes at a time, with the instructions that every such processor has. `memchr` first asks the
//! processor for others, which a virtual machine answers slowly.

/// Returns the offset of the first of two bytes.
#[inline]
pub(crate) fn find(text: &[u8], bytes: [u8; 2]) -> Option<usize> {
    first::<false>(text, bytes)
}

/// Returns the offset of the first of two bytes and all ASCII control characters.
#[inline]
pub(crate) fn find_or_control(text: &[u8], bytes: [u8; 2]) -> Option<usize> {
    first::<true>(text, bytes)
}

#[inline]
fn first<const CONTROLS: bool>(text: &[u8], bytes: [u8; 2]) -> Option<usize> {
    let (chunks, rest) = text.as_chunks();
    let mut at = 0;
    for chunk in chunks {
        let found = found::<CONTROLS>(chunk, bytes);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += chunk.len();
    }
    Some(at + rest.iter().position(|byte| is_searched::<CONTROLS>(*byte, bytes))?)
}

#[inline]
fn is_searched<const CONTROLS: bool>(byte: u8, [a, b]: [u8; 2]) -> bool {
    byte == a || byte == b || CONTROLS && byte.is_ascii_control()
}

/// Has a bit for each byte that is searched.
#[cfg(not(target_arch = "x86_64"))]
fn found<const CONTROLS: bool>(chunk: &[u8; 16], bytes: [u8; 2]) -> i32 {
    chunk.iter().rev().fold(0, |found, byte| found << 1 | i32::from(is_searched::<CONTROLS>(*byte, bytes)))
}

/// Has a bit for each byte that is searched.
#[cfg(target_arch = "x86_64")]
#[inline]
fn found<const CONTROLS: bool>(chunk: &[u8; 16], bytes: [u8; 2]) -> i32 {
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
