//! What a text is made of.

use super::super::words::Word;

/// Holds one piece of a script.
#[derive(Debug, Clone)]
pub(in super::super) enum Token {
    Word(Word),
    Redirect(Redirect),
    Op(Op),
}

/// Holds a redirection.
#[derive(Debug, Clone)]
pub(in super::super) struct Redirect {
    pub(in super::super) kind: RedirectKind,
    /// The file, the descriptor, the end of a here-document, or the text of a here-string.
    pub(in super::super) target: Word,
    /// What the body of a here-document runs.
    pub(in super::super) script: Option<usize>,
}

/// Names what a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum RedirectKind {
    /// `<`; `numbered`: into another descriptor than that of the input.
    Read {
        numbered: bool,
    },
    Write,
    /// `<>`
    Both,
    /// `&>`, `&>>`: to some shells the end of a command in the background, and a redirection.
    All,
    /// `>&`, `<&`: a descriptor, or to some shells a file.
    Copy {
        out: bool,
    },
    HereDoc {
        tabs: bool,
    },
    HereString,
}

impl RedirectKind {
    /// Whether it gives a command its input, or may.
    pub(in super::super) fn feeds(self) -> bool {
        matches!(self, Self::HereDoc { .. } | Self::HereString | Self::Read { .. } | Self::Both)
    }
}

/// Names an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Op {
    AndIf,
    OrIf,
    Semi,
    DoubleSemi,
    Amp,
    Pipe,
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
            Self::Newline => "\n",
            Self::Open => "(",
            Self::Close => ")",
        }
    }
}
