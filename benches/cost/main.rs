//! The cost of a call, as ratios to a reference program and as instruction counts.
//!
//! `cargo bench` runs all measurements and exits with 1 if a target is missed. `cargo bench -- lines` measures only the line
//! server, and so on for each word of [`MEASUREMENTS`]; `sessions --all` prints every call of the session. Absolute times
//! are not targets: both sides of a ratio run alternately, on the same machine, with the same input.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a measurement that cannot be made ends the run"
)]

mod agents;
mod blocks;
mod corpus;
mod floor;
mod lines;
mod link_map;
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

use run::Bench;
#[cfg(all(target_os = "linux", target_env = "musl"))]
use snaphook_alloc::{ArenaFirst, KeepBlocks};
use table::Table;

/// The allocator of the program, so that the programs it is compared with have the same.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: ArenaFirst<KeepBlocks<dlmalloc::GlobalDlmalloc>> =
    ArenaFirst::new(KeepBlocks::new(dlmalloc::GlobalDlmalloc));

/// Adds the rows of a measurement to the table.
type Measure = fn(&Bench, &mut Table);

/// The measurements by the word that asks for them.
const MEASUREMENTS: &[(&str, &[Measure])] = &[
    ("sessions", &[sessions::others, sessions::corpus]),
    ("shapes", &[shapes::lengths]),
    ("small", &[once::small, once::commands]),
    ("agents", &[agents::messages]),
    ("rules", &[rules::one, rules::many]),
    ("large", &[once::write_50_mib, once::command_50_mib, once::small_objects]),
    ("sandbox", &[sandbox::before_exec]),
    ("lines", &[lines::throughput]),
];

fn main() -> ExitCode {
    // With this variable set, this program is a reference program.
    if let Some(role) = std::env::var_os(floor::ROLE) {
        return floor::play(&role);
    }
    let bench = Bench::prepare();
    if std::env::args().any(|word| word == "--order") {
        order::write(&bench);
        return ExitCode::SUCCESS;
    }
    if std::env::args().any(|word| word == "--train") {
        order::train(&bench);
        return ExitCode::SUCCESS;
    }
    let mut table = Table::default();
    let names: Vec<String> = std::env::args().collect();
    let is_named = |name: &str| names.iter().any(|word| word == name);
    let all = !MEASUREMENTS.iter().any(|(name, _)| is_named(name));
    for (_, run) in MEASUREMENTS.iter().filter(|(name, _)| all || is_named(name)) {
        run.iter().for_each(|measure| measure(&bench, &mut table));
    }
    table.print()
}
