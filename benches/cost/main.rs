//! The cost of a call, as ratios to a reference program and as instruction counts.
//!
//! `cargo bench` runs all measurements and exits with 1 if a target is missed; `cargo bench -- lines` measures only the
//! line server, `cargo bench -- sessions` only the calls of a session (with `--all`, each of them), `cargo bench --
//! agents` only the same call of each agent, `cargo bench -- shapes` only the law that no cost grows faster than its
//! input. Absolute times are not targets: both sides of a ratio run alternately, on the same machine, with the same
//! input.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a measurement that cannot be made ends the run"
)]

mod agents;
mod corpus;
mod floor;
mod lines;
mod messages;
mod once;
mod order;
mod rules;
mod run;
mod sandbox;
mod sessions;
mod shapes;
mod table;

use std::process::ExitCode;

#[cfg(all(target_os = "linux", target_env = "musl"))]
use snaphook_alloc::{ArenaFirst, KeepBlocks};
use table::Table;

/// The allocator of the program, so that the programs it is compared with have the same.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: ArenaFirst<KeepBlocks<dlmalloc::GlobalDlmalloc>> =
    ArenaFirst::new(KeepBlocks::new(dlmalloc::GlobalDlmalloc));

fn main() -> ExitCode {
    // With this variable set, this program is a reference program.
    if let Some(role) = std::env::var_os(floor::ROLE) {
        return floor::play(&role);
    }
    let bench = run::Bench::prepare();
    if std::env::args().any(|word| word == "--order") {
        order::write(&bench);
        return ExitCode::SUCCESS;
    }
    let mut table = Table::default();
    if std::env::args().any(|word| word == "lines") {
        lines::throughput(&bench, &mut table);
        return table.print();
    }
    if std::env::args().any(|word| word == "sessions") {
        sessions::others(&bench, &mut table);
        sessions::corpus(&bench, &mut table);
        return table.print();
    }
    if std::env::args().any(|word| word == "agents") {
        agents::messages(&bench, &mut table);
        return table.print();
    }
    if std::env::args().any(|word| word == "shapes") {
        shapes::lengths(&bench, &mut table);
        return table.print();
    }
    sessions::others(&bench, &mut table);
    sessions::corpus(&bench, &mut table);
    shapes::lengths(&bench, &mut table);
    once::small(&bench, &mut table);
    once::commands(&bench, &mut table);
    agents::messages(&bench, &mut table);
    rules::many(&bench, &mut table);
    once::write_50_mib(&bench, &mut table);
    once::small_objects(&bench, &mut table);
    sandbox::before_exec(&bench, &mut table);
    lines::throughput(&bench, &mut table);
    table.print()
}
