//! The tokenizer. It uses an explicit stack instead of recursion, within limits (S4).
//!
//! A construct that shells read differently is recorded and read as bash does. If even the end of a word is
//! uncertain, the scan stops.

mod document;
mod operators;
mod plain;

use super::super::words::{Expands, Word};
use super::token::{Redirect, RedirectKind, Token};
use crate::ScriptLimits;

/// The maximum number of `((` in a text, however they are closed.
const DOUBLE_OPENERS: usize = 4;

/// The scripts of a text: the text itself first, then its substitutions.
#[derive(Debug, Default)]
pub(in super::super) struct TokenScan {
    pub(in super::super) scripts: Vec<Vec<Token>>,
    /// The variables in each arithmetic expansion, and the expansion. Their values are evaluated as arithmetic too and
    /// may run a command.
    pub(in super::super) counted: Vec<(Vec<String>, String)>,
    /// The first construct that shells read differently or that is not understood.
    pub(in super::super) blame: Option<String>,
    /// True if some of the text has a syntax error.
    pub(in super::super) torn: bool,
    /// True if a limit was reached before the end.
    pub(in super::super) cut: bool,
    nodes: usize,
    openers: usize,
}

/// Ends the scan.
pub(super) struct Stop;

pub(super) enum ScanContext {
    Script(Frame),
    /// Inside double quotes.
    Double,
    /// `$((`, with its open parentheses, and the start of it and of its expansion.
    Arithmetic {
        open: usize,
        from: usize,
        start: usize,
    },
    /// `${` with more than a name.
    Brace {
        from: usize,
        start: usize,
    },
    /// The body of a here-document.
    Body,
}

/// A script that is being read.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) id: usize,
    pub(super) tokens: Vec<Token>,
    pub(super) word: Option<Word>,
    /// The start of the word, and whether it began with a `=`, which zsh replaces by the path of a program.
    word_from: usize,
    equals: bool,
    /// True if the word contains a `=`: only the text before the first one can be a variable name.
    has_equals: bool,
    /// True if the command is a `[[`; absent before its first word.
    compares: Option<bool>,
    open: usize,
    /// The start of the substitution; absent for the text itself.
    pub(super) from: Option<usize>,
    redirect: Option<RedirectKind>,
    docs: Vec<Doc>,
}

impl Frame {
    /// The script of a substitution that starts at a byte.
    pub(super) fn within(id: usize, from: usize) -> Self {
        Self { id, from: Some(from), ..Self::default() }
    }
}

struct Doc {
    end: String,
    tabs: bool,
    /// The script of its expansions; absent if the delimiter was quoted.
    script: Option<usize>,
}

struct Pending {
    id: usize,
    text: String,
    body: bool,
    depth: usize,
}

/// Tokenizes a text.
pub(in super::super) fn scan(text: &str, limits: &ScriptLimits) -> TokenScan {
    let mut out = TokenScan { scripts: vec![Vec::new()], ..TokenScan::default() };
    let mut pending = vec![Pending { id: 0, text: text.to_owned(), body: false, depth: 0 }];
    while let Some(next) = pending.pop() {
        let mut stack = vec![ScanContext::Script(Frame { id: next.id, ..Frame::default() })];
        if next.body {
            stack.push(ScanContext::Body);
        }
        let (text, depth) = (next.text.as_str(), next.depth);
        let spare = Word::default();
        let mut reader = Tokenizer { text, at: 0, stack, out: &mut out, pending: &mut pending, depth, limits, spare };
        if reader.read().is_err() {
            reader.give_up();
        }
        if next.body {
            out.is_body(next.id);
        }
    }
    out
}

pub(super) struct Tokenizer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) stack: Vec<ScanContext>,
    pub(super) out: &'a mut TokenScan,
    pending: &'a mut Vec<Pending>,
    depth: usize,
    limits: &'a ScriptLimits,
    /// Receives words if there is no script for them.
    spare: Word,
}

impl TokenScan {
    /// Records the cause; only the first one is kept.
    pub(in super::super) fn blame(&mut self, what: impl Into<String>) {
        if self.blame.is_none() {
            self.blame = Some(what.into());
        }
    }

    /// Marks the words of a here-document body, which are not a command.
    fn is_body(&mut self, id: usize) {
        for token in self.scripts.get_mut(id).into_iter().flatten() {
            if let Token::Word(word) = token {
                let target = std::mem::take(word);
                *token = Token::Redirect(Redirect { kind: RedirectKind::HereString, target, script: None });
            }
        }
    }
}

