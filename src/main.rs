//! `snaphook`: one hook binary that every coding agent can call.

use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

/// A process for each call allocates little and for a short time; the allocator of the C library is made for others.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    snaphook::run(Registry::standard())
}
