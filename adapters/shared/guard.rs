//! The shell around a registered line: a missing program, a crash or a kill becomes a block (S6).

/// Quotes one word for a POSIX shell; plain words stay as they are.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Joins words to one command line.
pub fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Puts the guard behind a hook line: every exit but 0 and 2 becomes exit 2 with a reason.
pub fn exit_2(hook: &str) -> String {
    format!("{hook}; rc=$?; case $rc in 0|2) exit $rc;; *) echo \"agent hook failed ($rc): denied\" >&2; exit 2;; esac")
}

/// Puts a guard behind a hook line of a lane that obeys nothing but a document: every exit but 0
/// prints `document` and exits 0.
pub fn document(hook: &str, document: &str) -> String {
    format!("out=$({hook}) && printf %s \"$out\" || printf %s {}; exit 0", word(document))
}

/// Hands a script to `/bin/sh`, in a form that sh, bash, zsh, fish and nu all pass on as it is.
pub fn sh(script: &str) -> String {
    format!("/bin/sh -c {}", word(script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_anything_odd_are_quoted() {
        assert_eq!(line(["/usr/bin/snaphook", "hook", "it's"]), r"/usr/bin/snaphook hook 'it'\''s'");
        assert_eq!(word(""), "''");
    }
}
