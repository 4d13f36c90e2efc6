//! Shell commands: what they run, as far as it can be told for certain.

mod forms;
mod net;
mod operands;
mod pattern;
mod words;

pub(crate) use net::net_words;
pub(crate) use operands::{Touch, operands};
pub(crate) use pattern::CommandPattern;
pub(crate) use words::Word;

use snaphook_adapters::model::{Command, ShellKind};

/// Holds what is known about one command.
#[derive(Debug, Clone)]
pub(crate) struct Analysis {
    /// The simple commands in it that could be told apart; all of them where it is understood.
    pub(crate) parts: Vec<Part>,
    /// The word that is to blame where it is not understood: then no rule allows it (B1), and deny
    /// and ask also look at the raw text (B8).
    pub(crate) not_understood: Option<String>,
    /// The text that was analysed.
    pub(crate) raw: String,
}

/// Holds one simple command.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Program and arguments after quote removal.
    pub(crate) words: Vec<Word>,
    /// The words in their printed form, one space between (B4).
    pub(crate) text: String,
    /// The same with the program's base name; absent: the program has no `/` (B6).
    pub(crate) based: Option<String>,
}

/// Analyses a command. Texts over `limit` bytes are not understood (S4).
///
/// One plain simple command is understood; everything else is not.
pub(crate) fn analyse(command: &Command, shell: ShellKind, limit: usize) -> Analysis {
    match command {
        Command::Text(text) => text_of(text, shell, limit),
        Command::Argv(words) => match words.as_slice() {
            [program, flag, text] if is_shell(base_name(program)) && is_command_flag(flag) => {
                text_of(text, ShellKind::Posix, limit)
            }
            words => argv(words, limit),
        },
    }
}

fn text_of(text: &str, shell: ShellKind, limit: usize) -> Analysis {
    let not = |why: String| Analysis { parts: Vec::new(), not_understood: Some(why), raw: text.to_owned() };
    if text.len() > limit {
        return not(format!("longer than {limit} bytes"));
    }
    if shell != ShellKind::Posix {
        return not("not a POSIX shell".to_owned());
    }
    match words::split(text).and_then(Part::checked) {
        Ok(part) => Analysis { parts: vec![part], not_understood: None, raw: text.to_owned() },
        Err(why) => not(why),
    }
}

fn argv(words: &[String], limit: usize) -> Analysis {
    let raw = words.join(" ");
    let checked = if raw.len() > limit {
        Err(format!("longer than {limit} bytes"))
    } else {
        Part::checked(words.iter().map(|word| Word::literal(word)).collect())
    };
    match checked {
        Ok(part) => Analysis { parts: vec![part], not_understood: None, raw },
        Err(why) => Analysis { parts: Vec::new(), not_understood: Some(why), raw },
    }
}

impl Part {
    /// Holds a plain command; `Err` names the word that makes it more than that.
    fn checked(words: Vec<Word>) -> Result<Self, String> {
        let Some((program, arguments)) = words.split_first() else { return Err("no command".to_owned()) };
        if let Some(why) = forms::special(program, arguments) {
            return Err(why);
        }
        let printed: Vec<_> = words.iter().map(Word::printed).collect();
        let text = printed.join(" ");
        let based = program.value.contains('/').then(|| {
            let mut printed = printed;
            if let Some(first) = printed.first_mut() {
                base_name(&program.value).clone_into(first);
            }
            printed.join(" ")
        });
        Ok(Self { words, text, based })
    }

    /// The program's base name.
    pub(crate) fn program(&self) -> &str {
        self.words.first().map_or("", |word| base_name(&word.value))
    }
}

/// The part after the last `/`; on Windows without the usual endings (B6).
pub(crate) fn base_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    if !cfg!(windows) {
        return name;
    }
    let name = name.rsplit('\\').next().unwrap_or(name);
    [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh")
}

