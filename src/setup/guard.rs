//! The shell guard of a registered command line: with it, a missing program, a crash or a kill blocks the call (S6).

use snaphook_adapters::protocol::FAILURE_REASON;

/// Quotes one word for a POSIX shell; plain words stay as they are.
pub(crate) fn word(text: &str) -> String {
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Joins words to one command line.
pub(crate) fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// What a guard says instead of the program. The sentence needs no quoting in a shell.
fn failure(program: &str) -> String {
    format!(
        "{program} is missing or failed, so this call is blocked. A person can install snaphook again or remove this hook."
    )
}

/// Appends the guard to a hook command: every exit code except 0 and 2 becomes exit code 2 with a reason. `program` is
/// the first word of the command, as it is quoted there.
///
/// Some agents show the model the whole command if it fails, so the guard is short. The shell itself prints a cause
/// such as "not found" to stderr before.
pub(crate) fn exit_2(hook: &str, program: &str) -> String {
    format!("{hook}{OR_ECHO}{}{EXIT_2}", failure(program))
}

/// Adds a guard for a lane that obeys only a JSON document: every exit code except 0 prints `document` with the reason
/// in place of [`FAILURE_REASON`] and becomes exit code 0.
pub(crate) fn document(hook: &str, program: &str, document: &str) -> String {
    let reason = serde_json::Value::String(failure(program)).to_string();
    let document = document.replace(FAILURE_REASON, reason.trim_matches('"'));
    format!("{CAUGHT}{hook}{OR_PRINT}{}{EXIT_0}", nested_word(&document))
}

/// Replaces the shell process by a hook that needs no guard.
pub(crate) fn exec(hook: &str) -> String {
    format!("{EXEC}{hook}")
}

/// Removes the guard from a hook command.
pub(crate) fn unguarded(script: &str) -> &str {
    let caught = || {
        let (hook, document) = script.strip_prefix(CAUGHT)?.rsplit_once(OR_PRINT)?;
        document.ends_with(EXIT_0).then_some(hook)
    };
    let or_echo = || script.strip_suffix(EXIT_2)?.rsplit_once(OR_ECHO).map(|(hook, _)| hook);
    or_echo().or_else(caught).or_else(|| script.strip_prefix(EXEC)).unwrap_or(script)
}

const OR_ECHO: &str = " || { [ $? = 2 ] || echo ";
const EXIT_2: &str = " >&2; exit 2; }";
const CAUGHT: &str = "out=$(";
const OR_PRINT: &str = ") && printf %s \"$out\" || printf %s ";
const EXIT_0: &str = "; exit 0";
const EXEC: &str = "exec ";

/// Passes a script to `/bin/sh` in a form that sh, bash, zsh, fish and nu all read the same. The script must not
/// contain a single quote: build it with [`nested_line`].
pub(crate) fn sh(script: &str) -> String {
    format!("/bin/sh -c {}", word(script))
}

/// Joins words to a command line for a script in single quotes, as [`sh`] needs it.
pub(crate) fn nested_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(nested_word).collect::<Vec<_>>().join(" ")
}

