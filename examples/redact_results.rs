//! Takes secrets out of what tools bring back, before the model reads it.
//!
//! It gets each tool result (`post_tool`), and where the text holds a key, a token or a password it
//! answers with the same text, the secret replaced by a mark. The rest of the result stays as the
//! agent sent it, because the change names the text alone.
//!
//! ```text
//! cargo install --path . --example redact_results
//! snaphook hook docker-agent --policy "$PWD/examples/redact_results.toml"
//! ```
//!
//! The same policy serves PicoClaw and hygge: what differs between them is not seen here. A change
//! is required where nothing else is said, so an agent that cannot make it is not told that all is
//! well. A result without text (`result.text` is absent) is left alone.
//!
//! Looking for known forms finds known forms. It is a net, not a wall: what must not leak should not
//! be readable for the agent in the first place.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};

use serde_json::{json, value::RawValue};

/// How well-known keys begin, and how long they are at least.
const KEYS: [(&str, usize); 6] =
    [("AKIA", 20), ("ASIA", 20), ("ghp_", 40), ("gho_", 40), ("github_pat_", 40), ("xoxb-", 24)];

/// What stands before a `=` that a secret follows.
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
            "notice": "secrets were taken out of a tool's result",
        });
        writeln!(io::stdout(), "{answer}")?;
    }
    Ok(())
}

/// Goes through the text word by word.
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

/// The longest beginning of such characters, and what follows.
fn split(text: &str, wanted: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !wanted(c)).unwrap_or(text.len()))
}
