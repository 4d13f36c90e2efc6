//! An allocator for a process that answers one call and ends.
//!
//! Small blocks are taken one after the other from a fixed arena, with a single atomic operation and no lock. Only the
//! last block can be given back. When the arena is used up, and for large blocks from the start, another allocator takes
//! over. So a process that lives long, or that reads a large message, uses no more memory than with that allocator,
//! plus the arena.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The size of the arena in bytes. Its pages cost nothing until they are used.
pub const ARENA: usize = 1 << 20;

/// Blocks of more bytes are large.
pub const LARGE: usize = 32 << 10;

/// Every block starts at a multiple of this, as `malloc` guarantees it.
pub(crate) const UNIT: usize = 16;

/// Aligned to [`UNIT`], as its blocks are.
#[repr(C, align(16))]
struct Arena(UnsafeCell<MaybeUninit<[u8; ARENA]>>);

/// An arena in front of another allocator. The fields of that allocator are last, because most calls use none of them.
#[repr(C)]
pub struct ArenaFirst<A> {
    /// The offset of the free part of the arena: no block that is in use ends behind it.
    next: AtomicUsize,
    arena: Arena,
    then: A,
}

// SAFETY: the bytes of the arena are only reached through blocks, and no two blocks in use overlap: `take` moves `next`
// over the bytes of a block in one atomic step, and only the owner of the last block moves it back.
unsafe impl<A: Sync> Sync for ArenaFirst<A> {}

impl<A> ArenaFirst<A> {
    /// Puts an empty arena in front of an allocator.
    pub const fn new(then: A) -> Self {
        let arena = Arena(UnsafeCell::new(MaybeUninit::uninit()));
        Self { then, next: AtomicUsize::new(0), arena }
    }

    fn start(&self) -> *mut u8 {
        self.arena.0.get().cast()
    }

    /// The offset of a block in the arena; `None` if it is a block of the other allocator.
    fn offset(&self, block: *mut u8) -> Option<usize> {
        Some(block.addr().wrapping_sub(self.start().addr())).filter(|offset| *offset < ARENA)
    }

    /// Moves the end of the last block. Returns false if other blocks follow it, or the arena is too small.
    fn resize_last(&self, end: usize, new_end: usize) -> bool {
        new_end <= ARENA && self.next.compare_exchange(end, new_end, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Takes a block from the arena, or returns a null pointer.
    fn take(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LARGE || layout.align() > UNIT {
            return std::ptr::null_mut();
        }
        let mut offset = self.next.load(Ordering::Relaxed);
        loop {
            let end = offset + rounded(layout.size());
            if end > ARENA {
                return std::ptr::null_mut();
            }
            match self.next.compare_exchange_weak(offset, end, Ordering::AcqRel, Ordering::Relaxed) {
                // SAFETY: `offset` is below `end`, which is within the arena.
                Ok(_) => return unsafe { self.start().add(offset) },
                Err(now) => offset = now,
            }
        }
    }
}

/// The number of bytes that a block takes in the arena. Every layout has a size far below `usize::MAX`.
const fn rounded(size: usize) -> usize {
    (size + (UNIT - 1)) & !(UNIT - 1)
}

// SAFETY: a block is either of the arena, where it is aligned to `UNIT` and overlaps no other block in use, or of the other
// allocator, which gets exactly the calls for its own blocks.
unsafe impl<A: GlobalAlloc> GlobalAlloc for ArenaFirst<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = self.take(layout);
        if block.is_null() {
            // SAFETY: the caller keeps the contract of `alloc`.
            return unsafe { self.then.alloc(layout) };
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let block = self.take(layout);
        if block.is_null() {
            // SAFETY: the caller keeps the contract of `alloc_zeroed`.
            return unsafe { self.then.alloc_zeroed(layout) };
        }
        // SAFETY: the block has this many bytes. They may have been used before.
        unsafe { block.write_bytes(0, layout.size()) };
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match self.offset(block) {
            Some(offset) => drop(self.resize_last(offset + rounded(layout.size()), offset)),
            // SAFETY: it is a block of the other allocator.
            None => unsafe { self.then.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(offset) = self.offset(block) else {
            // SAFETY: it is a block of the other allocator.
            return unsafe { self.then.realloc(block, layout, size) };
        };
        let end = offset + rounded(layout.size());
        if size <= LARGE && self.resize_last(end, offset + rounded(size)) {
            return block;
        }
        if size <= layout.size() {
            // The end of a block that is given back later is computed from its size then, so it is not the last one.
            return block;
        }
        // SAFETY: the caller promises that this size is valid for the alignment.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !new.is_null() {
            // SAFETY: both blocks have at least the bytes of the old one and do not overlap.
            unsafe { new.copy_from_nonoverlapping(block, layout.size()) };
            // SAFETY: it is a block of this allocator, and no longer used.
            unsafe { self.dealloc(block, layout) };
        }
        new
    }
}

#[cfg(test)]
#[expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each block is used within its size, and only before it is given back"
)]
mod tests {
    use std::alloc::System;

