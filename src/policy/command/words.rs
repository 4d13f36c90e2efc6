//! The words of one plain command, with quotes removed.

/// Holds one word.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about how one word was written")]
pub(crate) struct Word {
    /// After quote removal.
    pub(crate) value: String,
    /// Whether it begins with an unquoted `~`.
    pub(crate) tilde: bool,
    /// Whether it has an unquoted glob.
    pub(crate) glob: bool,
    /// Whether any of it was quoted or escaped.
    pub(crate) quoted: bool,
    /// Whether it has a glob or a `$` that is quoted, and so means itself.
    pub(crate) literal: bool,
}

impl Word {
    /// Takes a word that no shell reads.
    pub(crate) fn literal(value: &str) -> Self {
        let literal = value.contains(is_special);
        Self { value: value.to_owned(), tilde: false, glob: false, quoted: true, literal }
    }

    /// The form in which words are compared (B4).
    pub(crate) fn printed(&self) -> String {
        printed(&self.value, self.literal)
    }

    fn start() -> Self {
        Self { value: String::new(), tilde: false, glob: false, quoted: false, literal: false }
    }

    fn quote(&mut self, c: char) {
        self.quoted = true;
        self.literal |= is_special(c);
        self.value.push(c);
    }
}

/// Prints a word in single quotes where it is empty, has blanks, quotes or a backslash, or holds a
/// glob or `$` that means itself.
pub(crate) fn printed(value: &str, literal: bool) -> String {
    if literal || value.is_empty() || value.contains([' ', '\t', '\n', '\'', '"', '\\']) {
        format!("'{}'", value.replace('\'', r"'\''"))
    } else {
        value.to_owned()
    }
}

pub(crate) fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | '$')
}

/// Splits a text into words. `Err` names what makes it more than plain and quoted words.
pub(super) fn split(text: &str) -> Result<Vec<Word>, String> {
    let text = text.trim_matches([' ', '\t', '\n']);
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c) => word.get_or_insert_with(Word::start).quote(c),
                None => return Err("`\\` at the end".to_owned()),
            },
            '\'' => {
                let word = word.get_or_insert_with(Word::start);
                word.quoted = true;
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.quote(c),
                        None => return Err("an open `'`".to_owned()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_with(Word::start);
                word.quoted = true;
                double(&mut chars, word)?;
            }
            '#' if word.is_none() => return Err("a comment".to_owned()),
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '$' | '`' | '\n' => return Err(blame(c)),
            c if c.is_control() => return Err("a control character".to_owned()),
            c => {
                let word = word.get_or_insert_with(Word::start);
                word.tilde |= c == '~' && word.value.is_empty() && !word.quoted;
                word.glob |= matches!(c, '*' | '?' | '[');
                word.value.push(c);
                if c == '{' && chars.peek() == Some(&'}') {
                    word.value.extend(chars.next());
                } else if matches!(c, '{' | '}') {
                    return Err(blame(c));
                }
            }
        }
    }
    words.extend(word);
    Ok(words)
}

/// What stands between double quotes: everything means itself but `\` before four characters.
fn double(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, word: &mut Word) -> Result<(), String> {
    loop {
        match chars.next() {
            Some('"') => return Ok(()),
            Some('$') if chars.peek().is_some_and(|c| c.is_alphanumeric() || "_{('\"@*#?-$!".contains(*c)) => {
                if chars.peek() != Some(&'"') {
                    return Err(blame('$'));
                }
                word.quote('$');
            }
            Some('`') => return Err(blame('`')),
            Some('\\') => match chars.next() {
                Some('\n') => {}
                Some(c @ ('$' | '`' | '"' | '\\')) => word.quote(c),
                Some(c) => {
                    word.quote('\\');
                    word.quote(c);
                }
                None => return Err("an open `\"`".to_owned()),
            },
            Some(c) => word.quote(c),
            None => return Err("an open `\"`".to_owned()),
        }
    }
}

fn blame(c: char) -> String {
    if c == '\n' { "a second line".to_owned() } else { format!("`{c}`") }
}
