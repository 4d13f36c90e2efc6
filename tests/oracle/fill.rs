//! Templates with names in braces.

/// The values of the names in braces.
pub(crate) struct Parts<'a> {
    whole: &'a str,
    program: &'a str,
    rest: &'a str,
    /// Replaces the program in the names of its pieces when an argument is spelled.
    argument: &'a str,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(whole: &'a str, program: &'a str, rest: &'a str) -> Self {
        Self { whole, program, rest, argument: program }
    }

    /// Puts an argument in place of the program, except for `{p}`.
    pub(crate) fn argument(self, argument: &'a str) -> Self {
        Self { argument, ..self }
    }

    fn get(&self, name: &str) -> Option<String> {
        let (whole, program) = (self.whole, self.argument);
        let head = program.char_indices().nth(2).map_or(program.len(), |(at, _)| at);
        let first = program.chars().next().map_or(0, char::len_utf8);
        let last = program.len() - program.chars().next_back().map_or(0, char::len_utf8);
        Some(match name {
            "cmd" => whole.to_owned(),
            "p" => self.program.to_owned(),
            "w" => self.argument.to_owned(),
            "a" => self.rest.to_owned(),
            "h" => program[..head].to_owned(),
            "t" => program[head..].to_owned(),
            "f" => program[..first].to_owned(),
            "r" => program[first..].to_owned(),
            "b" => program[..last].to_owned(),
            "l" => program[last..].to_owned(),
            "up" => program.to_uppercase(),
            "sq" => format!("'{}'", whole.replace('\'', "'\\''")),
            "dq" => double_quoted(whole),
            "ansi" => format!("$'{}'", escaped(whole, |byte| format!("\\x{byte:02x}"))),
            "unicode" => escaped(whole, |byte| format!("\\u00{byte:02x}")),
            "octal" => escaped(whole, |byte| format!("\\{byte:03o}")),
            "hexes" => escaped(whole, |byte| format!("\\x{byte:02x}")),
            "hex" => escaped(whole, |byte| format!("{byte:02x}")),
            "rev" => whole.chars().rev().collect(),
            "rot" => whole.chars().map(rot13).collect(),
            "b64" => base64(whole.as_bytes()),
            _ => return None,
        })
    }
}

/// Replaces names in braces by their values; other braces stay.
pub(crate) fn fill(template: &str, parts: &Parts<'_>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open + 1..];
        let filled = rest.find('}').and_then(|close| Some((close, parts.get(&rest[..close])?)));
        match filled {
            Some((close, value)) => {
                text.push_str(&value);
                rest = &rest[close + 1..];
            }
            None => text.push('{'),
        }
    }
    text + rest
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        if "\\\"$`".contains(c) {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted + "\""
}

fn escaped(text: &str, one: impl Fn(u8) -> String) -> String {
    text.bytes().map(one).collect()
}

fn rot13(c: char) -> char {
    let turn = |c: char, base: u8| char::from((c as u8 - base + 13) % 26 + base);
    match c {
        'a'..='z' => turn(c, b'a'),
        'A'..='Z' => turn(c, b'A'),
        c => c,
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at <= chunk.len() {
                text.push(char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}
