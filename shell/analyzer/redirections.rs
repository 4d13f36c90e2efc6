//! Redirections: the files that they open, and where the input of a command comes from.

use super::super::devices::{is_number, is_stream};
use super::super::effects::Touch;
use super::super::syntax::{Redirect, RedirectKind, Token};
use super::super::touched_paths::Touched;
use super::{Analyzer, Bases, InputSource, RunMode};

impl Analyzer<'_> {
    /// Records the file that a redirection opens.
    pub(super) fn redirect(&mut self, redirect: &Redirect, bases: &Bases, mode: RunMode) {
        let word = &redirect.target;
        let touches: &[Touch] = match redirect.kind {
            RedirectKind::Read { numbered } => {
                self.mixed |= numbered;
                &[Touch::Read]
            }
            RedirectKind::Write | RedirectKind::All => &[Touch::Write],
            RedirectKind::Both => &[Touch::Read, Touch::Write],
            RedirectKind::Copy { out } => {
                let value = word.value.strip_suffix('-').unwrap_or(&word.value);
                if word.spans.is_empty() && (word.value == "-" || is_number(value)) {
                    self.mixed |= !(word.value == "-" || (out && matches!(value, "1" | "2")));
                    return;
                }
                // The name of a file in some shells, of which bash expands the value again.
                self.blame(format!("`{}&{}`", if out { '>' } else { '<' }, word.value));
                &[Touch::Write]
            }
            RedirectKind::HereDoc { .. } | RedirectKind::HereString => return,
        };
        self.changers += usize::from(touches.contains(&Touch::Write) && !is_stream(word, Touch::Write));
        for touch in touches {
            self.add(word, Touched::new(*touch, word, bases, mode.watch));
        }
    }
}

/// The input of a command behind a redirection.
pub(super) fn input_of(kind: RedirectKind) -> InputSource {
    match kind {
        RedirectKind::HereDoc { .. } | RedirectKind::HereString => InputSource::Document,
        kind if kind.feeds() => InputSource::Elsewhere,
        _ => InputSource::Inherited,
    }
}

/// Returns true if a redirection of this text replaces the input of all later commands.
pub(super) fn feeds_all(tokens: &[Token]) -> bool {
    tokens.split(|token| matches!(token, Token::Op(_))).any(|tokens| {
        let exec = |token: &Token| matches!(token, Token::Word(word) if word.value == "exec");
        let feeds = |token: &Token| matches!(token, Token::Redirect(redirect) if redirect.kind.feeds());
        tokens.iter().any(exec) && tokens.iter().any(feeds)
    })
}
