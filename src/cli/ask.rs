//! A question on a terminal.

use std::io::{BufRead, IsTerminal, Write};

use super::Failure;

/// Shows what there is to show and asks; anywhere but on a terminal the answer is no.
pub(super) fn confirmed(shown: &mut String, question: &str) -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Ok(false);
    }
    let mut terminal = std::io::stdout().lock();
    write!(terminal, "{shown}\n{question} [y/N] ")?;
    terminal.flush()?;
    shown.clear();
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