/// Quotes one word for a POSIX shell without single quotes and without two consecutive backslashes, which fish
/// interprets inside of single quotes.
pub(crate) fn nested_word(text: &str) -> String {
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\'' => out.push_str(QUOTE),
            '\\' => out.push_str(BACKSLASH),
            '"' | '$' | '`' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Converts words of [`nested_word`] to the usual POSIX quoting.
pub(crate) fn unnested(line: &str) -> String {
    line.replace(QUOTE, "'").replace(BACKSLASH, r"\\")
}

const QUOTE: &str = r#"$(printf "\047")"#;
const BACKSLASH: &str = r#"$(printf "\134")"#;

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/._-=:@%+,".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_special_characters_are_quoted() {
        assert_eq!(line(["/usr/bin/snaphook", "hook", "it's"]), r"/usr/bin/snaphook hook 'it'\''s'");
        assert_eq!(word(""), "''");
        assert_eq!(nested_word("/usr/bin/snaphook"), "/usr/bin/snaphook");
        assert_eq!(nested_word("a \"b\" $c"), r#""a \"b\" \$c""#);
        assert_eq!(nested_word(""), "\"\"");
    }

    const ODD: &str = "/h o'm\"e/$HOME/`id`/\\x\\\\y/!/*/é";

    #[test]
    fn every_shell_passes_a_nested_word_unchanged() {
        let script = format!("printf %s {}", nested_word(ODD));
        assert!(!script.contains('\'') && !script.contains(r"\\"), "{script}");
        for shell in shells() {
            assert_eq!(run(shell, &sh(&script)), (ODD.to_owned(), Some(0)), "{shell}: {script}");
        }
    }

    const PROGRAM: &str = "/h o'm\"e/$HOME/`id`/!/*/snaphook";

    #[test]
    fn every_exit_but_0_and_2_becomes_2() {
        for shell in shells() {
            // Directly in a POSIX shell, and as an argument of /bin/sh in every shell.
            let (program, nested) = (word(PROGRAM), nested_word(PROGRAM));
            let plain = |hook: &str| exit_2(hook, &program);
            let passed = |hook: &str| sh(&exit_2(hook, &nested));
            let is_posix = shell != "fish" && shell != "nu";
            for guarded in [Some(&passed as &dyn Fn(&str) -> String), is_posix.then_some(&plain)].into_iter().flatten()
            {
                for (exit, want) in [(0, 0), (2, 2), (1, 2), (101, 2), (126, 2), (127, 2), (137, 2)] {
                    let line = guarded(&format!("(printf hi; exit {exit})"));
                    let said = said(shell, &line);
                    assert_eq!((said.0.as_str(), said.2), ("hi", Some(want)), "{shell}: {line}");
                    assert_eq!(
                        said.1.contains(&failure(PROGRAM)),
                        ![0, 2].contains(&exit),
                        "{shell}: {line}: {said:?}"
                    );
                }
                for hook in ["/no/such/program", "/dev/null", "sh -c \"kill -9 \\$\\$\"", "sh -c \"kill -15 \\$\\$\""] {
                    let line = guarded(hook);
                    let said = said(shell, &line);
                    assert!(said.2 == Some(2) && said.1.contains(&failure(PROGRAM)), "{shell}: {line}: {said:?}");
                }
            }
        }
    }

    #[test]
    fn a_lane_that_reads_only_documents_always_gets_one() {
        let deny = r#"{"a":"it's \"denied\" \\: <reason>"}"#;
        let said = |stdout: &str| serde_json::from_str::<serde_json::Value>(stdout).unwrap()["a"].clone();
        let denied = format!("it's \"denied\" \\: {}", failure(ODD));
        for shell in shells() {
            let line = |hook: &str| sh(&document(hook, ODD, deny));
            assert_eq!(run(shell, &line("printf {}")), ("{}".to_owned(), Some(0)), "{shell}");
            for hook in ["printf {}; exit 2", "exit 1", "/no/such/program", "sh -c \"kill -9 \\$\\$\""] {
                let (stdout, code) = run(shell, &line(hook));
                assert_eq!((said(&stdout), code), (denied.as_str().into(), Some(0)), "{shell}: {}", line(hook));
            }
        }
    }

    fn shells() -> impl Iterator<Item = &'static str> {
        let (here, missing): (Vec<_>, Vec<_>) =
            ["sh", "dash", "bash", "busybox", "zsh", "fish", "nu"].into_iter().partition(|shell| {
                ["/bin", "/usr/bin", "/usr/local/bin"].iter().any(|dir| std::path::Path::new(dir).join(shell).exists())
            });
        for shell in missing {
            crate::skipped::skipped(&format!("{shell}: it is not on this machine"));
        }
        here.into_iter()
    }

    fn run(shell: &str, line: &str) -> (String, Option<i32>) {
        let (stdout, _, code) = said(shell, line);
        (stdout, code)
    }

    fn said(shell: &str, line: &str) -> (String, String, Option<i32>) {
        let applet: &[&str] = if shell == "busybox" { &["sh"] } else { &[] };
        let output = std::process::Command::new(shell).args(applet).args(["-c", line]).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr), output.status.code())
    }
}
