//! Expansions: the text after `$`, and the characters that stay special in double quotes.

use super::super::words::{Expands, is_name};
use super::scan::{Frame, ScanContext, Stop, Tokenizer, is_unusual};

impl Tokenizer<'_> {
    /// In double quotes everything is literal except `$`, a backquote, and `\` before four characters.
    pub(super) fn double(&mut self, c: char) -> Result<(), Stop> {
        match c {
            '"' => {
                self.stack.pop();
                self.at += 1;
            }
            '\\' => return self.escaped(true),
            '$' => return self.dollar(),
            '`' => return self.backquote(),
            c => self.verbatim(c),
        }
        Ok(())
    }

    /// Reads the body of a here-document, which is like double quotes except that quotes are literal.
    pub(super) fn body(&mut self, c: char) -> Result<(), Stop> {
        match c {
            '\\' => self.escaped(false),
            '$' => self.dollar(),
            '`' => self.backquote(),
            c => {
                self.verbatim(c);
                Ok(())
            }
        }
    }

    fn verbatim(&mut self, c: char) {
        if is_unusual(c) {
            self.blame("a control character");
        }
        self.sink().quote(c);
        self.at += c.len_utf8();
    }

    fn escaped(&mut self, quotes: bool) -> Result<(), Stop> {
        let before = self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)).copied().unwrap_or_default();
        match self.text.get(self.at + 1..).and_then(|rest| rest.chars().next()) {
            None => Err(self.stop("`\\` at the end")),
            Some('\n') => {
                self.continuation(before);
                Ok(())
            }
            Some(c) => {
                let special = matches!(c, '$' | '`' | '\\') || (c == '"' && quotes);
                let word = self.sink();
                if !special {
                    word.quote('\\');
                }
                word.quote(c);
                self.at += 1 + c.len_utf8();
                Ok(())
            }
        }
    }

    /// A backquote substitution ends at the next backquote.
    pub(super) fn backquote(&mut self) -> Result<(), Stop> {
        let from = self.at;
        let mut inner = String::new();
        let mut escaped = false;
        let mut chars = self.text.get(from + 1..).unwrap_or_default().char_indices();
        let end = loop {
            match chars.next() {
                Some((at, '`')) => break from + 1 + at,
                Some((_, '\\')) => {
                    escaped = true;
                    match chars.next() {
                        Some((_, c @ ('`' | '\\' | '$'))) => inner.push(c),
                        Some((_, c)) => inner.extend(['\\', c]),
                        None => return Err(self.stop("an unclosed backquote")),
                    }
                }
                Some((_, c)) => inner.push(c),
                None => return Err(self.stop("an unclosed backquote")),
            }
        };
        self.at = end + 1;
        if escaped {
            self.blame_from(from);
        }
        let script = self.later(inner, false)?;
        self.expanded(from, Expands::Other, Some(script));
        Ok(())
    }

    pub(super) fn dollar(&mut self) -> Result<(), Stop> {
        let from = self.at;
        let rest = self.text.get(from + 1..).unwrap_or_default();
        let Some(next) = rest.chars().next() else {
            self.literal_dollar();
            return Ok(());
        };
        match next {
            '(' if rest.starts_with("((") => {
                self.opener()?;
                let start = self.sink().value.len();
                self.at += 3;
                self.push(ScanContext::Arithmetic { open: 0, from, start })
            }
            '(' => {
                self.sink();
                let id = self.new_script();
                self.at += 2;
                self.push(ScanContext::Script(Frame::within(id, from)))
            }
            '{' => self.parameter(from),
            c if c.is_ascii_alphabetic() || c == '_' => {
                self.variable(from, rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count());
                Ok(())
            }
            '0'..='9' => {
                if rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
                    self.blame(format!("`${}`", rest.get(..2).unwrap_or_default()));
                }
                self.variable(from, 1);
                Ok(())
            }
            '@' | '*' | '#' | '?' | '$' | '!' | '-' => {
                let name = |b: &u8| b.is_ascii_alphanumeric() || b"_{@*?$!-".contains(b);
                if next == '#' && rest.as_bytes().get(1).is_some_and(name) {
                    self.blame("`$#`");
                }
                self.variable(from, 1);
                Ok(())
            }
            '\'' if !self.is_quoted() => self.ansi(),
            '"' if !self.is_quoted() => {
                self.blame("`$\"`");
                self.at += 1;
                Ok(())
            }
            '[' => Err(self.stop("`$[`")),
            c => {
                let ends = matches!(c, ' ' | '\t' | '\n' | '"' | '/' | '.' | ',' | ')' | '|' | ';' | '&' | '%' | '\'');
                if !ends {
                    self.blame(format!("`${c}`"));
                }
                self.literal_dollar();
                Ok(())
            }
        }
    }

    fn literal_dollar(&mut self) {
        let quoted = self.is_quoted();
        let word = self.sink();
        word.quoted |= quoted;
        // A literal character that is printed as if it were quoted.
        word.literal = true;
        word.value.push('$');
        self.at += 1;
    }

    /// `$NAME`
    fn variable(&mut self, from: usize, length: usize) {
        let end = from + 1 + length;
        self.at = end;
        let what = kind_of(self.text.get(from + 1..self.at).unwrap_or_default());
        self.expanded(from, what, None);
        // zsh also reads a subscript or a modifier here.
        let rest = self.rest().as_bytes();
        let odd = match (rest.first(), rest.get(1)) {
            // The latter is a letter of the name.
            (Some(b'[' | 128..), _) => true,
            (Some(b':'), Some(b)) => b.is_ascii_alphabetic() || *b == b'&',
            _ => false,
        };
        if odd {
            self.at += self.peek().map_or(0, char::len_utf8);
            self.blame_from(from);
            self.at = end;
        }
    }

    /// `${…}`
    fn parameter(&mut self, from: usize) -> Result<(), Stop> {
        let start = self.sink().value.len();
        let rest = self.text.get(from + 2..).unwrap_or_default();
        if let Some(length) = rest.find('}')
            && let Some(inner) = rest.get(..length)
            && is_modelled(inner)
        {
            self.at = from + 3 + length;
            self.expanded(from, kind_of(inner), None);
            return Ok(());
        }
        let name = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_#!@*?-".contains(b)).count();
        self.blame(format!("`${{{}…}}`", rest.get(..name).unwrap_or_default()));
        self.at += 2;
        self.push(ScanContext::Brace { from, start })
    }

    /// Finds the end of `${…}` and the commands that run inside it.
    pub(super) fn brace(&mut self, c: char) -> Result<(), Stop> {
        match c {
            '}' => {
                let Some(ScanContext::Brace { from, start }) = self.stack.pop() else { return Err(Stop) };
                self.at += 1;
                self.rewritten(from, start, Expands::Other);
            }
            '$' => return self.dollar(),
            '`' => return self.backquote(),
            '"' => {
                self.at += 1;
                return self.push(ScanContext::Double);
            }
            '\\' | '\'' => return Err(self.stop("quotes in `${`")),
            c => self.verbatim(c),
        }
        Ok(())
    }

    pub(super) fn arithmetic(&mut self, c: char) -> Result<(), Stop> {
        let Some(ScanContext::Arithmetic { open, from, start }) = self.stack.last_mut() else { return Err(Stop) };
        let (from, start) = (*from, *start);
        match c {
            '(' => {
                *open += 1;
                if self.text.get(..self.at).is_some_and(|before| before.ends_with('(')) {
                    self.opener()?;
                }
                self.at += 1;
            }
            ')' if *open > 0 => {
                *open -= 1;
                self.at += 1;
            }
            ')' if self.rest().starts_with("))") => {
                self.stack.pop();
                self.at += 2;
                let text = self.text.get(from..self.at).unwrap_or_default();
                let counted = super::arithmetic::variables(text);
                let plain = counted.is_some();
                match counted {
                    Some(names) if names.is_empty() => {}
                    Some(names) => self.out.counted.push((names, text.to_owned())),
                    None => self.blame_from(from),
                }
                self.rewritten(from, start, if plain { Expands::Number } else { Expands::Other });
            }
            ')' | '\'' | '"' | '\\' => return Err(self.stop("`$((`")),
            '$' => return self.dollar(),
            '`' => return self.backquote(),
            c => self.verbatim(c),
        }
        Ok(())
    }

    /// Replaces the text read so far by the expansion as it is written.
    fn rewritten(&mut self, from: usize, start: usize, what: Expands) {
        let quoted = self.is_quoted();
        let text = self.text.get(from..self.at).unwrap_or_default().to_owned();
        let word = self.sink();
        let inside = word.spans.iter().rposition(|span| span.start < start).map_or(0, |at| at + 1);
        let scripts: Vec<_> = word.spans.drain(inside..).map(|span| span.script).collect();
        if start <= word.value.len() && word.value.is_char_boundary(start) {
            word.value.truncate(start);
        }
        let start = word.value.len();
        word.value.push_str(&text);
        word.expands(start, what, quoted, None);
        for script in scripts.into_iter().flatten() {
            word.expands(start, what, quoted, Some(script));
        }
    }

    /// `$'…'`, which some shells do not support.
    fn ansi(&mut self) -> Result<(), Stop> {
        let from = self.at;
        let mut chars = self.text.get(from + 2..).unwrap_or_default().char_indices().peekable();
        let mut value = String::new();
        let length = loop {
            match chars.next() {
                None => return Err(self.stop("an unclosed `'`")),
                Some((at, '\'')) => break at,
                Some((_, '\\')) => {
                    let Some((_, c)) = chars.next() else { return Err(self.stop("an unclosed `'`")) };
                    let (radix, most) = match c {
                        'x' => (16, 2),
                        'u' => (16, 4),
                        'U' => (16, 8),
                        '0'..='7' => (8, 3),
                        _ => (0, 0),
                    };
                    if radix == 0 {
                        value.push(match c {
                            'n' => '\n',
                            't' => '\t',
                            'r' => '\r',
                            'e' | 'E' => '\u{1b}',
                            c => c,
                        });
                        continue;
                    }
                    let mut code = if radix == 8 { c.to_digit(8).unwrap_or_default() } else { 0 };
                    let mut taken = usize::from(radix == 8);
                    while taken < most {
                        let Some(digit) = chars.peek().and_then(|(_, c)| c.to_digit(radix)) else { break };
                        code = code.saturating_mul(radix).saturating_add(digit);
                        taken += 1;
                        chars.next();
                    }
                    value.extend(char::from_u32(code));
                }
                Some((_, c)) => value.push(c),
            }
        };
        self.at = from + 3 + length;
        self.blame_from(from);
        let word = self.sink();
        word.quoted = true;
        for c in value.chars() {
            word.quote(c);
        }
        Ok(())
    }
}