fn is_command_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|flags| {
        flags.contains('c') && flags.bytes().all(|b| matches!(b, b'c' | b'l' | b'i' | b'e' | b'u' | b'x'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Analysis {
        analyse(&Command::Text(text.into()), ShellKind::Posix, 16 * 1024)
    }

    #[test]
    fn b1_one_plain_command_is_understood_and_b4_printed() {
        for (text, printed) in [
            ("git status", "git status"),
            ("  git \t \"status\"\n", "git status"),
            (r"\git log", "git log"),
            ("e''vil x", "evil x"),
            ("git commit -m \"fix bug\"", "git commit -m 'fix bug'"),
            ("echo '' \"$\"a", "echo '' '$a'"),
            ("echo 'it'\\''s'", r"echo 'it'\''s'"),
            ("ls '*' *", "ls '*' *"),
            ("echo a\\\nb", "echo ab"),
            ("rm -rf ~/work", "rm -rf ~/work"),
            ("echo a#b x=y", "echo a#b x=y"),
            ("find . -name x", "find . -name x"),
            ("bash x.sh", "bash x.sh"),
            ("echo \"a\\`b\"", r"echo 'a`b'"),
        ] {
            let analysis = of(text);
            assert_eq!(analysis.not_understood, None, "{text}");
            assert_eq!(analysis.parts[0].text, printed.replace("'a`b'", "a`b"), "{text}");
        }
    }

    #[test]
    fn b1_everything_else_is_not_understood() {
        for text in [
            "",
            "  ",
            "a && b",
            "a; b",
            "a | b",
            "a & b",
            "a\nb",
            "(a)",
            "{ a; }",
            "! a",
            "a > f",
            "a < f",
            "$P x",
            "a $x",
            "a `b`",
            "a $(b)",
            "a \"$b\"",
            "a 'b",
            "a \"b",
            "a \\",
            "g* x",
            "g? x",
            "[a] x",
            "A=1 b",
            "A=1",
            "=ls",
            "# x",
            "a # x",
            "eval x",
            "source f",
            ". f",
            "trap x EXIT",
            "alias a=b",
            "coproc a",
            "if a",
            "for a",
            "while a",
            "case a",
            "function f",
            "[[ a ]]",
            "time a",
            "exec a",
            "sudo a",
            "/usr/bin/env a",
            "xargs a",
            "command a",
            "timeout 3 a",
            "nohup a",
            "nice a",
            "a {b,c}",
            "a\rb",
            "''",
            "a <<< b",
        ] {
            assert!(of(text).not_understood.is_some(), "{text}");
        }
        assert!(of(&format!("a {}", "b".repeat(17_000))).not_understood.is_some());
        let command = Command::Text("ls".into());
        assert!(analyse(&command, ShellKind::PowerShell, 99).not_understood.is_some());
    }

    #[test]
    fn b1_a_list_of_words_is_taken_as_it_is_and_a_shell_in_it_is_its_text() {
        let argv = |words: &[&str]| {
            let words = words.iter().map(|w| (*w).to_owned()).collect();
            analyse(&Command::Argv(words), ShellKind::Unknown, 999)
        };
        assert_eq!(argv(&["rm", "a b", "$x"]).parts[0].text, "rm 'a b' '$x'");
        assert_eq!(argv(&["/bin/bash", "-lc", "rm x"]).parts[0].text, "rm x");
        assert!(argv(&["bash", "-lc", "rm x; ls"]).not_understood.is_some());
        assert!(argv(&["bash", "-c", "x", "y"]).not_understood.is_some());
        assert!(argv(&["sudo", "rm"]).not_understood.is_some());
        assert!(argv(&[]).not_understood.is_some());
    }

    #[test]
    fn b6_the_program_is_also_known_by_its_base_name() {
        let part = of("/usr/bin/git log").parts.remove(0);
        assert_eq!((part.text.as_str(), part.based.as_deref()), ("/usr/bin/git log", Some("git log")));
        assert_eq!(of("git log").parts[0].based, None);
    }
}