impl Tokenizer<'_> {
    fn read(&mut self) -> Result<(), Stop> {
        while let Some(c) = self.peek() {
            match self.stack.last() {
                Some(ScanContext::Script(_)) => self.script(c)?,
                Some(ScanContext::Double) => self.double(c)?,
                Some(ScanContext::Body) => self.body(c)?,
                Some(ScanContext::Arithmetic { .. }) => self.arithmetic(c)?,
                Some(ScanContext::Brace { .. }) => self.brace(c)?,
                None => return Err(Stop),
            }
        }
        self.finish()
    }

    fn finish(&mut self) -> Result<(), Stop> {
        if matches!(self.stack.last(), Some(ScanContext::Body)) {
            self.stack.pop();
        }
        match self.stack.last() {
            Some(ScanContext::Double) => return Err(self.stop("an unclosed `\"`")),
            Some(ScanContext::Arithmetic { .. }) => return Err(self.stop("an unclosed `$((`")),
            Some(ScanContext::Brace { .. }) => return Err(self.stop("an unclosed `${`")),
            Some(ScanContext::Script(frame)) if frame.from.is_some() => return Err(self.stop("an unclosed `$(`")),
            _ => {}
        }
        self.end_word()?;
        let Some(ScanContext::Script(frame)) = self.stack.last() else { return Err(Stop) };
        if frame.redirect.is_some() {
            return Err(self.stop("a redirection without a file"));
        }
        if !frame.docs.is_empty() {
            return Err(self.stop("an unclosed here-document"));
        }
        if let Some(ScanContext::Script(frame)) = self.stack.pop() {
            self.keep(frame);
        }
        Ok(())
    }

    /// Keeps the tokens read so far, for deny and ask rules.
    fn give_up(&mut self) {
        while let Some(context) = self.stack.pop() {
            if let ScanContext::Script(mut frame) = context {
                if let Some(word) = frame.word.take() {
                    let token = match frame.redirect.take() {
                        Some(kind) => Token::Redirect(Redirect { kind, target: word, script: None }),
                        None => Token::Word(word),
                    };
                    frame.tokens.push(token);
                }
                let (id, from) = (frame.id, frame.from);
                self.keep(frame);
                if let Some(from) = from {
                    self.at = self.text.len();
                    self.expanded(from, Expands::Other, Some(id));
                }
            }
        }
    }

    fn keep(&mut self, frame: Frame) {
        if let Some(script) = self.out.scripts.get_mut(frame.id) {
            *script = frame.tokens;
        }
    }

    // Input.

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn byte_before(&self) -> u8 {
        self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)).copied().unwrap_or(b'\n')
    }

    fn byte_ahead(&self, by: usize) -> u8 {
        self.text.as_bytes().get(self.at + by).copied().unwrap_or(b'\n')
    }

    // Causes.

    /// Records a cause and continues.
    pub(super) fn blame(&mut self, what: impl Into<String>) {
        self.out.blame(what);
    }

    /// Records the text from a byte to the current position as the cause.
    pub(super) fn blame_from(&mut self, from: usize) {
        if self.out.blame.is_none() {
            let text = self.text.get(from..self.at).unwrap_or_default();
            self.out.blame(format!("`{text}`"));
        }
    }

    /// Records a cause after which nothing is certain.
    pub(super) fn stop(&mut self, what: impl Into<String>) -> Stop {
        self.out.blame(what);
        self.out.torn = true;
        Stop
    }

    /// Records that a limit was reached; nothing after it is read.
    pub(super) fn over(&mut self, what: impl Into<String>) -> Stop {
        self.out.cut = true;
        self.stop(what)
    }

    // Output.

    pub(super) fn frame(&mut self) -> Result<&mut Frame, Stop> {
        let found = self.stack.iter_mut().rev().find_map(|context| match context {
            ScanContext::Script(frame) => Some(frame),
            _ => None,
        });
        found.ok_or(Stop)
    }

    /// The current word.
    pub(super) fn sink(&mut self) -> &mut Word {
        let at = self.at;
        let found = self.stack.iter_mut().rev().find_map(|context| match context {
            ScanContext::Script(frame) => Some(frame),
            _ => None,
        });
        let Some(frame) = found else { return &mut self.spare };
        if frame.word.is_none() {
            frame.word_from = at;
            frame.has_equals = false;
        }
        frame.word.get_or_insert_default()
    }

    pub(super) fn push(&mut self, context: ScanContext) -> Result<(), Stop> {
        if self.depth + self.stack.len() >= self.limits.depth {
            return Err(self.over(format!("nesting over {}", self.limits.depth)));
        }
        self.stack.push(context);
        Ok(())
    }

    fn node(&mut self) -> Result<(), Stop> {
        self.out.nodes += 1;
        if self.out.nodes > self.limits.words {
            return Err(self.over(format!("more than {} words", self.limits.words)));
        }
        Ok(())
    }

    /// Counts a `((`.
    pub(super) fn opener(&mut self) -> Result<(), Stop> {
        self.out.openers += 1;
        if self.out.openers > DOUBLE_OPENERS {
            return Err(self.stop(format!("more than {DOUBLE_OPENERS} `((`")));
        }
        Ok(())
    }

    /// Creates the script of a substitution that is read in place.
    pub(super) fn new_script(&mut self) -> usize {
        self.out.scripts.push(Vec::new());
        self.out.scripts.len() - 1
    }

    /// Creates the script of a substitution that is read later.
    pub(super) fn later(&mut self, text: String, body: bool) -> Result<usize, Stop> {
        let depth = self.depth + self.stack.len();
        if depth >= self.limits.depth {
            return Err(self.over(format!("nesting over {}", self.limits.depth)));
        }
        let id = self.new_script();
        self.pending.push(Pending { id, text, body, depth });
        Ok(id)
    }

    /// Returns true inside double quotes.
    pub(super) fn is_quoted(&self) -> bool {
        !matches!(self.stack.last(), Some(ScanContext::Script(_)))
    }

    // Scripts.

    fn script(&mut self, c: char) -> Result<(), Stop> {
        match c {
            ' ' | '\t' => {
                self.end_word()?;
                self.at += 1;
            }
            '\n' => self.newline()?,
            '\\' => self.escape()?,
            '\'' => self.single()?,
            '"' => {
                self.sink().quoted = true;
                self.at += 1;
                self.push(ScanContext::Double)?;
            }
            '`' => self.backquote()?,
            '$' => self.dollar()?,
            '#' if self.frame()?.word.is_none() => self.comment(),
            ';' | '&' | '|' | '(' | ')' => self.operator(c)?,
            '<' | '>' => self.angle(c)?,
            c => self.plain(c)?,
        }
        Ok(())
    }
}

/// Returns true for characters that some shells treat as blanks, and for invisible characters.
pub(super) fn is_unusual(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || (!c.is_ascii() && c.is_whitespace())
}
