//! `snaphook`: one hook binary that every coding agent can call.

use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

/// The allocator of musl is slow.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    snaphook::run(Registry::standard())
}
