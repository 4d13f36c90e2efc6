//! `snaphook`: one hook binary that every coding agent can call.

use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

fn main() -> ExitCode {
    snaphook::run(Registry::standard())
}
