//! From text to tokens, with a stack of its own instead of recursion, within bounds (S4).
//!
//! What not every shell reads in the same way is noted as the word to blame, and read as bash does;
//! where even the end of a word is in doubt the scan ends.

mod document;
mod operators;
mod plain;

use super::super::words::{Expands, Word};
use super::token::{Redirect, RedirectKind, Token};
use crate::policy::settings::Limits;

/// How many `((` a text may have, whatever closes them.
const DOUBLE_OPENERS: usize = 4;

/// Holds what a text is made of: itself first, then what its substitutions run.
#[derive(Debug, Default)]
pub(in super::super) struct Scan {
    pub(in super::super) scripts: Vec<Vec<Token>>,
    /// What is read differently by some shell, or by nobody knows which.
    pub(in super::super) blame: Option<String>,
    /// Whether there is no syntax in some of it.
    pub(in super::super) torn: bool,
    /// Whether a limit was reached before all of it was read.
    pub(in super::super) cut: bool,
    nodes: usize,
    openers: usize,
}

/// Ends a scan.
pub(super) struct Stop;

pub(super) enum Context {
    Script(Frame),
    /// Between double quotes.
    Double,
    /// `$((`, with the parentheses open in it, and where it and its expansion begin.
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

/// Holds a script while it is read.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) id: usize,
    pub(super) tokens: Vec<Token>,
    pub(super) word: Option<Word>,
    /// Where the word begins, and whether with a `=`, which zsh replaces by the path of a program.
    word_from: usize,
    equals: bool,
    /// Whether the word has a `=`: only before the first one there may be a name that is set.
    has_equals: bool,
    /// Whether the command is a `[[`; absent: its first word is still to come.
    compares: Option<bool>,
    open: usize,
    /// Where the substitution begins that this is; absent: the text itself.
    pub(super) from: Option<usize>,
    redirect: Option<RedirectKind>,
    docs: Vec<Doc>,
}

impl Frame {
    /// The script of a substitution that begins at a byte.
    pub(super) fn within(id: usize, from: usize) -> Self {
        Self { id, from: Some(from), ..Self::default() }
    }
}

struct Doc {
    end: String,
    tabs: bool,
    /// The script that its expansions belong to; absent: it was quoted.
    script: Option<usize>,
}

struct Pending {
    id: usize,
    text: String,
    body: bool,
    depth: usize,
}

/// Reads a text.
pub(in super::super) fn scan(text: &str, limits: &Limits) -> Scan {
    let mut out = Scan { scripts: vec![Vec::new()], ..Scan::default() };
    let mut pending = vec![Pending { id: 0, text: text.to_owned(), body: false, depth: 0 }];
    while let Some(next) = pending.pop() {
        let mut stack = vec![Context::Script(Frame { id: next.id, ..Frame::default() })];
        if next.body {
            stack.push(Context::Body);
        }
        let (text, depth) = (next.text.as_str(), next.depth);
        let spare = Word::default();
        let mut reader = Reader { text, at: 0, stack, out: &mut out, pending: &mut pending, depth, limits, spare };
        if reader.read().is_err() {
            reader.give_up();
        }
        if next.body {
            out.is_body(next.id);
        }
    }
    out
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) stack: Vec<Context>,
    out: &'a mut Scan,
    pending: &'a mut Vec<Pending>,
    depth: usize,
    limits: &'a Limits,
    /// Where words go when no script is left to take them.
    spare: Word,
}

impl Scan {
    /// Notes what is to blame; the first counts.
    pub(in super::super) fn blame(&mut self, what: impl Into<String>) {
        if self.blame.is_none() {
            self.blame = Some(what.into());
        }
    }

