//! Parts of rules that several agents write alike.

/// Returns true if a text has letters, digits and these other characters only.
pub(super) fn is_plain(text: &str, others: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

/// A rule about the commands that start with these words; `None` if a character may mean something else in a rule.
pub(super) fn command(words: &str) -> Option<String> {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty() && is_plain(&words, " _-./=@,+:")).then(|| format!("Bash({words} *)"))
}

/// A path in which `*` is any text: only at the end of a path, or before the end of a name.
pub(super) fn path(pattern: &str) -> Option<String> {
    let path = pattern.strip_prefix("$HOME/").map_or_else(|| pattern.to_owned(), |rest| format!("~/{rest}"));
    let path = if path.starts_with('/') { format!("/{path}") } else { path };
    let (start, end) = match path.strip_suffix("/**").or_else(|| path.strip_suffix("/*")) {
        Some(folder) => (folder, "/**"),
        None => (path.as_str(), ""),
    };
    let literal = start.strip_prefix('*').filter(|name| !name.contains('/') && end.is_empty()).unwrap_or(start);
    (!literal.is_empty() && is_plain(literal, "/._-~@+")).then(|| format!("{start}{end}"))
}
