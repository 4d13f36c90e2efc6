//! The tokens of a script.

use super::super::words::Word;

/// One token of a script.
#[derive(Debug, Clone)]
pub(in super::super) enum Token {
    Word(Word),
    Redirect(Redirect),
    Op(Op),
}

/// A redirection.
#[derive(Debug, Clone)]
pub(in super::super) struct Redirect {
    pub(in super::super) kind: RedirectKind,
    /// The file, the descriptor, the delimiter of a here-document, or the text of a here-string.
    pub(in super::super) target: Word,
    /// The script of the expansions in the body of a here-document.
    pub(in super::super) script: Option<usize>,
}

/// The kind of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum RedirectKind {
    /// `<`; `numbered` is true if it redirects another descriptor than standard input.
    Read {
        numbered: bool,
    },
    Write,
    /// `<>`
    Both,
    /// `&>`, `&>>`: in some shells a background operator followed by a redirection.
    All,
    /// `>&`, `<&`: a descriptor, or in some shells a file.
    Copy {
        out: bool,
    },
    HereDoc {
        tabs: bool,
    },
    HereString,
}

impl RedirectKind {
    /// Returns true if it may replace the standard input of a command.
    pub(in super::super) fn feeds(self) -> bool {
        matches!(self, Self::HereDoc { .. } | Self::HereString | Self::Read { .. } | Self::Both)
    }
}

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Op {
    AndIf,
    OrIf,
    Semi,
    DoubleSemi,
    Amp,
    Pipe,
    /// `|&`
    PipeBoth,
    Newline,
    Open,
    Close,
}

impl Op {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::AndIf => "&&",
            Self::OrIf => "||",
            Self::Semi => ";",
            Self::DoubleSemi => ";;",
            Self::Amp => "&",
            Self::Pipe => "|",
            Self::PipeBoth => "|&",
            Self::Newline => "\n",
            Self::Open => "(",
            Self::Close => ")",
        }
    }
}
