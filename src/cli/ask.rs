//! A question on a terminal.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;

use super::{Failure, visible};

/// Shows text and asks a question on the controlling terminal; without one the answer is no.
///
/// Standard input does not count: what an agent runs has its input from the agent.
pub(super) fn confirmed(shown: &mut String, question: &str) -> Result<bool, Failure> {
    let Some(mut terminal) = terminal() else { return Ok(false) };
    // At once, so that nothing that is typed early comes in between.
    terminal.write_all(format!("{}\n{question} [y/N] ", visible(shown)).as_bytes())?;
    shown.clear();
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Opens the controlling terminal, if this process is in its foreground: in the background reading stops it.
fn terminal() -> Option<File> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    let foreground = rustix::termios::tcgetpgrp(&terminal).ok()?;
    (foreground == rustix::process::getpgrp()).then_some(terminal)
}

/// What a command that changes files takes from its line.
#[derive(clap::Args)]
pub(super) struct Consent {
    /// Show what would be changed, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

impl Consent {
    /// Returns how the command ends here if the files are not to be changed. Asks if there is a `question`,
    /// which is what the user may do instead of answering.
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
        let text = format!("Change these files? (line by line: snaphook {command} --dry-run)");
        if confirmed(out, &text)? {
            return Ok(None);
        }
        let _ = writeln!(out, "Nothing was changed: `snaphook {command}` needs your answer on a terminal{instead}");
        Ok(Some(ExitCode::from(1)))
    }
}
