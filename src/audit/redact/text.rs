//! Masks secrets in a text in one pass over its bytes.

use super::names::{ArgumentPosition, NameClass, SecretOption, SecretPart, name};
use super::{KEPT, MASK, kinds, prefix};

/// Masks secrets in texts. Several texts may belong together, such as the words of one command.
#[derive(Default)]
pub(super) struct Redactor {
    /// The options with secret arguments of the programs in the current command.
    programs: Vec<&'static SecretOption>,
    /// The secret part of the next text, if the last text ended with an option that takes a secret.
    next: Option<SecretPart>,
    /// True if the last member was the name of a secret whose value follows.
    named: bool,
}

impl Redactor {
    /// Redacts one text. A long text is truncated.
    pub(super) fn whole(&mut self, text: &str) -> String {
        let kept = prefix(text, KEPT);
        if kept.len() == text.len() {
            return self.one(text);
        }
        // A truncated secret may not be recognized, so the last word is dropped too.
        let kept = kept.trim_end_matches(|c: char| c.is_ascii() && is_token(c as u8));
        self.one(kept) + " …"
    }

    /// Redacts one of several texts.
    pub(super) fn one(&mut self, text: &str) -> String {
        if let Some(part) = self.next.take() {
            return match part {
                SecretPart::Whole => MASK.to_owned(),
                SecretPart::After(byte) => match text.split_once(char::from(byte)) {
                    Some((before, _)) => format!("{before}{}{MASK}", char::from(byte)),
                    None => text.to_owned(),
                },
            };
        }
        let mut scan = TextScan { text, bytes: text.as_bytes(), at: 0, copied: 0, out: String::new(), state: self };
        scan.run();
        scan.out + text.get(scan.copied..).unwrap_or_default()
    }

    /// Classifies the name of a member.
    pub(super) fn member(&mut self, key: &str) -> Option<NameClass> {
        match name(key) {
            Some(NameClass::Value) => std::mem::take(&mut self.named).then_some(NameClass::Secret),
            class => class,
        }
    }

    /// Remembers a value that is itself a name, as in `{"name": "TOKEN", "value": "x"}`.
    pub(super) fn names(&mut self, value: &str) {
        self.named = matches!(name(value), Some(NameClass::Secret | NameClass::Header));
    }

    /// Redacts the value of a [`NameClass::Maybe`].
    pub(super) fn maybe(&mut self, text: &str) -> String {
        if may_be_secret(text.as_bytes()) { MASK.to_owned() } else { self.one(text) }
    }

    /// Resets the state of the command, but not the remembered name.
    pub(super) fn next_member(&mut self) {
        self.programs.clear();
        self.next = None;
    }

    /// Resets the whole state.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }
}

struct TextScan<'a, 's> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The end of the part of the text that is already in `out`.
    copied: usize,
    out: String,
    state: &'s mut Redactor,
}

