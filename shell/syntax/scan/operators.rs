//! Operators and redirections, which end words.

use super::super::super::words::{Expands, Word, is_lone_brace};
use super::super::shell_command::reserved;
use super::super::token::{Op, Redirect, RedirectKind, Token};
use super::{Doc, Frame, ScanContext, Stop, Tokenizer};

impl Tokenizer<'_> {
    pub(super) fn operator(&mut self, c: char) -> Result<(), Stop> {
        let next = self.byte_ahead(1);
        match (c, next) {
            ('&', b'>') => {
                // The descriptor of the redirection in zsh, and an argument elsewhere.
                if let Some(word) = self.frame()?.word.as_ref().filter(|word| is_number(&word.value)) {
                    let text = format!("`{}&>`", word.value);
                    self.blame(text);
                }
                self.end_word()?;
                let appends = self.byte_ahead(2) == b'>';
                self.redirect(RedirectKind::All, if appends { 3 } else { 2 })
            }
            ('&', b'&') => self.op(Op::AndIf, 2),
            ('&', b'!') => {
                self.blame("`&!`");
                self.op(Op::Amp, 2)
            }
            ('&', _) => self.op(Op::Amp, 1),
            ('|', b'|') => self.op(Op::OrIf, 2),
            ('|', b'&') => self.op(Op::PipeBoth, 2),
            ('|', _) => self.op(Op::Pipe, 1),
            (';', b';' | b'&') => {
                let length = if next == b';' && b"&;".contains(&self.byte_ahead(2)) { 3 } else { 2 };
                if length == 3 || next == b'&' {
                    self.blame("`;&`");
                }
                self.op(Op::DoubleSemi, length)
            }
            (';', _) => self.op(Op::Semi, 1),
            ('(', _) => self.open(),
            _ => self.close(),
        }
    }

    pub(super) fn op(&mut self, op: Op, length: usize) -> Result<(), Stop> {
        self.end_word()?;
        self.node()?;
        if self.frame()?.redirect.is_some() {
            return Err(self.stop("a redirection without a file"));
        }
        self.at += length;
        let frame = self.frame()?;
        frame.tokens.push(Token::Op(op));
        frame.compares = None;
        Ok(())
    }

    fn open(&mut self) -> Result<(), Stop> {
        if self.frame()?.word.is_some() {
            let from = self.frame()?.word_from;
            let length = if self.byte_ahead(1) == b')' { 2 } else { 1 };
            self.at += length;
            self.blame_from(from);
            self.at -= length;
        }
        let again = matches!(self.frame()?.tokens.last(), Some(Token::Op(Op::Open)));
        if self.byte_ahead(1) == b'(' {
            self.blame("`((`");
        }
        if again {
            self.opener()?;
        }
        self.op(Op::Open, 1)?;
        let frame = self.frame()?;
        frame.open += 1;
        let open = frame.open;
        if self.depth + self.stack.len() + open > self.limits.depth {
            return Err(self.over(format!("nesting over {}", self.limits.depth)));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Stop> {
        let frame = self.frame()?;
        if frame.open > 0 {
            frame.open -= 1;
            // After the parentheses of a `case` pattern, zsh may read the word as a part of the pattern.
            if !b" \t\n;&|()<>".contains(&self.byte_ahead(1)) {
                self.blame("a word directly after `)`");
            }
            return self.op(Op::Close, 1);
        }
        let Some(from) = frame.from else { return self.op(Op::Close, 1) };
        self.end_word()?;
        let frame = self.frame()?;
        if frame.redirect.is_some() || !frame.docs.is_empty() {
            return Err(self.stop("a redirection without a file"));
        }
        let Some(ScanContext::Script(frame)) = self.stack.pop() else { return Err(Stop) };
        let id = frame.id;
        self.keep(frame);
        self.at += 1;
        let number = self.text.get(from..self.at).is_some_and(gives_a_number);
        self.expanded(from, if number { Expands::Number } else { Expands::Other }, Some(id));
        Ok(())
    }

    /// Appends the text from a byte to the current position to the word, as an expansion.
    pub(in super::super) fn expanded(&mut self, from: usize, what: Expands, script: Option<usize>) {
        let quoted = self.is_quoted();
        let text = self.text.get(from..self.at).unwrap_or_default().to_owned();
        let word = self.sink();
        let start = word.value.len();
        word.value.push_str(&text);
        word.expands(start, what, quoted, script);
    }

    pub(super) fn angle(&mut self, c: char) -> Result<(), Stop> {
        let pending = self.frame()?.redirect.is_some();
        if self.byte_ahead(1) == b'(' {
            let from = self.at;
            let number = self.frame()?.word.as_ref().is_some_and(|w| w.is_bare() && is_number(&w.value));
            if number {
                self.blame("`(`");
            }
            // bash may read this as arithmetic, and would then look for closing quotes inside a here-document.
            if self.byte_ahead(2) == b'(' {
                self.blame(format!("`{c}((`"));
            }
            self.sink();
            let id = self.new_script();
            self.at += 2;
            return self.push(ScanContext::Script(Frame::within(id, from)));
        }
        let number = |word: &Word| word.is_bare() && is_number(&word.value);
        // A variable for the descriptor, which may stand behind blanks in zsh.
        let frame = self.frame()?;
        let last = frame.tokens.last().and_then(|token| if let Token::Word(word) = token { Some(word) } else { None });
        let before = frame.word.as_ref().or(last);
        if before.is_some_and(|word| word.brace && word.value.starts_with('{') && word.value.ends_with('}')) {
            self.blame(format!("`}}{c}`"));
        }
        let frame = self.frame()?;
        let mut numbered = false;
        if pending && frame.word.as_ref().is_some_and(number) {
            return Err(self.stop("a redirection without a file"));
        }
        if let Some(word) = frame.word.take_if(|word| number(word)) {
            numbered = word.value != "0";
            if word.value.len() > 1 {
                self.blame(format!("`{}{c}`", word.value));
            }
        } else {
            self.end_word()?;
        }
        if self.frame()?.redirect.is_some() {
            return Err(self.stop("a redirection without a file"));
        }
        if c == '<' && is_number_glob(self.rest()) {
            self.blame("`<`");
        }
        let rest = self.rest();
        let starts = |with: &str| rest.starts_with(with);
        let (kind, length) = match c {
            '<' if starts("<<<") => (RedirectKind::HereString, 3),
            '<' if starts("<<-") => (RedirectKind::HereDoc { tabs: true }, 3),
            '<' if starts("<<") => (RedirectKind::HereDoc { tabs: false }, 2),
            '<' if starts("<&") => (RedirectKind::Copy { out: false }, 2),
            '<' if starts("<>") => (RedirectKind::Both, 2),
            '<' => (RedirectKind::Read { numbered }, 1),
            _ if starts(">>") => (RedirectKind::Write, 2),
            _ if starts(">&") => (RedirectKind::Copy { out: true }, 2),
            _ if starts(">|") => (RedirectKind::Write, 2),
            _ => (RedirectKind::Write, 1),
        };
        self.redirect(kind, length)
    }

    fn redirect(&mut self, kind: RedirectKind, length: usize) -> Result<(), Stop> {
        if self.frame()?.redirect.is_some() {
            return Err(self.stop("a redirection without a file"));
        }
        self.at += length;
        self.frame()?.redirect = Some(kind);
        Ok(())
    }

    /// Ends the current word, which is an argument or the target of a redirection.
    pub(super) fn end_word(&mut self) -> Result<(), Stop> {
        let frame = self.frame()?;
        let Some(word) = frame.word.take() else { return Ok(()) };
        let equals = std::mem::take(&mut frame.equals) && word.value.len() > 1 && !frame.compares(&word);
        if equals {
            let from = frame.word_from;
            self.blame_from(from);
        }
        let frame = self.frame()?;
        let compares = frame.compares == Some(true);
        let plain = word.spans.is_empty() && word.assigned.is_none() && !word.quoted && !word.tilde;
        if word.listed && (compares || !plain) {
            self.blame("`{`");
        }
        let frame = self.frame()?;
        let Some(kind) = frame.redirect.take() else {
            let token = Token::Word(word);
            if frame.compares.is_none() && reserved(&token).is_none() {
                let opens = |word: &Word| word.value == "[[" && !word.quoted;
                frame.compares = Some(matches!(&token, Token::Word(word) if opens(word)));
            }
            frame.tokens.push(token);
            return self.node();
        };
        if is_lone_brace(&word) {
            self.blame(format!("`{}`", word.value));
        }
        let from = self.frame()?.word_from;
        let target = self.text.get(from..).unwrap_or_default();
        let mut script = None;
        if let RedirectKind::HereDoc { tabs } = kind {
            if word.is_dynamic() || word.brace || word.value.is_empty() || word.value.contains('\n') {
                return Err(self.stop(format!("`<<{}`", word.value)));
            }
            script = (!word.quoted).then(|| self.new_script());
            let doc = Doc { end: word.value.clone(), tabs, script };
            self.frame()?.docs.push(doc);
        } else if target.starts_with('!') {
            self.blame("`>!`");
        } else if kind == RedirectKind::Write && target.starts_with("<(") {
            // zsh rejects it.
            self.blame("`<(`");
        } else if word.brace || word.glob {
            self.blame(format!("`{}`", word.value));
        }
        self.node()?;
        let frame = self.frame()?;
        frame.tokens.push(Token::Redirect(Redirect { kind, target: word, script }));
        frame.compares.get_or_insert(false);
        Ok(())
    }
}

impl Frame {
    /// Returns true if a word is an operator of `[[`, where it is not a program.
    fn compares(&self, word: &Word) -> bool {
        let operator = !word.quoted && word.spans.is_empty() && matches!(word.value.as_str(), "==" | "=~");
        operator && self.compares == Some(true)
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true for `<1-5>`, a glob in zsh.
fn is_number_glob(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let Some(rest) = text.strip_prefix('<') else { return false };
    let Some(rest) = rest.get(digits(rest)..).and_then(|rest| rest.strip_prefix('-')) else { return false };
    rest.get(digits(rest)..).is_some_and(|rest| rest.starts_with('>'))
}

/// Returns true if a substitution can only give a number or a commit id: the number of processors, often used
/// with `-j`, or a revision.
fn gives_a_number(text: &str) -> bool {
    let inner = text.strip_prefix("$(").and_then(|text| text.strip_suffix(')')).unwrap_or_default();
    let revision = |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./~^@-".contains(&b));
    // `rev-parse` prints a name that it does not find unchanged.
    let head = |word: &str| word.strip_prefix("HEAD").is_some_and(|rest| rest.trim_start_matches(is_step).is_empty());
    match inner.split(' ').collect::<Vec<_>>().as_slice() {
        ["nproc"] => true,
        ["git", "rev-parse", word] | ["git", "rev-parse", "--short" | "--verify", word] => head(word),
        ["git", "merge-base", words @ ..] => words.iter().all(|word| revision(word)),
        _ => false,
    }
}

fn is_step(c: char) -> bool {
    matches!(c, '~' | '^' | '0'..='9')
}
