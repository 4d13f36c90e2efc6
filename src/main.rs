//! `snaphook`: one hook binary that every coding agent can call.

use std::process::ExitCode;

use snaphook_adapters::registry::Registry;
use snaphook_alloc::{ArenaFirst, KeepBlocks, OwnLists};

/// Most calls need only a few hundred KiB, in small blocks. The allocator of musl is slow.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: ArenaFirst<KeepBlocks<dlmalloc::GlobalDlmalloc>> =
    ArenaFirst::new(KeepBlocks::new(dlmalloc::GlobalDlmalloc));

#[cfg(not(all(target_os = "linux", target_env = "musl")))]
#[global_allocator]
static ALLOCATOR: ArenaFirst<KeepBlocks<std::alloc::System>> = ArenaFirst::new(KeepBlocks::new(std::alloc::System));

fn main() -> ExitCode {
    let _lists = OwnLists::take();
    snaphook::run(Registry::standard())
}
