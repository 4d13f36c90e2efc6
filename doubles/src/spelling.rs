//! How a host spells its messages.

/// A document as an agent's own encoder writes it. Go's escapes in texts what means something in HTML;
/// outside of a text such a character stands nowhere.
pub(crate) fn spelled(agent: &str, json: &str) -> String {
    let mut out = json.to_owned();
    if matches!(agent, "picoclaw" | "docker-agent" | "hygge") {
        for (plain, escaped) in
            [("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029")]
        {
            out = out.replace(plain, escaped);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_programs_escape_and_say_the_same() {
        let plain = "{\"cmd\":\"a > b 2>&1 <\u{2028}c\"}";
        assert_eq!(spelled("codex", plain), plain);
        let sent = spelled("picoclaw", plain);
        assert_eq!(sent, r#"{"cmd":"a \u003e b 2\u003e\u00261 \u003c\u2028c"}"#);
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&sent), read(plain));
    }
}
