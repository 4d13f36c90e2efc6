//! Every text is analysed in bounded time.

use proptest::prelude::*;

use super::*;

const TOKENS: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "$(",
    "$((",
    "${",
    "`",
    "\"",
    "'",
    "$'",
    "$\"",
    "$[",
    "]",
    "[[",
    "]]",
    "<(",
    ">(",
    "=(",
    "case",
    "esac",
    "in",
    "if",
    "then",
    "elif",
    "else",
    "fi",
    "for",
    "while",
    "until",
    "do",
    "done",
    "function",
    "select",
    "coproc",
    "time",
    "!",
    ";",
    ";;",
    ";&",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "\n",
    "<",
    ">",
    "<<",
    "<<-",
    "<<<",
    "&>",
    ">&",
    "E",
    "\nE\n",
    "x",
    "x",
    "a=b",
    "a+=b",
    "rm",
    "eval",
    "sh -c",
    "find . -exec",
    "xargs",
    "env",
    "sudo",
    "-n",
    "\\",
    "\\\n",
    "#",
    " ",
    " ",
    " ",
    "\t",
    "~",
    "*",
    "{a,b}",
    "$x",
    "$HOME",
    "1",
    "\u{a0}",
    "\r",
    "\u{0}",
    "é",
    "f()",
    "git",
    "sed s/a/b/e",
    "python3 -c",
    "trap",
    "cd",
    "--",
    ":-",
    "}",
    ")",
];

/// Requires a time of at most a hundred times that of plain words of the maximum length. An exponential rule
/// takes far longer.
#[expect(clippy::disallowed_methods, reason = "two times are compared, so that an exponential rule is found")]
fn quick(text: &str) {
    static PLAIN: std::sync::OnceLock<std::time::Duration> = std::sync::OnceLock::new();
    let took = |text: &str| {
        let begun = std::time::Instant::now();
        of(text);
        begun.elapsed()
    };
    let plain = PLAIN.get_or_init(|| (0..3).map(|_| took(&"ls a; ".repeat(2700))).max().unwrap());
    let shown: String = text.chars().take(200).collect();
    assert!(took(text) < *plain * 300, "{shown}");
}

proptest! {
    #[test]
    fn s4_any_token_sequence_is_analysed_in_bounded_time(
        soup in proptest::collection::vec(proptest::sample::select(TOKENS), 0..60),
        glue in prop_oneof![Just(""), Just(" "), Just("\n"), Just("; ")],
    ) {
        quick(&soup.join(glue));
    }

    #[test]
    fn s4_any_nesting_is_analysed_in_bounded_time(
        before in proptest::collection::vec(proptest::sample::select(TOKENS), 1..5),
        middle in proptest::collection::vec(proptest::sample::select(TOKENS), 0..4),
        after in proptest::collection::vec(proptest::sample::select(TOKENS), 0..5),
        times in 1..2000_usize,
        glue in prop_oneof![Just(""), Just(" "), Just("\n"), Just("; ")],
    ) {
        let times = times.min(16_000 / (before.concat().len() + after.concat().len() + 8 * glue.len() + 1));
        let (open, shut) = (format!("{}{glue}", before.join(glue)), format!("{glue}{}", after.join(glue)));
        quick(&format!("{}{}{}", open.repeat(times), middle.join(glue), shut.repeat(times)));
    }

    #[test]
    fn s4_any_bytes_are_analysed_in_bounded_time(text in any::<String>()) {
        quick(&text);
    }
}
