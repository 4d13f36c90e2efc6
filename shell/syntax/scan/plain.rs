//! Text of words, except for expansions.

use super::super::super::words::{Brackets, Expands, is_name};
use super::super::braces;
use super::{Stop, Tokenizer, is_unusual};

impl Tokenizer<'_> {
    pub(super) fn escape(&mut self) -> Result<(), Stop> {
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

    /// Reads line continuations. Some shells do not accept one inside an operator or expansion.
    pub(in super::super) fn continuation(&mut self, before: u8) {
        while self.rest().starts_with("\\\n") {
            self.at += 2;
        }
        let after = self.byte_ahead(0);
        let operator = |b: u8| b"&|;<>()".contains(&b);
        let odd = (operator(before) && (operator(after) || b"-!".contains(&after)))
            || b"$~{}=!".contains(&before)
            || (before.is_ascii_digit() && b"<>".contains(&after));
        let expansion = match self.frame().ok().and_then(|frame| frame.word.as_ref()) {
            Some(word) => word.spans.last().is_some_and(|span| span.end == word.value.len()),
            None => false,
        };
        if odd || expansion {
            self.blame("a line continuation inside a word");
        }
    }

    pub(super) fn single(&mut self) -> Result<(), Stop> {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let Some(length) = rest.find('\'') else { return Err(self.stop("an unclosed `'`")) };
        let inner = rest.get(..length).unwrap_or_default().to_owned();
        let word = self.sink();
        word.quoted = true;
        for c in inner.chars() {
            word.quote(c);
        }
        if inner.contains(is_unusual) {
            self.blame("a control character");
        }
        self.at += length + 2;
        Ok(())
    }

    pub(super) fn comment(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or_default();
        let length = line.len();
        // Older shells ignore comments when they look for the end of a substitution.
        if line.contains(['\'', '"', '`', '(', ')', '\\']) && self.stack.len() > 1 {
            self.blame("a comment in a substitution");
        }
        self.at += length;
    }

    pub(super) fn plain(&mut self, c: char) -> Result<(), Stop> {
        let fresh = self.frame()?.word.is_none();
        match c {
            '~' if fresh => {
                self.tilde();
                return Ok(());
            }
            '~' if self.may_expand_in_value()? => {
                let length = self.user_length();
                let user = self.text.get(self.at..=self.at + length).unwrap_or("~").to_owned();
                let word = self.sink();
                let start = word.value.len();
                word.value.push_str(&user);
                word.expands(start, Expands::Other, false, None);
                self.at += 1 + length;
                return Ok(());
            }
            // zsh reads what follows an empty expansion as the start of the word.
            '~' | '=' if self.follows_expansions()? => self.blame(format!("`{c}` after an expansion")),
            _ => {}
        }
        match c {
            '{' | '}' => return self.braced(c),
            '=' => {
                let frame = self.frame()?;
                frame.equals |= fresh;
                let first = fresh || !frame.has_equals;
                let word = self.sink();
                let name = word.value.strip_suffix('+').unwrap_or(&word.value);
                let name = first && !word.quoted && word.spans.is_empty() && !word.glob && is_name(name);
                if word.assigned.is_none() && name {
                    word.assigned = Some(word.value.len() + 1);
                }
                self.frame()?.has_equals = true;
            }
            c if is_unusual(c) => self.blame("a control character or an unusual blank"),
            _ => {}
        }
        let word = self.sink();
        word.glob |= matches!(c, '*' | '?' | '[');
        if c == '[' {
            word.brackets = word.brackets.max(Brackets::Open);
        }
        word.value.push(c);
        self.at += c.len_utf8();
        Ok(())
    }

    /// Returns true if the word has nothing but expansions and empty quotes so far.
    fn follows_expansions(&mut self) -> Result<bool, Stop> {
        let word = self.frame()?.word.as_ref();
        Ok(word.is_some_and(|word| {
            // Quotes without a text.
            if word.value.is_empty() {
                return true;
            }
            let end = word.spans.iter().fold(0, |end, span| if span.start <= end { end.max(span.end) } else { end });
            end > 0 && end == word.value.len()
        }))
    }

    /// Returns true if a `~` is one that bash alone replaces in `NAME=VALUE`, also in arguments: behind a `:`, or `~NAME`
    /// behind the `=`.
    fn may_expand_in_value(&mut self) -> Result<bool, Stop> {
        let is_home =
            matches!(self.byte_ahead(1), b'/' | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>');
        let word = self.frame()?.word.as_ref();
        Ok(word.is_some_and(|word| {
            let is_first = word.assigned == Some(word.value.len());
            (is_first && !is_home) || (word.assigned.is_some() && word.value.ends_with(':'))
        }))
    }

    /// The length of the name behind a `~`.
    fn user_length(&self) -> usize {
        let name = |b: u8| b.is_ascii_alphanumeric() || b"._+-".contains(&b);
        self.rest().bytes().skip(1).take_while(|b| name(*b)).count()
    }

    /// A `~` at the start of a word.
    fn tilde(&mut self) {
        let length = self.user_length();
        let ends = b"/ \t\n;&|()<>".contains(&self.byte_ahead(1 + length));
        // zsh replaces a `~NAME` before quotes, expansions and continued lines too.
        if b"\\\"'$`".contains(&self.byte_ahead(1 + length)) {
            self.at += 1 + length;
            self.blame_from(self.at - 1 - length);
            self.at -= 1 + length;
        }
        let user = self.text.get(self.at..=self.at + length).unwrap_or("~").to_owned();
        // bash replaces it before a `:` too.
        if self.byte_ahead(1 + length) == b':' {
            self.blame(format!("`{user}:`"));
        }
        let number = user.trim_start_matches('~').trim_start_matches(['+', '-']);
        // An entry of the list of folders; zsh stops if there is none.
        if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) {
            self.blame(format!("`{user}`"));
        }
        let word = self.sink();
        word.value.push_str(&user);
        if ends && length == 0 {
            word.tilde = true;
        } else if ends {
            word.expands(0, Expands::Other, false, None);
        }
        self.at += 1 + length;
    }

    /// A brace: a reserved word if it stands alone, otherwise an expansion in some shells.
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
        } else if c == '{'
            && let Some(length) = braces::list(self.rest())
        {
            let text = self.text.get(self.at..self.at + length).unwrap_or_default().to_owned();
            let word = self.sink();
            (word.brace, word.listed) = (true, true);
            word.value.push_str(&text);
            self.at += length;
        } else {
            let word = self.sink();
            word.brace = true;
            word.value.push(c);
            self.at += 1;
            self.blame_from(from);
        }
        Ok(())
    }
}
