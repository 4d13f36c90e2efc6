//! The words of a text that is not understood.

/// Splits a raw text into words at blanks and all other characters that may end a word, with quotes,
/// backslashes and line continuations removed. The default of an unset variable also starts a word.
pub fn text_words(raw: &str) -> Vec<String> {
    let bare: String = raw.replace("\\\r\n", "").replace("\\\n", "").replace(['\'', '"', '\\'], "");
    let edge = |c: char| c.is_whitespace() || ";|&(){}<>,$`=".contains(c);
    let mut words = Vec::new();
    for (at, word) in bare.split("${").enumerate() {
        let name = word.bytes().take_while(|b| at > 0 && (b.is_ascii_alphanumeric() || *b == b'_')).count();
        let (name, rest) = word.split_at_checked(name).unwrap_or(("", word));
        let rest = if at > 0 { rest.trim_start_matches(':').trim_start_matches(['-', '+', '?']) } else { rest };
        words.extend(std::iter::once(name).chain(rest.split(edge)).filter(|word| !word.is_empty()).map(str::to_owned));
    }
    words
}
