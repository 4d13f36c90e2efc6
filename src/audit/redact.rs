//! Keeps inputs out of the log: all of them, or, where it was asked to keep them, what looks like a
//! secret.

/// Leaves of an action in words only its kind (A2).
pub fn without_input(action: &mut String) {
    action.truncate(action.find(':').unwrap_or(action.len()));
}

/// Masks in an action in words what would be masked in the input (A2).
pub fn with_input_redacted(action: &mut String) {
    *action = redact(action);
}

/// Leaves of what made a command one that is not understood only the word it begins with, and no value:
/// the rest is the command's own text (A2).
pub fn outline(why: &str) -> String {
    let Some((before, quoted)) = why.split_once('`') else { return why.to_owned() };
    let quoted = quoted.strip_suffix('`').unwrap_or(quoted);
    let end = quoted.find([' ', '\t', '\n', '(', '`', '=', '{', '\'', '"']).map_or(quoted.len(), |at| at + 1);
    let kept = quoted.get(..end).unwrap_or(quoted);
    let rest = if kept.len() < quoted.len() { "…" } else { "" };
    format!("{before}`{}{rest}`", kept.trim_end())
}

/// Masks tokens, keys and the values of names that sound secret; the rest stays as it is.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut secret_next = false;
    for piece in text.split_inclusive(|c: char| !is_token(c)) {
        let token = piece.trim_end_matches(|c: char| !is_token(c));
        let rest = piece.get(token.len()..).unwrap_or_default();
        if !token.is_empty() {
            let masked = secret_next || looks_secret(token);
            out.push_str(if masked { "***" } else { token });
            secret_next = sounds_secret(token);
        }
        secret_next &= rest.chars().all(|c| "=: \"'\\".contains(c));
        out.push_str(rest);
    }
    out
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-+/.~".contains(c)
}

/// Long runs of mixed letters and digits are keys more often than anything else.
fn looks_secret(token: &str) -> bool {
    let has = |test: fn(&char) -> bool| token.chars().any(|c| test(&c));
    let path = token.contains('/') || token.contains("..") || token.matches('.').count() > 2;
    token.len() >= 20 && !path && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
}

fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "password", "passwd", "api_key", "apikey", "api-key", "bearer", "credential"]
        .iter()
        .any(|word| name.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_word_that_is_not_understood_no_text_is_kept() {
        for (why, kept) in [
            ("longer than 16384 bytes", "longer than 16384 bytes"),
            ("`eval`", "`eval`"),
            ("`$(curl -u admin:hunter2 https://x)`", "`$(…`"),
            ("`mysql$(printf %s -phunter2)`", "`mysql$(…`"),
            ("`sh echo private`", "`sh…`"),
            ("`export PATH=/x`", "`export…`"),
            ("`PATH=/secret`", "`PATH=…`"),
            ("`a`b` c`", "`a`…`"),
        ] {
            assert_eq!(outline(why), kept);
        }
    }

    #[test]
    fn secrets_are_masked_and_commands_stay_readable() {
        let text = r#"{"command":"curl -H 'Authorization: Bearer abc' -d password=hunter2 https://x.org/a/b"}"#;
        let out = redact(text);
        assert!(!out.contains("abc") && !out.contains("hunter2"), "{out}");
        assert!(out.contains("curl -H") && out.contains("https://x.org/a/b"), "{out}");
        assert_eq!(redact("AKIAIOSFODNN7EXAMPLE1 ghp_0123456789abcdefABCDEF"), "*** ***");
    }
}