impl TextScan<'_, '_> {
    fn run(&mut self) {
        // The ends of the last word that was tested as a name, and as a random token.
        let (mut name_end, mut token_end, mut line) = (0, 0, 0);
        let mut login = None;
        while let Some(byte) = self.byte(self.at) {
            let before = self.at.checked_sub(1).and_then(|at| self.byte(at));
            if self.at == line && self.password_file() {
                continue;
            }
            if matches!(byte, b'\n' | b';' | b'|' | b'&') {
                self.state.programs.clear();
                line = self.at + 1;
            }
            if !before.is_some_and(|before| before.is_ascii_alphanumeric())
                && (self.block() || self.known() || self.telegram())
            {
                continue;
            }
            if byte == b':' && self.starts("://") && self.authority() {
                continue;
            }
            let begins = before.is_none_or(|before| is_blank(before) || is_quote(before));
            if begins && matches!(byte, b'-' | b'/') && self.option() {
                continue;
            }
            if self.at >= name_end && is_word(byte) {
                let start = self.at;
                name_end = self.end_of(start, is_name);
                let word = self.text.get(start..name_end).unwrap_or_default();
                if ["machine", "login", "default"].contains(&word) {
                    login = Some(start);
                }
                let netrc = login.is_some_and(|login| start - login < 256) && word == "password";
                if self.assignment(start, name_end, netrc) || self.scheme(name_end) {
                    continue;
                }
                self.state.programs.extend(SecretOption::of(word).take(8 - self.state.programs.len().min(8)));
            }
            if self.at >= token_end && is_token(byte) {
                token_end = self.end_of(self.at, is_token);
                if self.random(token_end) {
                    continue;
                }
            }
            self.at += 1;
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn rest(&self, at: usize) -> &[u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    fn starts(&self, with: &str) -> bool {
        self.rest(self.at).starts_with(with.as_bytes())
    }

    fn end_of(&self, from: usize, matches: fn(u8) -> bool) -> usize {
        from + self.rest(from).iter().take_while(|byte| matches(**byte)).count()
    }

    /// Replaces a range with the mask and continues after it.
    fn mask(&mut self, from: usize, to: usize) -> bool {
        if from >= to {
            return false;
        }
        self.out.push_str(self.text.get(self.copied..from).unwrap_or_default());
        self.out.push_str(MASK);
        (self.copied, self.at) = (to, to);
        true
    }

    /// Masks a PEM private key, up to its end marker or the end of the text.
    fn block(&mut self) -> bool {
        const BEGIN: &str = "-----BEGIN ";
        if !self.starts(BEGIN) {
            return false;
        }
        let body = self.at + BEGIN.len();
        let title = self.rest(body).iter().take(64).take_while(|byte| **byte != b'-').count();
        let title = self.text.get(body..body + title).unwrap_or_default();
        if !["PRIVATE KEY", "Static key", "SECRET KEY"].iter().any(|secret| title.contains(secret)) {
            return false;
        }
        let end = memchr::memmem::find(self.rest(body), b"-----END ").map_or(self.bytes.len(), |found| {
            let end = body + found + "-----END ".len();
            let title = self.rest(end).iter().take(64).take_while(|byte| **byte != b'-').count();
            end + title + self.rest(end + title).iter().take_while(|byte| **byte == b'-').count()
        });
        self.mask(self.at, end)
    }

    /// Masks a secret that is recognized by its prefix.
    fn known(&mut self) -> bool {
        kinds::length(self.rest(self.at)).is_some_and(|length| self.mask(self.at, self.at + length))
    }

    /// Masks a Telegram bot token: a number and a key.
    fn telegram(&mut self) -> bool {
        let start = if self.starts("bot") { self.at + 3 } else { self.at };
        let digits = self.rest(start).iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
        if !(8..=10).contains(&digits) || self.byte(start + digits) != Some(b':') {
            return false;
        }
        let key = start + digits + 1;
        let end = key + self.rest(key).iter().take(64).take_while(|byte| is_word(**byte) || **byte == b'-').count();
        end - key >= 34 && self.mask(start, end)
    }

    /// Masks the password in `scheme://user:password@host`.
    fn authority(&mut self) -> bool {
        let start = self.at + 3;
        let stops = |byte: u8| is_blank(byte) || is_quote(byte) || matches!(byte, b'\\' | b'<' | b'>');
        let part = self.rest(start).iter().take(1024).take_while(|byte| !stops(**byte));
        let part: Vec<u8> = part.copied().collect();
        let strict = part.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(part.len());
        let of_user = |to: usize| part.get(..to).and_then(|part| part.iter().rposition(|byte| *byte == b'@'));
        let colon = part.iter().take(strict).position(|byte| *byte == b':');
        // Some passwords contain an unescaped slash. A port is not a password.
        let is_port =
            |colon: usize| part.get(colon + 1..strict).is_some_and(|port| port.iter().all(u8::is_ascii_digit));
        let at = of_user(strict).or_else(|| colon.filter(|colon| !is_port(*colon)).and_then(|_| of_user(part.len())));
        let Some(at) = at else { return false };
        match colon.filter(|colon| *colon < at) {
            Some(colon) if !is_reference(part.get(colon + 1..at).unwrap_or_default()) => {
                self.mask(start + colon + 1, start + at)
            }
            None if at >= 20 => self.mask(start, start + at),
            _ => false,
        }
    }

    /// Masks the password in a line of `.pgpass`: host, port, database, user and password.
    fn password_file(&mut self) -> bool {
        let line: &[u8] = self.rest(self.at);
        let length = line
            .iter()
            .take(256)
            .take_while(|byte| !is_blank(**byte) && !is_quote(**byte) && !matches!(byte, b';' | b'|' | b'&'))
            .count();
        let fields: Vec<&[u8]> = line.get(..length).unwrap_or_default().split(|byte| *byte == b':').collect();
        let [host, port, _, user, password] = fields.as_slice() else { return false };
        let is_port = *port == b"*" || !port.is_empty() && port.iter().all(u8::is_ascii_digit);
        let from = self.at + length - password.len();
        is_port && !host.is_empty() && !user.is_empty() && self.mask(from, self.at + length)
    }

    /// Masks the argument of an option in [`SecretOption`].
    fn option(&mut self) -> bool {
        let mut from = None;
        for row in &self.state.programs {
            let Some(rest) = self.rest(self.at).strip_prefix(row.option.as_bytes()) else { continue };
            let behind = self.at + row.option.len();
            match rest.first() {
                None if row.position != ArgumentPosition::Glued => {
                    self.state.next = Some(row.part);
                    return false;
                }
                Some(b'=') if row.option.starts_with("--") => from = Some((behind + 1, row.part)),
                Some(byte) if row.position != ArgumentPosition::Glued && (is_blank(*byte) || is_quote(*byte)) => {
                    from = Some((self.skip_blanks(behind), row.part));
                }
                Some(byte)
                    if row.position != ArgumentPosition::Apart && !row.option.starts_with("--") && !is_blank(*byte) =>
                {
                    from = Some((behind, row.part));
                }
                _ => continue,
            }
            break;
        }
        let Some((from, part)) = from else { return false };
        let (from, to) = self.value(from, &ValueEnd::Assigned);
        let from = match part {
            SecretPart::Whole => from,
            SecretPart::After(byte) => match self.bytes.get(from..to).and_then(|value| memchr::memchr(byte, value)) {
                Some(found) => from + found + 1,
                None => return false,
            },
        };
        !self.is_harmless(from, to) && self.mask(from, to)
    }

    /// Skips blanks and list separators, as in `"--password", "x"`.
    fn skip_blanks(&self, from: usize) -> usize {
        let mut at = from;
        if self.byte(at).is_some_and(is_quote) && matches!(self.byte(at + 1), Some(b',' | b' ')) {
            at += 1;
        }
        for _ in 0..32 {
            match self.byte(at) {
                Some(b' ' | b'\t' | b',') => at += 1,
                Some(b'\\') if self.byte(at + 1) == Some(b'\n') => at += 2,
                _ => break,
            }
        }
        at
    }

    /// Masks the value of a secret name: `name=value`, `"name": "value"`, `--name value`.
    fn assignment(&mut self, start: usize, end: usize, netrc: bool) -> bool {
        let Some(class) = self.state.member(self.text.get(start..end).unwrap_or_default()) else { return false };
        let is_option = start > 0 && self.byte(start - 1) == Some(b'-');
        let separator = if is_option || netrc { Separator::SignOrBlank } else { Separator::Sign };
        let Some(from) = self.value_begin(start, end, separator) else {
            if is_option && end == self.bytes.len() && class == NameClass::Secret {
                self.state.next = Some(SecretPart::Whole);
            }
            return false;
        };
        if class == NameClass::Names {
            let (from, to) = self.value(from, &ValueEnd::Assigned);
            self.state.names(self.text.get(from..to).unwrap_or_default());
            return false;
        }
        let ends = match class {
            _ if self.byte(from - 1) == Some(b'>') => ValueEnd::Element,
            _ if is_option => ValueEnd::Assigned,
            NameClass::Header => ValueEnd::Line,
            _ => ValueEnd::Assigned,
        };
        let (mut from, to) = match self.indented(start, from) {
            Some(lines) => lines,
            None => self.value(from, &ends),
        };
        if class == NameClass::Header {
            from = self.skip_scheme(from, to);
        }
        if self.is_harmless(from, to) {
            return false;
        }
        let value = self.bytes.get(from..to).unwrap_or_default();
        if class == NameClass::Maybe && !may_be_secret(value) {
            return false;
        }
        self.mask(from, to)
    }

    /// The start of the value that follows a name; `None` if no value follows.
    fn value_begin(&self, start: usize, end: usize, separator: Separator) -> Option<usize> {
        let mut at = end;
        if start > 0 && self.byte(start - 1) == Some(b'<') && self.byte(at) == Some(b'>') {
            return Some(at + 1);
        }
        for _ in 0..6 {
            match self.byte(at) {
                Some(b'\\' | b'"' | b'\'' | b']' | b')') => at += 1,
                _ => break,
            }
        }
        let closed = at;
        let blanks =
            |at: usize| at + self.rest(at).iter().take(32).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        at = blanks(at);
        match (self.byte(at), self.byte(at + 1)) {
            (Some(b':' | b'='), Some(b'=' | b'>')) => at += 2,
            (Some(b':'), Some(b'/' | b':')) => return None,
            (Some(b':' | b'='), _) => at += 1,
            (Some(_), _) if separator == Separator::SignOrBlank && (at > closed || self.byte(closed) == Some(b',')) => {
                return Some(self.skip_blanks(at)).filter(|at| self.byte(*at) != Some(b'-'));
            }
            _ => return None,
        }
        Some(blanks(at)).filter(|at| *at < self.bytes.len())
    }

    /// The lines of a YAML block scalar, `name: |`: those with a deeper indentation.
    fn indented(&self, start: usize, from: usize) -> Option<(usize, usize)> {
        let mark = self.rest(from).iter().take(4).take_while(|byte| matches!(byte, b'|' | b'>' | b'-' | b'+')).count();
        if mark == 0 || !matches!(self.byte(from + mark), Some(b'\n' | b'\r')) {
            return None;
        }
        let line = memchr::memrchr(b'\n', self.bytes.get(..start)?).map_or(0, |at| at + 1);
        let depth = self.end_of(line, |byte| byte == b' ') - line;
        let begin = from + mark;
        let mut end = self.end_of(begin, |byte| byte != b'\n') + 1;
        for line in self.rest(end).split_inclusive(|byte| *byte == b'\n') {
            let blanks = line.iter().take_while(|byte| **byte == b' ').count();
            if blanks <= depth && !line.trim_ascii().is_empty() {
                break;
            }
            end += line.len();
        }
        let end = end.min(self.bytes.len());
        Some((begin, if self.byte(end - 1) == Some(b'\n') { end - 1 } else { end }))
    }

    /// The range of the value that starts at `from`, without quotes.
    fn value(&self, from: usize, ends: &ValueEnd) -> (usize, usize) {
        let slashes = self.rest(from).iter().take(4).take_while(|byte| **byte == b'\\').count();
        if let Some(quote) = self.byte(from + slashes).filter(|byte| is_quote(*byte)) {
            let open = from + slashes + 1;
            // This quote ends a prompt, as in `'Password: '`.
            if matches!(self.byte(open), None | Some(b' ' | b')' | b';' | b',')) {
                return (from, from);
            }
            let triple = slashes == 0 && self.rest(open).starts_with(&[quote, quote]);
            let open = if triple { open + 2 } else { open };
            return (open, self.close(open, quote, slashes));
        }
        let mut at = from;
        while let Some(byte) = self.byte(at) {
            let next = self.byte(at + 1);
            let escaped = byte == b'\\' && matches!(next, Some(b'n' | b'r' | b't' | b'"' | b'\''));
            let separates = matches!(byte, b')' | b']' | b'}' | b',' | b'>' | b';' | b'|' | b'&');
            let ended = matches!(byte, b'\n' | b'\r')
                || match ends {
                    ValueEnd::Element => byte == b'<',
                    ValueEnd::Line => is_quote(byte) || escaped && next != Some(b't'),
                    ValueEnd::Assigned => {
                        is_blank(byte) || is_quote(byte) || escaped || separates && self.is_after_value(at + 1)
                    }
                };
            if ended {
                break;
            }
            at += 1;
        }
        (from, at)
    }

    /// Returns true if a separator ends the value: a blank, the end of the text, another separator or another
    /// assignment follows.
    fn is_after_value(&self, at: usize) -> bool {
        let Some(byte) = self.byte(at) else { return true };
        if is_blank(byte) || is_quote(byte) || matches!(byte, b')' | b']' | b'}' | b',' | b';' | b'|' | b'&' | b'>') {
            return true;
        }
        let name = self.rest(at).iter().take(48).take_while(|byte| is_name(**byte) || **byte == b' ').count();
        name > 0 && matches!(self.byte(at + name), Some(b'=' | b':'))
    }

    /// The end of a quoted value: the first quote with the same escaping as the opening one, or the end of the line.
    fn close(&self, open: usize, quote: u8, slashes: usize) -> usize {
        let mut run = 0;
        for (at, byte) in self.rest(open).iter().enumerate() {
            if *byte == b'\\' {
                run += 1;
                continue;
            }
            // A quote with fewer backslashes ends an outer quoted text.
            let closes = if slashes == 0 { run % 2 == 0 } else { run <= slashes };
            if *byte == quote && closes {
                return open + at - if slashes == 0 { 0 } else { run };
            }
            run = 0;
        }
        self.end_of(open, |byte| byte != b'\n')
    }

    /// Skips the scheme of an authorization header, such as `Bearer`, which is not masked.
    fn skip_scheme(&self, from: usize, to: usize) -> usize {
        const SCHEMES: [&str; 8] = ["bearer", "basic", "token", "digest", "apikey", "negotiate", "bot", "key"];
        let word = self.text.get(from..to).unwrap_or_default().split([' ', '\t']).next().unwrap_or_default();
        let is_scheme = SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
        if is_scheme && from + word.len() < to { from + word.len() + 1 } else { from }
    }

    /// Masks the token after `Bearer` or `Basic` outside of a header.
    fn scheme(&mut self, end: usize) -> bool {
        let word = self.text.get(self.at..end).unwrap_or_default();
        if !["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) || self.byte(end) != Some(b' ') {
            return false;
        }
        let to = self.end_of(end + 1, |byte| is_token(byte) || matches!(byte, b'.' | b'/' | b'='));
        let token = self.bytes.get(end + 1..to).unwrap_or_default();
        let mixed = token.iter().any(u8::is_ascii_digit) || token.iter().skip(1).any(u8::is_ascii_uppercase);
        token.len() >= 8 && (mixed || token.len() >= 24) && self.mask(end + 1, to)
    }

    /// Returns true for values without information, such as `true`, and for references to variables.
    fn is_harmless(&self, from: usize, to: usize) -> bool {
        let value = self.bytes.get(from..to).unwrap_or_default();
        let words: [&[u8]; 7] = [b"", b"true", b"false", b"null", b"nil", b"None", b"undefined"];
        words.contains(&value) || is_reference(value) || value == MASK.as_bytes()
    }

    /// Masks a long word that looks random.
    fn random(&mut self, end: usize) -> bool {
        let (from, bytes) = (self.at, self.bytes);
        // Base64 may contain slashes, like a path.
        let slashed = from
            + bytes
                .get(from..)
                .unwrap_or_default()
                .iter()
                .take(128)
                .take_while(|byte| is_token(**byte) || **byte == b'/')
                .count();
        let whole = bytes.get(from..slashed).unwrap_or_default();
        if slashed > end
            && (40..=127).contains(&whole.len())
            && self.byte(slashed) != Some(b'.')
            && is_random(whole, 40, 33)
        {
            return self.mask(from, slashed);
        }
        let token = bytes.get(from..end).unwrap_or_default();
        let mailchimp = is_hex(token.get(..32).unwrap_or_default(), 32)
            && token.get(32..).is_some_and(|rest| rest.starts_with(b"-us"));
        (mailchimp || is_random(token, 20, 28)) && self.mask(from, end)
    }
}

/// The text between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// A sign such as `=` or `:`.
    Sign,
    /// A sign or a blank, as in `--name value`.
    SignOrBlank,
}

/// The syntax that determines the end of an unquoted value.
enum ValueEnd {
    /// `name=value` or `--name value`
    Assigned,
    /// A header: up to the end of the line.
    Line,
    /// `<name>value</name>`
    Element,
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'.')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_token(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'+' | b'~')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Returns true for a reference to a variable of a shell or a template, which is not a secret.
fn is_reference(value: &[u8]) -> bool {
    let is_upper = |name: &[u8]| {
        !name.is_empty() && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
    };
    let inside = |open: &[u8], close: &[u8]| value.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    value.strip_prefix(b"$").is_some_and(is_upper)
        || inside(b"${", b"}").is_some_and(is_upper)
        || inside(b"%", b"%").is_some_and(is_upper)
        || value.starts_with(b"${{")
        || value.starts_with(b"{{")
        || inside(b"$(", b")").is_some()
}

/// Returns true if the value of a [`NameClass::Maybe`] looks like a secret.
fn may_be_secret(value: &[u8]) -> bool {
    is_random(value, 12, 20) || is_hex(value, 16)
}

fn is_hex(value: &[u8], least: usize) -> bool {
    value.len() >= least && value.iter().all(u8::is_ascii_hexdigit)
}

/// Returns true for a word that looks random: letters of both cases and digits, or one case and many digits, where at
/// least `percent` percent of neighbouring characters differ in kind. Digests and UUIDs are not secret.
fn is_random(value: &[u8], least: usize, percent: usize) -> bool {
    let is_uuid = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    if value.len() < least || value.iter().all(is_uuid) {
        return false;
    }
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3_usize,
    };
    let mut counts = [0_usize; 4];
    let (mut pairs, mut changes, mut before) = (0, 0, 3);
    for byte in value {
        let now = kind(*byte);
        if let Some(count) = counts.get_mut(now) {
            *count += 1;
        }
        if now < 3 && before < 3 {
            pairs += 1;
            // An upper-case letter before a lower-case one is the start of a capitalized word.
            changes += usize::from(now != before && (before, now) != (1, 0));
        }
        before = now;
    }
    let [lower, upper, digits, _] = counts;
    let changes = changes * 100 >= pairs * percent;
    let three = lower >= 2 && upper >= 2 && digits >= 1;
    let two = lower.max(upper) >= 4 && digits >= 4 && value.len() >= least + 4;
    changes && (three || two)
}