    /// The words of a body are no command.
    fn is_body(&mut self, id: usize) {
        for token in self.scripts.get_mut(id).into_iter().flatten() {
            if let Token::Word(word) = token {
                let target = std::mem::take(word);
                *token = Token::Redirect(Redirect { kind: RedirectKind::HereString, target, script: None });
            }
        }
    }
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), Stop> {
        while let Some(c) = self.peek() {
            match self.stack.last() {
                Some(Context::Script(_)) => self.script(c)?,
                Some(Context::Double) => self.double(c)?,
                Some(Context::Body) => self.body(c)?,
                Some(Context::Arithmetic { .. }) => self.arithmetic(c)?,
                Some(Context::Brace { .. }) => self.brace(c)?,
                None => return Err(Stop),
            }
        }
        self.finish()
    }

    fn finish(&mut self) -> Result<(), Stop> {
        if matches!(self.stack.last(), Some(Context::Body)) {
            self.stack.pop();
        }
        match self.stack.last() {
            Some(Context::Double) => return Err(self.stop("an open `\"`")),
            Some(Context::Arithmetic { .. }) => return Err(self.stop("an open `$((`")),
            Some(Context::Brace { .. }) => return Err(self.stop("an open `${`")),
            Some(Context::Script(frame)) if frame.from.is_some() => return Err(self.stop("an open `$(`")),
            _ => {}
        }
        self.end_word()?;
        let Some(Context::Script(frame)) = self.stack.last() else { return Err(Stop) };
        if frame.redirect.is_some() {
            return Err(self.stop("a redirection without a file"));
        }
        if !frame.docs.is_empty() {
            return Err(self.stop("an open here-document"));
        }
        if let Some(Context::Script(frame)) = self.stack.pop() {
            self.keep(frame);
        }
        Ok(())
    }

    /// Keeps what was read up to here, so that deny and ask see it.
    fn give_up(&mut self) {
        while let Some(context) = self.stack.pop() {
            if let Context::Script(mut frame) = context {
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

    // What is next.

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

    // What to blame.

    /// Blames something that is read on nevertheless.
    pub(super) fn blame(&mut self, what: impl Into<String>) {
        self.out.blame(what);
    }

    /// Blames the text from a byte up to here.
    pub(super) fn blame_from(&mut self, from: usize) {
        if self.out.blame.is_none() {
            let text = self.text.get(from..self.at).unwrap_or_default();
            self.out.blame(format!("`{text}`"));
        }
    }

    /// Blames something behind which nothing is certain.
    pub(super) fn stop(&mut self, what: impl Into<String>) -> Stop {
        self.out.blame(what);
        self.out.torn = true;
        Stop
    }

    /// Blames a limit, behind which nothing is read.
    pub(super) fn over(&mut self, what: impl Into<String>) -> Stop {
        self.out.cut = true;
        self.stop(what)
    }

    // Where words go.

    pub(super) fn frame(&mut self) -> Result<&mut Frame, Stop> {
        let found = self.stack.iter_mut().rev().find_map(|context| match context {
            Context::Script(frame) => Some(frame),
            _ => None,
        });
        found.ok_or(Stop)
    }

    /// The word that is being read.
    pub(super) fn sink(&mut self) -> &mut Word {
        let at = self.at;
        let found = self.stack.iter_mut().rev().find_map(|context| match context {
            Context::Script(frame) => Some(frame),
            _ => None,
        });
        let Some(frame) = found else { return &mut self.spare };
        if frame.word.is_none() {
            frame.word_from = at;
            frame.has_equals = false;
        }
        frame.word.get_or_insert_default()
    }

    pub(super) fn push(&mut self, context: Context) -> Result<(), Stop> {
        if self.depth + self.stack.len() >= self.limits.depth {
            return Err(self.over(format!("nesting over {}", self.limits.depth)));
        }
        self.stack.push(context);
        Ok(())
    }

    fn node(&mut self) -> Result<(), Stop> {
        self.out.nodes += 1;
        if self.out.nodes > self.limits.nodes {
            return Err(self.over(format!("more than {} words", self.limits.nodes)));
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

    /// A script that a word runs, to be read in its place.
    pub(super) fn new_script(&mut self) -> usize {
        self.out.scripts.push(Vec::new());
        self.out.scripts.len() - 1
    }

    /// A script that a word runs, to be read later.
    pub(super) fn later(&mut self, text: String, body: bool) -> Result<usize, Stop> {
        let depth = self.depth + self.stack.len();
        if depth >= self.limits.depth {
            return Err(self.over(format!("nesting over {}", self.limits.depth)));
        }
        let id = self.new_script();
        self.pending.push(Pending { id, text, body, depth });
        Ok(id)
    }

    /// Whether what is read stands in double quotes.
    pub(super) fn is_quoted(&self) -> bool {
        !matches!(self.stack.last(), Some(Context::Script(_)))
    }

    // A script.

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
                self.push(Context::Double)?;
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

/// Whether a character is one that shells may take for a blank, or that hides what is there.
pub(super) fn is_odd(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || (!c.is_ascii() && c.is_whitespace())
}
