//! Colours of the output. A command marks its text, and [`written`] keeps the marks only if they are wanted.

use std::io::{self, Write};
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::visible::visible;

/// The value of `--color`. `Auto` is colours on a terminal, unless NO_COLOR or TERM forbids them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ColorArg {
    Auto,
    Always,
    Never,
}

impl ColorArg {
    fn choice(self) -> ColorChoice {
        match self {
            Self::Auto => AutoStream::choice(&io::stdout()),
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }
}

/// The meaning of a coloured text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tone {
    /// The call is blocked, or something is wrong.
    Bad,
    /// Somebody has to act.
    Attention,
    Good,
    /// Less important than the rest.
    Faint,
    /// The part of a command that a rule blocks.
    Marked,
}

impl Tone {
    const ALL: [Self; 5] = [Self::Bad, Self::Attention, Self::Good, Self::Faint, Self::Marked];

    fn style(self) -> Style {
        match self {
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Attention => AnsiColor::Yellow.on_default(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Faint => Style::new().dimmed(),
            Self::Marked => AnsiColor::Red.on_default().underline(),
        }
    }

    /// Marks a text, which must be escaped.
    pub(super) fn paint(self, text: impl AsRef<str>) -> String {
        let style = self.style();
        format!("{style}{}{style:#}", text.as_ref())
    }
}

static CHOICE: OnceLock<ColorChoice> = OnceLock::new();

/// Sets what `--color` says.
pub(super) fn choose(color: ColorArg) {
    let _ = CHOICE.set(color.choice());
}

/// Writes a text to stdout. Escapes what a terminal would interpret, except the marks of [`Tone::paint`].
pub(super) fn written(text: &str) -> io::Result<()> {
    let choice = CHOICE.get().copied().unwrap_or(ColorChoice::Never);
    let mut stdout = AutoStream::new(io::stdout().lock(), choice);
    stdout.write_all(escaped(text).as_bytes())?;
    stdout.flush()
}

fn escaped(text: &str) -> String {
    let marks: Vec<String> = Tone::ALL
        .iter()
        .flat_map(|tone| [format!("{}", tone.style()), format!("{:#}", tone.style())])
        .filter(|mark| !mark.is_empty())
        .collect();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, from) = rest.split_at(at);
        out.push_str(&visible(before));
        // A style may begin with a shorter one.
        let mark = marks.iter().filter(|mark| from.starts_with(mark.as_str())).max_by_key(|mark| mark.len());
        let length = mark.map_or(1, String::len);
        let (found, after) = from.split_at(length);
        out.push_str(&mark.map_or_else(|| visible(found), Clone::clone));
        rest = after;
    }
    out.push_str(&visible(rest));
    out
}

/// The width of the terminal; `None` if stdout is not a terminal.
pub(super) fn width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marks_of_this_program_are_kept() {
        let painted = Tone::ALL.map(|tone| tone.paint("x")).concat();
        assert_eq!(escaped(&painted), painted);
        for foreign in ["\u{1b}[8m", "\u{1b}[2K", "\u{1b}]0;x\u{7}", "\u{1b}", "\u{9b}1m"] {
            assert!(!escaped(&format!("a{foreign}b")).contains(['\u{1b}', '\u{9b}']), "{foreign:?}");
        }
    }
}
