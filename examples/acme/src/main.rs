//! The whole program, with one more agent.

use snaphook_adapters::registry::Registry;

fn main() -> std::process::ExitCode {
    snaphook::run(Registry::standard().with(&snaphook_example_acme::Acme))
}
