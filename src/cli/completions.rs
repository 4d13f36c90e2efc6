//! Shell completions, generated from the definitions of the commands.

use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

use super::{Failure, command};

/// Prints the completion script of a shell.
pub(super) fn completions(
    registry: &Registry,
    shell: clap_complete::Shell,
    out: &mut String,
) -> Result<ExitCode, Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut command(registry), "snaphook", &mut bytes);
    out.push_str(&String::from_utf8(bytes)?);
    Ok(ExitCode::SUCCESS)
}
