//! The allocator of a program that usually answers one call and ends, and sometimes answers many.
//!
//! [`ArenaFirst`] takes small blocks from an arena, which is enough for one call. [`KeepBlocks`], behind it, has free lists
//! for the threads that ask for them.

mod arena;
mod kept;

pub use arena::{ARENA, ArenaFirst, LARGE};
pub use kept::{KeepBlocks, OwnLists};

/// The layout of a block in the tests.
#[cfg(test)]
fn layout(size: usize) -> std::alloc::Layout {
    std::alloc::Layout::from_size_align(size, 8).unwrap()
}
