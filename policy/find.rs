//! Searches a text with the vector instructions that every processor of the target has. The functions at the root of `memchr` first
//! ask the processor which others it has, which a virtual machine answers slowly.

use memchr::arch;

/// Returns the offset of the first of three bytes.
#[inline]
pub(crate) fn find(text: &[u8], [a, b, c]: [u8; 3]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(three) = arch::x86_64::sse2::memchr::Three::new(a, b, c) {
        return three.find(text);
    }
    arch::all::memchr::Three::new(a, b, c).find(text)
}
