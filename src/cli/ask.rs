//! Confirmation prompts on the controlling terminal.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;

use super::{Failure, one_line, visible};
use crate::platform::terminal;
use crate::setup::guard;

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

/// The command line of this process, so that a hint keeps all of its options.
pub(super) fn invoked() -> String {
    let words: Vec<_> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    guard::line(std::iter::once("snaphook").chain(words.iter().map(String::as_str)))
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
    pub(super) fn refused(&self, question: Option<&str>, out: &mut String) -> Result<Option<ExitCode>, Failure> {
        if self.dry_run {
            out.push_str("Nothing was changed.\n");
            return Ok(Some(ExitCode::SUCCESS));
        }
        let Some(instead) = question else { return Ok(None) };
        let command = one_line(invoked());
        let text = format!("Change these files? (to see each line: {command} --dry-run)");
        if confirmed(out, &text)? {
            return Ok(None);
        }
        let _ = writeln!(out, "Nothing was changed: `{command}` asks for confirmation on a terminal{instead}");
        Ok(Some(ExitCode::from(1)))
    }
}
