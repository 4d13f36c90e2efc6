//! A question on a terminal.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

use super::{Failure, visible};

/// Shows what there is to show and asks; anywhere but on a terminal the answer is no.
pub(super) fn confirmed(shown: &mut String, question: &str) -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Ok(false);
    }
    let mut terminal = std::io::stdout().lock();
    write!(terminal, "{}\n{question} [y/N] ", visible(shown))?;
    terminal.flush()?;
    shown.clear();
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Says whether files are changed: after a question, unless the command line has the answer.
#[derive(clap::Args)]
pub(super) struct Consent {
    /// Show what would be changed, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Change without asking
    #[arg(long)]
    yes: bool,
}

impl Consent {
    /// How the command ends here, where the files are not to be changed after all.
    pub(super) fn refused(&self, changes: bool, command: &str, out: &mut String) -> Result<Option<ExitCode>, Failure> {
        if self.dry_run {
            out.push_str("Nothing was changed.\n");
            return Ok(Some(ExitCode::SUCCESS));
        }
        let question = format!("Change these files? (line by line: snaphook {command} --dry-run)");
        if changes && !self.yes && !confirmed(out, &question)? {
            let _ = writeln!(out, "Nothing was changed; to change without a question: snaphook {command} --yes");
            return Ok(Some(ExitCode::from(1)));
        }
        Ok(None)
    }
}