fn kind_of(name: &str) -> Expands {
    match name {
        "HOME" => Expands::Home,
        "PWD" => Expands::Cwd,
        _ => Expands::Other,
    }
}

/// Returns true if the text in `${…}` is a name, its length, or a name with a plain default, alternative or
/// suffix, which runs and assigns nothing.
fn is_modelled(inner: &str) -> bool {
    let counted = inner.strip_prefix('#').filter(|rest| !rest.is_empty());
    let text = counted.unwrap_or(inner);
    let length = match text.as_bytes().first() {
        Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {
            text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
        }
        Some(b) if b.is_ascii_digit() => text.bytes().take_while(u8::is_ascii_digit).count(),
        Some(b'@' | b'*' | b'?' | b'$' | b'!' | b'#' | b'-') => 1,
        _ => return false,
    };
    let rest = text.get(length..).unwrap_or_default();
    // A plain number as the index of an array evaluates nothing.
    let index = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if index.is_some_and(|index| !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit())) {
        return counted.is_none() && is_name(text.get(..length).unwrap_or_default());
    }
    if rest.is_empty() || counted.is_some() {
        return rest.is_empty();
    }
    let operators = [":-", ":+", ":?", "%%", "##", "-", "+", "?", "%", "#"];
    let Some(word) = operators.iter().find_map(|operator| rest.strip_prefix(operator)) else { return false };
    word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./,:@+-=*? ".contains(&b))
}
