//! The scripts of `sed`, as far as they only print and replace.

use super::forms::long;
use super::words::Word;

/// The word in which a script may run a command or write a file; `Err`: a word that may be anything.
pub(super) fn code(words: &[Word]) -> Result<Option<&Word>, &Word> {
    let mut scripts: Vec<(&Word, &str)> = Vec::new();
    let mut first = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() && first.is_none() {
            return Err(word);
        }
        if value == "--" {
            first = first.or_else(|| rest.next());
            break;
        }
        if long(value, &["file"]) {
            return Ok(Some(word));
        }
        if long(value, &["expression"]) {
            match value.split_once('=') {
                Some((_, script)) => scripts.push((word, script)),
                None => scripts.extend(rest.next().map(|next| (next, next.value.as_str()))),
            }
        } else if let Some(letters) = value.strip_prefix('-').filter(|letters| !letters.starts_with('-')) {
            for (at, letter) in letters.char_indices() {
                let given = letters.get(at + letter.len_utf8()..).unwrap_or_default();
                match letter {
                    'f' => return Ok(Some(word)),
                    'i' => break,
                    'e' if given.is_empty() => scripts.extend(rest.next().map(|next| (next, next.value.as_str()))),
                    'e' => scripts.push((word, given)),
                    'l' if given.is_empty() => drop(rest.next()),
                    _ => continue,
                }
                break;
            }
        } else if !value.starts_with('-') && first.is_none() {
            first = Some(word);
        }
    }
    if scripts.is_empty() {
        scripts.extend(first.map(|word| (word, word.value.as_str())));
    }
    for (word, script) in scripts {
        if !word.spans.is_empty() || word.glob {
            return Err(word);
        }
        if !is_harmless(script) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Whether a script has only commands that neither run nor read nor write a file.
fn is_harmless(script: &str) -> bool {
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if " \t\n;0123456789,$!{}~+pdqQnNgGhHxDP=lI".contains(c) => {}
            '/' => {
                if !skip(&mut chars, '/') {
                    return false;
                }
            }
            's' | 'y' => {
                let Some(edge) = chars.next().filter(|edge| !edge.is_alphanumeric() && *edge != '\n') else {
                    return false;
                };
                if !skip(&mut chars, edge) || !skip(&mut chars, edge) {
                    return false;
                }
                while chars.next_if(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9')).is_some() {}
                if !chars.peek().is_none_or(|c| matches!(c, ' ' | ';' | '\n' | '}')) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

/// Reads on behind the next edge; false: there is none on this line, or it may be one of a set.
fn skip(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, edge: char) -> bool {
    let mut set = false;
    loop {
        match chars.next() {
            Some('\\') => drop(chars.next()),
            Some(c) if c == edge => return !set,
            Some('\n') | None => return false,
            Some('[') => set = true,
            Some(']') => set = false,
            Some(_) => {}
        }
    }
}
