//! Free lists of small blocks, for each thread.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::arena::UNIT;

/// The size of the largest blocks that are kept, in bytes.
const MOST: usize = 1 << 10;

/// There is a list for each size of small blocks.
const SIZES: usize = MOST / UNIT;

/// The most bytes in one list.
const KEPT: usize = 16 << 10;

/// The number of threads that can have lists at a time.
const THREADS: usize = 8;

/// Free lists in front of another allocator. A thread with [its own lists](OwnLists) takes blocks from them without a lock or an
/// atomic operation.
pub struct KeepBlocks<A> {
    threads: [FreeLists; THREADS],
    then: A,
}

/// The lists of one thread.
struct FreeLists {
    /// The block of each size that was freed last. Its first bytes are the address of the one before.
    newest: [Cell<*mut u8>; SIZES],
    /// The bytes in each list.
    bytes: [Cell<usize>; SIZES],
}

// SAFETY: only the thread with their number uses the lists, and a number is given to another thread only after it was given back.
unsafe impl<A: Sync> Sync for KeepBlocks<A> {}

thread_local! {
    /// The number of the thread, which is the number of its lists; `THREADS` if it has none.
    static NUMBER: Cell<usize> = const { Cell::new(THREADS) };
}

/// The numbers in use, one bit for each.
static NUMBERS: AtomicU8 = AtomicU8::new(0);

/// Free lists that only the current thread uses. When this is dropped, another thread can take them with the blocks in them. A thread
/// that allocates much should take some; without them, it gets each block from the other allocator.
#[derive(Debug)]
#[must_use = "the lists are given back when this is dropped"]
pub struct OwnLists {
    number: usize,
    /// It must be dropped by the same thread.
    thread: PhantomData<*mut ()>,
}

impl OwnLists {
    /// Takes lists for the current thread. Returns `None` if it has some already, or if all are in use.
    pub fn take() -> Option<Self> {
        if NUMBER.get() < THREADS {
            return None;
        }
        // The blocks that the last owner put into the lists must be seen.
        let next = |taken: u8| taken.checked_add(1).map(|next| taken | next);
        let before = NUMBERS.fetch_update(Ordering::Acquire, Ordering::Relaxed, next).ok()?;
        let number = before.trailing_ones() as usize;
        NUMBER.set(number);
        Some(Self { number, thread: PhantomData })
    }
}

impl Drop for OwnLists {
    fn drop(&mut self) {
        NUMBER.set(THREADS);
        NUMBERS.fetch_and(!(1 << self.number), Ordering::Release);
    }
}

/// The list of blocks for a layout; `None` if they are not kept.
fn list_of(layout: Layout) -> Option<usize> {
    (layout.size() <= MOST && layout.align() <= UNIT).then(|| layout.size().saturating_sub(1) / UNIT)
}

/// The layout with which a block is allocated and freed by the other allocator. A small block is as large as all of its
/// list, and every block is aligned to `UNIT`, so that it may grow or shrink to any size.
fn whole(layout: Layout) -> Layout {
    let size = list_of(layout).map_or(layout.size(), |list| (list + 1) * UNIT);
    Layout::from_size_align(size, layout.align().max(UNIT)).unwrap_or(layout)
}

impl FreeLists {
    const fn new() -> Self {
        Self { newest: [const { Cell::new(null_mut()) }; SIZES], bytes: [const { Cell::new(0) }; SIZES] }
    }

    /// Takes a block from a list; `None` if the list is empty.
    #[expect(clippy::cast_ptr_alignment, reason = "every block is aligned to `UNIT`")]
    fn take(&self, list: usize) -> Option<*mut u8> {
        let (newest, bytes) = (self.newest.get(list)?, self.bytes.get(list)?);
        let block = newest.get();
        if block.is_null() {
            return None;
        }
        // SAFETY: `put` wrote the address to a block of at least `UNIT` bytes, which is aligned for it.
        newest.set(unsafe { block.cast::<*mut u8>().read() });
        bytes.set(bytes.get() - (list + 1) * UNIT);
        Some(block)
    }

