//! Shell completions and man pages, generated from the clap definitions.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;

use super::{Cli, Failure, one_line};

/// Prints the completion script of a shell.
pub(super) fn completions(shell: clap_complete::Shell, out: &mut String) -> Result<ExitCode, Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "snaphook", &mut bytes);
    out.push_str(&String::from_utf8(bytes)?);
    Ok(ExitCode::SUCCESS)
}

/// Writes one man page for the program and one for each subcommand.
pub(super) fn man(folder: &Path, out: &mut String) -> Result<ExitCode, Failure> {
    let place = |error: std::io::Error| Failure(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(place)?;
    clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), folder).map_err(place)?;
    let _ = writeln!(out, "wrote the pages to {}", one_line(folder.to_string_lossy()));
    Ok(ExitCode::SUCCESS)
}
