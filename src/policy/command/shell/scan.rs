//! From text to tokens, with a stack of its own instead of recursion, within bounds (S4).
//!
//! What not every shell reads in the same way is noted as the word to blame, and read as bash does;
//! where even the end of a word is in doubt the scan ends.

use super::super::words::{Expands, Word};
use super::token::{Op, Redirect, RedirectKind, Token};
use crate::policy::settings::Limits;

/// How many `((` a text may have, whatever closes them.
const DOUBLE_OPENERS: usize = 4;

/// Holds what a text is made of: itself first, then what its substitutions run.
#[derive(Debug, Default)]
pub(in super::super) struct Scan {
    pub(in super::super) scripts: Vec<Vec<Token>>,
    /// What is read differently by some shell, or by nobody knows which.
    pub(in super::super) blame: Option<String>,
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
        let text = self.text.get(from..self.at).unwrap_or_default();
        self.out.blame(format!("`{text}`"));
    }

    /// Blames something behind which nothing is certain.
    pub(super) fn stop(&mut self, what: impl Into<String>) -> Stop {
        self.out.blame(what);
        Stop
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
        }
        frame.word.get_or_insert_default()
    }

    pub(super) fn push(&mut self, context: Context) -> Result<(), Stop> {
        if self.depth + self.stack.len() >= self.limits.depth {
            return Err(self.stop(format!("nesting over {}", self.limits.depth)));
        }
        self.stack.push(context);
        Ok(())
    }

    fn node(&mut self) -> Result<(), Stop> {
        self.out.nodes += 1;
        if self.out.nodes > self.limits.nodes {
            return Err(self.stop(format!("more than {} words", self.limits.nodes)));
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
            return Err(self.stop(format!("nesting over {}", self.limits.depth)));
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

    fn newline(&mut self) -> Result<(), Stop> {
        self.op(Op::Newline, 1)?;
        let docs = std::mem::take(&mut self.frame()?.docs);
        for doc in docs {
            self.document(&doc)?;
        }
        Ok(())
    }

    /// Reads the body of a here-document, which ends with a line of its own.
    fn document(&mut self, doc: &Doc) -> Result<(), Stop> {
        let mut body = String::new();
        loop {
            if self.at >= self.text.len() {
                return Err(self.stop("an open here-document"));
            }
            let rest = self.rest();
            let line = rest.split('\n').next().unwrap_or_default();
            let length = line.len();
            let plain = if doc.tabs { line.trim_start_matches('\t') } else { line };
            let ends = plain == doc.end;
            // Some shells join such a line with the next before they look for the end.
            let joined = line.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
            if !ends {
                body.push_str(line);
                body.push('\n');
            }
            self.at = (self.at + length + 1).min(self.text.len());
            if ends {
                break;
            }
            if joined && doc.script.is_some() {
                return Err(self.stop("`\\` at the end of a line of a here-document"));
            }
        }
        if let Some(id) = doc.script
            && body.contains(['$', '`', '\\'])
        {
            let depth = self.depth + self.stack.len();
            if depth >= self.limits.depth {
                return Err(self.stop(format!("nesting over {}", self.limits.depth)));
            }
            self.pending.push(Pending { id, text: body, body: true, depth });
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Stop> {
        let before = self.byte_before();
        match self.text.get(self.at + 1..).and_then(|rest| rest.chars().next()) {
            None => Err(self.stop("`\\` at the end")),
            Some('\n') => {
                self.continuation(before);
                Ok(())
            }
            Some(c) => {
                self.sink().quote(c);
                self.at += 1 + c.len_utf8();
                Ok(())
            }
        }
    }

    /// A line goes on: some shells do not see it in the middle of an operator or an expansion.
    pub(super) fn continuation(&mut self, before: u8) {
        let after = self.byte_ahead(2);
        let operator = |b: u8| b"&|;<>()".contains(&b);
        let odd = (operator(before) && operator(after))
            || b"$~{}=!".contains(&before)
            || (before.is_ascii_digit() && b"<>".contains(&after));
        let expansion = match self.frame().ok().and_then(|frame| frame.word.as_ref()) {
            Some(word) => word.spans.last().is_some_and(|span| span.end == word.value.len()),
            None => false,
        };
        if odd || expansion {
            self.blame("a line that goes on inside a word");
        }
        self.at += 2;
    }

    fn single(&mut self) -> Result<(), Stop> {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let Some(length) = rest.find('\'') else { return Err(self.stop("an open `'`")) };
        let inner = rest.get(..length).unwrap_or_default().to_owned();
        let word = self.sink();
        word.quoted = true;
        for c in inner.chars() {
            word.quote(c);
        }
        if inner.contains(is_odd) {
            self.blame("a control character");
        }
        self.at += length + 2;
        Ok(())
    }

    fn comment(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or_default();
        let length = line.len();
        // Older shells look for the end of a substitution without seeing the comment.
        if line.contains(['\'', '"', '`', '(', ')', '\\']) && self.stack.len() > 1 {
            self.blame("a comment in a substitution");
        }
        self.at += length;
    }

    fn plain(&mut self, c: char) -> Result<(), Stop> {
        let fresh = self.frame()?.word.is_none();
        match c {
            '~' if fresh => {
                self.tilde();
                return Ok(());
            }
            '{' | '}' => return self.braced(c),
            '=' => {
                self.frame()?.equals |= fresh;
                let word = self.sink();
                let name = !word.quoted && word.spans.is_empty() && !word.glob && is_name(&word.value);
                if word.assigned.is_none() && name {
                    word.assigned = Some(word.value.len() + 1);
                }
            }
            c if is_odd(c) => self.blame("a control character or an unusual blank"),
            _ => {}
        }
        let word = self.sink();
        word.glob |= matches!(c, '*' | '?' | '[');
        word.value.push(c);
        self.at += c.len_utf8();
        Ok(())
    }

    /// A `~` at the beginning of a word.
    fn tilde(&mut self) {
        let name = |b: u8| b.is_ascii_alphanumeric() || b"._+-".contains(&b);
        let length = self.rest().bytes().skip(1).take_while(|b| name(*b)).count();
        let ends = b"/ \t\n;&|()<>".contains(&self.byte_ahead(1 + length));
        let user = self.text.get(self.at..=self.at + length).unwrap_or("~").to_owned();
        let word = self.sink();
        word.value.push_str(&user);
        if ends && length == 0 {
            word.tilde = true;
        } else if ends {
            word.expands(0, Expands::Other, false, None);
        }
        self.at += 1 + length;
    }

    /// A brace: reserved where it stands alone, an expansion to some shells where it does not.
    fn braced(&mut self, c: char) -> Result<(), Stop> {
        let alone = self.frame()?.word.is_none() && b" \t\n;&|()<>".contains(&self.byte_ahead(1));
        let safe = |b: &u8| b.is_ascii_alphanumeric() || b"_-@^~".contains(b);
        let length = self.rest().bytes().skip(1).take_while(safe).count();
        let from = self.at;
        if alone {
            self.sink().value.push(c);
            self.at += 1;
        } else if c == '{' && self.byte_ahead(1 + length) == b'}' {
            let text = self.text.get(self.at..self.at + length + 2).unwrap_or_default().to_owned();
            let word = self.sink();
            word.brace = true;
            word.value.push_str(&text);
            self.at += length + 2;
        } else {
            let word = self.sink();
            word.brace = true;
            word.value.push(c);
            self.at += 1;
            self.blame_from(from);
        }
        Ok(())
    }

    // Operators.

    fn operator(&mut self, c: char) -> Result<(), Stop> {
        let next = self.byte_ahead(1);
        match (c, next) {
            ('&', b'>') => {
                self.end_word()?;
                let appends = self.byte_ahead(2) == b'>';
                self.redirect(RedirectKind::All, if appends { 3 } else { 2 })
            }
            ('&', b'&') => self.op(Op::AndIf, 2),
            ('&', _) => self.op(Op::Amp, 1),
            ('|', b'|') => self.op(Op::OrIf, 2),
            ('|', b'&') => self.op(Op::Pipe, 2),
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

    fn op(&mut self, op: Op, length: usize) -> Result<(), Stop> {
        self.end_word()?;
        self.node()?;
        if self.frame()?.redirect.is_some() {
            return Err(self.stop("a redirection without a file"));
        }
        self.at += length;
        self.frame()?.tokens.push(Token::Op(op));
        Ok(())
    }

    fn open(&mut self) -> Result<(), Stop> {
        if self.frame()?.word.is_some() {
            let from = self.frame()?.word_from;
            self.at += 1;
            self.blame_from(from);
            self.at -= 1;
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
            return Err(self.stop(format!("nesting over {}", self.limits.depth)));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Stop> {
        let frame = self.frame()?;
        if frame.open > 0 {
            frame.open -= 1;
            return self.op(Op::Close, 1);
        }
        let Some(from) = frame.from else { return self.op(Op::Close, 1) };
        self.end_word()?;
        let frame = self.frame()?;
        if frame.redirect.is_some() || !frame.docs.is_empty() {
            return Err(self.stop("a redirection without a file"));
        }
        let Some(Context::Script(frame)) = self.stack.pop() else { return Err(Stop) };
        let id = frame.id;
        self.keep(frame);
        self.at += 1;
        self.expanded(from, Expands::Other, Some(id));
        Ok(())
    }

    /// Adds the text from a byte up to here to the word, as an expansion.
    pub(super) fn expanded(&mut self, from: usize, what: Expands, script: Option<usize>) {
        let quoted = self.is_quoted();
        let text = self.text.get(from..self.at).unwrap_or_default().to_owned();
        let word = self.sink();
        let start = word.value.len();
        word.value.push_str(&text);
        word.expands(start, what, quoted, script);
    }

    fn angle(&mut self, c: char) -> Result<(), Stop> {
        let pending = self.frame()?.redirect.is_some();
        if self.byte_ahead(1) == b'(' {
            let from = self.at;
            let number = self.frame()?.word.as_ref().is_some_and(|w| w.is_bare() && is_number(&w.value));
            if number {
                self.blame("`(`");
            }
            self.sink();
            let id = self.new_script();
            self.at += 2;
            return self.push(Context::Script(Frame::within(id, from)));
        }
        let number = |word: &Word| word.is_bare() && is_number(&word.value);
        let frame = self.frame()?;
        if let Some(word) = frame.word.take_if(|word| !pending && number(word)) {
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
            '<' => (RedirectKind::Read, 1),
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

    /// Ends the word that is being read: a word, or the target of a redirection.
    fn end_word(&mut self) -> Result<(), Stop> {
        let frame = self.frame()?;
        let Some(word) = frame.word.take() else { return Ok(()) };
        let equals = std::mem::take(&mut frame.equals) && word.value.len() > 1;
        if equals {
            let from = frame.word_from;
            self.blame_from(from);
        }
        let frame = self.frame()?;
        let Some(kind) = frame.redirect.take() else {
            frame.tokens.push(Token::Word(word));
            return self.node();
        };
        let mut script = None;
        if let RedirectKind::HereDoc { tabs } = kind {
            if word.is_dynamic() || word.brace || word.value.is_empty() || word.value.contains('\n') {
                return Err(self.stop(format!("`<<{}`", word.value)));
            }
            script = (!word.quoted).then(|| self.new_script());
            let doc = Doc { end: word.value.clone(), tabs, script };
            self.frame()?.docs.push(doc);
        } else if word.value.starts_with('!') && !word.quoted {
            self.blame("`>!`");
        } else if word.brace || word.glob {
            self.blame(format!("`{}`", word.value));
        }
        self.node()?;
        self.frame()?.tokens.push(Token::Redirect(Redirect { kind, target: word, script }));
        Ok(())
    }
}

/// Whether a character is one that shells may take for a blank, or that hides what is there.
pub(super) fn is_odd(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || (!c.is_ascii() && c.is_whitespace())
}

fn is_name(text: &str) -> bool {
    let name = text.strip_suffix('+').unwrap_or(text);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `<1-5>`, which zsh takes for a glob.
fn is_number_glob(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let Some(rest) = text.strip_prefix('<') else { return false };
    let Some(rest) = rest.get(digits(rest)..).and_then(|rest| rest.strip_prefix('-')) else { return false };
    rest.get(digits(rest)..).is_some_and(|rest| rest.starts_with('>'))
}
