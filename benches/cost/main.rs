//! What a call costs, as ratios to a floor that is measured beside it and as counted instructions.
//!
//! `cargo bench` runs all of it and ends with exit 1 where a target is missed; `cargo bench -- lines` measures the
//! line server alone. No time is a target by
//! itself: both sides of a ratio run in turn, on the same machine, with the same input.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a measurement that cannot be made ends the run"
)]

mod floor;
mod lines;
mod messages;
mod once;
mod order;
mod rules;
mod run;
mod sandbox;
mod table;

use std::process::ExitCode;

use table::Table;

/// The allocator of the program, so that the programs it is compared with have the same.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    // The programs that we are compared with are this one, under another name.
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
    once::small(&bench, &mut table);
    once::commands(&bench, &mut table);
    rules::many(&bench, &mut table);
    once::write_50_mib(&bench, &mut table);
    once::small_objects(&bench, &mut table);
    sandbox::before_exec(&bench, &mut table);
    lines::throughput(&bench, &mut table);
    table.print()
}
