//! Confirmation prompts on the controlling terminal.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;

use super::{Failure, visible};
use crate::platform::terminal;

/// Prints `shown` and asks a yes-or-no question on the controlling terminal. Returns false if there is no
/// terminal.
///
/// Standard input is not used: a command that an agent starts gets its input from the agent.
pub(super) fn confirmed(shown: &mut String, question: &str) -> Result<bool, Failure> {
    let Some((input, mut terminal)) = terminal::open() else { return Ok(false) };
    // Written before reading starts, so that early keystrokes do not mix with the prompt.
    terminal.write_all(format!("{}\n{question} [y/N] ", visible(shown)).as_bytes())?;
    shown.clear();
    let mut answer = String::new();
    BufReader::new(input).read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// The options shared by all commands that change files.
#[derive(clap::Args)]
pub(super) struct Consent {
    /// Print the changes without making them
    #[arg(long)]
    pub(super) dry_run: bool,
}

impl Consent {
    /// Returns the exit code if the files must not be changed. If `question` is given, asks the user first; its
    /// text names the alternative to answering.
    pub(super) fn refused(
        &self,
        question: Option<&str>,
        command: &str,
        out: &mut String,
    ) -> Result<Option<ExitCode>, Failure> {
        if self.dry_run {
            out.push_str("Nothing was changed.\n");
            return Ok(Some(ExitCode::SUCCESS));
        }
        let Some(instead) = question else { return Ok(None) };
        let text = format!("Change these files? (to see each line: snaphook {command} --dry-run)");
        if confirmed(out, &text)? {
            return Ok(None);
        }
        let _ = writeln!(out, "Nothing was changed: `snaphook {command}` asks for confirmation on a terminal{instead}");
        Ok(Some(ExitCode::from(1)))
    }
}
