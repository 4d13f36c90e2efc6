//! A handler that masks secrets in tool results before the model reads them.
//!
//! It reads each tool result (`post_tool`). If the text contains a key, a token or a password, it
//! replaces the secret with a mark. The rest of the result is kept byte for byte, because the change
//! contains only the text.
//!
//! ```text
//! cargo install --path . --example redact_results
//! snaphook hook docker-agent --policy "$PWD/examples/redact_results.toml"
//! ```
//!
//! The same policy works for PicoClaw and hygge. A change is required by default, so an agent that cannot
//! apply it does not pass the result on silently. A result without text (no `result.text`) is unchanged.
//!
//! This finds only secrets in known formats, so it is no substitute for access control: a secret that
//! must not leak should not be readable by the agent.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};

use serde_json::{json, value::RawValue};

/// The prefixes of well-known keys, and their minimum lengths.
const KEYS: [(&str, usize); 6] =
    [("AKIA", 20), ("ASIA", 20), ("ghp_", 40), ("gho_", 40), ("github_pat_", 40), ("xoxb-", 24)];

/// The endings of variable names with secret values.
const NAMES: [&str; 5] = ["TOKEN", "SECRET", "PASSWORD", "API_KEY", "ACCESS_KEY"];

const MARK: &str = "[redacted]";

type Object = BTreeMap<String, Box<RawValue>>;

fn main() -> Result<(), Box<dyn Error>> {
    let event: Object = serde_json::from_reader(io::stdin())?;
    let Some(result) = event.get("result") else { return Ok(()) };
    let result: Object = serde_json::from_str(result.get())?;
    let Some(text) = result.get("text") else { return Ok(()) };
    let text: String = serde_json::from_str(text.get())?;
    let clean = redact(&text);
    if clean != text {
        let answer = json!({
            "changes": [{"target": "result", "text": clean}],
            "notice": "secrets were removed from a tool result",
        });
        writeln!(io::stdout(), "{answer}")?;
    }
    Ok(())
}

/// Masks the secrets in a text, word by word.
fn redact(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (word, tail) = split(rest, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if let Some(value) = tail.strip_prefix('=').filter(|_| names_a_secret(word)) {
            let quote = ["\"", "'"].into_iter().find(|quote| value.starts_with(quote)).unwrap_or_default();
            let (secret, after) = split(value.split_at(quote.len()).1, |c| match quote {
                "" => !c.is_whitespace() && !"\"'&;".contains(c),
                _ => c != '\n' && !quote.contains(c),
            });
            clean.extend([word, "=", quote, if secret.is_empty() { "" } else { MARK }]);
            rest = after;
        } else {
            clean.push_str(if is_key(word) { MARK } else { word });
            let mut tail = tail.chars();
            clean.extend(tail.next());
            rest = tail.as_str();
        }
    }
    clean
}

fn names_a_secret(word: &str) -> bool {
    let word = word.to_ascii_uppercase();
    NAMES.iter().any(|name| word.ends_with(name))
}

fn is_key(word: &str) -> bool {
    KEYS.iter().any(|(start, len)| word.starts_with(start) && word.len() >= *len)
}

/// Splits a text after its longest prefix of wanted characters.
fn split(text: &str, wanted: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !wanted(c)).unwrap_or(text.len()))
}
