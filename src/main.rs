//! `snaphook`: one hook binary that every coding agent can call.

use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

/// The allocator of musl is slow, and most calls need only a few hundred KiB.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: snaphook_alloc::ArenaFirst<dlmalloc::GlobalDlmalloc> =
    snaphook_alloc::ArenaFirst::new(dlmalloc::GlobalDlmalloc);

fn main() -> ExitCode {
    snaphook::run(Registry::standard())
}