    /// Adds a block to a list. Returns false if the list is full.
    ///
    /// # Safety
    /// The block has the size of the list, is aligned to `UNIT`, and is not used any more.
    #[expect(clippy::cast_ptr_alignment, reason = "every block is aligned to `UNIT`")]
    unsafe fn put(&self, list: usize, block: *mut u8) -> bool {
        let (Some(newest), Some(bytes)) = (self.newest.get(list), self.bytes.get(list)) else { return false };
        let more = bytes.get() + (list + 1) * UNIT;
        if more > KEPT {
            return false;
        }
        // SAFETY: the caller promises that the block can be written.
        unsafe { block.cast::<*mut u8>().write(newest.get()) };
        newest.set(block);
        bytes.set(more);
        true
    }
}

impl<A> KeepBlocks<A> {
    /// Puts empty lists in front of an allocator.
    pub const fn new(then: A) -> Self {
        Self { threads: [const { FreeLists::new() }; THREADS], then }
    }

    /// The lists of this thread, if it has some.
    fn lists(&self) -> Option<&FreeLists> {
        self.threads.get(NUMBER.get())
    }

    fn take(&self, layout: Layout) -> Option<*mut u8> {
        let list = list_of(layout)?;
        self.lists()?.take(list)
    }
}

// SAFETY: a block is either in use or in one list. Blocks of the same list have the same size and alignment, which are at least
// those of every layout of the list, and the other allocator gets a block back with the layout with which it was taken.
//
// Not inlined, so that the code of the allocator in front of it stays short.
unsafe impl<A: GlobalAlloc> GlobalAlloc for KeepBlocks<A> {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`, and the whole layout is at least as large.
        self.take(layout).unwrap_or_else(|| unsafe { self.then.alloc(whole(layout)) })
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(block) => {
                // SAFETY: the block has at least this many bytes.
                unsafe { block.write_bytes(0, layout.size()) };
                block
            }
            // SAFETY: as for `alloc`.
            None => unsafe { self.then.alloc_zeroed(whole(layout)) },
        }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller gives the block back, and every block of the layout has the size and alignment of its list.
        let kept = list_of(layout).zip(self.lists()).is_some_and(|(list, lists)| unsafe { lists.put(list, block) });
        if !kept {
            // SAFETY: it was taken with this layout.
            unsafe { self.then.dealloc(block, whole(layout)) };
        }
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that this size is valid for the alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let list = list_of(layout);
        if list.is_some() && list == list_of(new) {
            return block;
        }
        if list.is_some()
            && let Some(other) = self.take(new)
        {
            let count = layout.size().min(size);
            // SAFETY: both blocks have this many bytes and do not overlap, and the old one is not used any more.
            unsafe {
                other.copy_from_nonoverlapping(block, count);
                self.dealloc(block, layout);
            }
            return other;
        }
        // SAFETY: it was taken with this layout, and the new size is that of a whole layout.
        unsafe { self.then.realloc(block, whole(layout), whole(new).size()) }
    }
}

#[cfg(test)]
#[expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each block is used within its size, and only before it is given back"
)]
mod tests {
    use std::alloc::System;
    use std::sync::Mutex;

    use super::*;
    use crate::layout;

    /// An allocator that counts the blocks that are in use, and checks their layouts.
    struct CheckedAllocator(Mutex<Vec<(usize, Layout)>>);

    unsafe impl GlobalAlloc for CheckedAllocator {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let block = unsafe { System.alloc(layout) };
            self.0.lock().unwrap().push((block.addr(), layout));
            block
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            let mut blocks = self.0.lock().unwrap();
            let at = blocks.iter().position(|known| *known == (block.addr(), layout));
            blocks.swap_remove(at.expect("a block with its layout"));
            unsafe { System.dealloc(block, layout) };
        }
    }

    fn kept() -> KeepBlocks<CheckedAllocator> {
        KeepBlocks::new(CheckedAllocator(Mutex::default()))
    }

    /// Runs a test with lists. It waits for them, because other tests may be using all.
    fn with_lists(test: impl FnOnce(&KeepBlocks<CheckedAllocator>)) {
        let _lists = std::iter::repeat_with(OwnLists::take).flatten().next();
        test(&kept());
    }

    #[test]
    fn a_block_is_used_again_for_every_size_of_its_list() {
        with_lists(|kept| unsafe {
            let block = kept.alloc(layout(17));
            kept.dealloc(block, layout(17));
            assert_ne!(kept.alloc(layout(16)), block);
            assert_eq!(kept.alloc(layout(32)), block);
            block.write_bytes(7, 32);
            kept.dealloc(block, layout(32));
            assert_eq!(kept.alloc_zeroed(layout(20)), block);
            assert!((0..20).all(|at| *block.add(at) == 0));
            assert_eq!(kept.realloc(block, layout(20), 31), block);
        });
    }

    #[test]
    fn large_and_aligned_blocks_are_not_kept_and_full_lists_give_back() {
        with_lists(|kept| unsafe {
            let count = || kept.then.0.lock().unwrap().len();
            for odd in [layout(MOST + 1), Layout::from_size_align(16, 64).unwrap()] {
                let block = kept.alloc(odd);
                kept.dealloc(block, odd);
                assert_eq!(count(), 0);
            }
            let blocks: Vec<_> = (0..2 * KEPT / 64).map(|_| kept.alloc(layout(64))).collect();
            for block in blocks {
                kept.dealloc(block, layout(64));
            }
            assert_eq!(count(), KEPT / 64);
        });
    }

    #[test]
    fn a_block_keeps_its_bytes_when_it_grows_or_shrinks() {
        with_lists(|kept| unsafe {
            let sizes = [1, 16, 17, 900, MOST, MOST + 1, 5000, MOST, 40, 3];
            let mut block = kept.alloc(layout(1));
            *block = 5;
            for pair in sizes.windows(2) {
                block = kept.realloc(block, layout(pair[0]), pair[1]);
                assert_eq!(*block, 5);
            }
            kept.dealloc(block, layout(3));
        });
    }

    #[test]
    fn threads_without_lists_give_blocks_back_at_once() {
        let kept = kept();
        std::thread::scope(|scope| {
            scope.spawn(|| unsafe {
                let block = kept.alloc(layout(20));
                kept.dealloc(block, layout(20));
            });
        });
        assert!(kept.then.0.lock().unwrap().is_empty());
    }

    #[test]
    fn the_next_owner_gets_the_blocks_of_the_last_one() {
        static SHARED: KeepBlocks<System> = KeepBlocks::new(System);
        // More threads than there are lists, one after another.
        for _ in 0..4 * THREADS {
            let work = || {
                let lists = std::iter::repeat_with(OwnLists::take).flatten().next().unwrap();
                assert!(OwnLists::take().is_none());
                let block = unsafe { SHARED.alloc(layout(48)) };
                unsafe { block.write_bytes(1, 48) };
                unsafe { SHARED.dealloc(block, layout(48)) };
                assert_eq!(unsafe { SHARED.alloc(layout(48)) }, block);
                unsafe { SHARED.dealloc(block, layout(48)) };
                drop(lists);
                assert!(SHARED.lists().is_none());
            };
            std::thread::spawn(work).join().unwrap();
        }
    }

    #[test]
    fn blocks_may_be_given_back_by_another_thread() {
        const ROUNDS: usize = if cfg!(miri) { 200 } else { 20_000 };
        static SHARED: KeepBlocks<System> = KeepBlocks::new(System);
        let threads: Vec<_> = (0..12_u8)
            .map(|thread| {
                std::thread::spawn(move || {
                    let _lists = OwnLists::take();
                    let mut blocks = Vec::new();
                    for round in 0..ROUNDS {
                        let size = 1 + round * 7 % (MOST + 100);
                        let block = unsafe { SHARED.alloc(layout(size)) };
                        unsafe { block.write_bytes(thread, size) };
                        blocks.push((block.expose_provenance(), size));
                        if round % 3 == 0 {
                            let (at, size) = blocks.swap_remove(round % blocks.len());
                            let block = std::ptr::with_exposed_provenance_mut::<u8>(at);
                            assert!((0..size).all(|byte| unsafe { *block.add(byte) } == thread));
                            unsafe { SHARED.dealloc(block, layout(size)) };
                        }
                    }
                    blocks
                })
            })
            .collect();
        let blocks: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        for (at, size) in blocks {
            unsafe { SHARED.dealloc(std::ptr::with_exposed_provenance_mut(at), layout(size)) };
        }
    }
}