    use super::*;
    use crate::layout;

    /// An arena, which is too large for the stack of a test.
    fn arena() -> &'static ArenaFirst<System> {
        static ARENAS: [ArenaFirst<System>; 8] = [const { ArenaFirst::new(System) }; 8];
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        &ARENAS[NEXT.fetch_add(1, Ordering::Relaxed)]
    }

    #[test]
    fn small_blocks_are_in_the_arena_and_do_not_overlap() {
        let arena = arena();
        let blocks: Vec<_> = (1..200).map(|size| (unsafe { arena.alloc(layout(size)) }, size)).collect();
        for (at, (block, size)) in blocks.iter().enumerate() {
            assert!(arena.offset(*block).is_some_and(|offset| offset.is_multiple_of(UNIT)));
            unsafe { block.write_bytes(u8::try_from(at).unwrap(), *size) };
        }
        for (at, (block, size)) in blocks.iter().enumerate() {
            let bytes = unsafe { std::slice::from_raw_parts(*block, *size) };
            assert!(bytes.iter().all(|byte| usize::from(*byte) == at), "{at}");
        }
    }

    #[test]
    fn the_last_block_is_used_again() {
        let arena = arena();
        let (first, second) = unsafe { (arena.alloc(layout(100)), arena.alloc(layout(100))) };
        unsafe {
            arena.dealloc(first, layout(100));
            assert_ne!(arena.alloc(layout(100)), first, "a block in use follows it");
            second.write_bytes(7, 100);
            let third = arena.alloc(layout(8));
            arena.dealloc(third, layout(8));
            assert_eq!(arena.alloc_zeroed(layout(8)), third);
            assert_eq!(*third, 0);
        }
    }

    #[test]
    fn a_block_grows_where_it_is_or_keeps_its_bytes() {
        let arena = arena();
        unsafe {
            let block = arena.alloc(layout(10));
            block.write_bytes(3, 10);
            assert_eq!(arena.realloc(block, layout(10), 1000), block);
            let other = arena.alloc(layout(1));
            let moved = arena.realloc(block, layout(1000), 2000);
            assert!(moved != block && *moved.add(9) == 3);
            let smaller = arena.realloc(block, layout(1000), 5);
            assert_eq!(smaller, block);
            arena.dealloc(smaller, layout(5));
            other.write(9);
            assert_ne!(arena.alloc(layout(16)), other);
            let large = arena.realloc(moved, layout(2000), LARGE + 1);
            assert!(arena.offset(large).is_none() && *large.add(9) == 3);
            arena.dealloc(large, layout(LARGE + 1));
            let last = arena.alloc(layout(10));
            let large = arena.realloc(last, layout(10), LARGE + 1);
            assert_eq!(arena.alloc(layout(10)), last, "its place is free again");
            arena.dealloc(large, layout(LARGE + 1));
        }
    }

    #[test]
    fn another_allocator_takes_over() {
        let arena = arena();
        unsafe {
            let large = arena.alloc(layout(LARGE + 1));
            assert!(arena.offset(large).is_none());
            arena.dealloc(large, layout(LARGE + 1));
            let aligned = Layout::from_size_align(64, 64).unwrap();
            let block = arena.alloc(aligned);
            assert!(block.addr().is_multiple_of(64) && arena.offset(block).is_none());
            arena.dealloc(block, aligned);
            let full =
                (0..ARENA / LARGE).map(|_| arena.alloc(layout(LARGE))).all(|block| arena.offset(block).is_some());
            let over = arena.alloc(layout(1));
            assert!(full && arena.offset(over).is_none());
            arena.dealloc(over, layout(1));
        }
    }

    #[test]
    fn threads_never_get_the_same_bytes() {
        let arena = arena();
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                scope.spawn(move || {
                    for round in 0..20_000_usize {
                        let size = 1 + round % 50;
                        unsafe {
                            let block = arena.alloc(layout(size));
                            block.write_bytes(thread, size);
                            let block = arena.realloc(block, layout(size), size + 20);
                            assert!((0..size).all(|at| *block.add(at) == thread));
                            arena.dealloc(block, layout(size + 20));
                        }
                    }
                });
            }
        });
    }
}
