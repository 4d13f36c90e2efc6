//! Programs that run other programs, or code from an argument (B3). Until commands are analysed
//! whole, each such form makes a command one that is not understood.

use super::{Word, base_name, is_command_flag, is_shell};

const NEVER: &[&str] = &[
    // Change what later words mean, or run text.
    "eval",
    "source",
    ".",
    "trap",
    "alias",
    "coproc",
    "function",
    // Begin more than a simple command.
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "while",
    "until",
    "do",
    "done",
    "case",
    "esac",
    "select",
    "in",
    "!",
    "[[",
    "{",
    "}", // Transparent wrappers.
    "timeout",
    "time",
    "nice",
    "nohup",
    "stdbuf",
    "command",
    "builtin",
    "noglob",
    "nocorrect",
    "xargs",
    // Layered wrappers.
    "env",
    "sudo",
    "doas",
    "exec",
    "setsid",
    "ionice",
    "chrt",
    "taskset",
    "flock",
    "watch",
    "chroot",
    "unshare",
    "nsenter",
    "strace",
    "busybox",
];

/// Names what makes a command more than a plain one: the program itself, or an argument of it.
pub(super) fn special(program: &Word, arguments: &[Word]) -> Option<String> {
    let name = base_name(&program.value);
    let assigns = !program.quoted && assigned(&program.value);
    if name.is_empty() || program.glob || assigns || program.value.starts_with('=') || NEVER.contains(&name) {
        return Some(format!("`{}`", program.value));
    }
    let words: Vec<&str> = arguments.iter().map(|word| word.value.as_str()).collect();
    let blamed = blamed(name, &words)?;
    Some(format!("`{name} {blamed}`"))
}

fn assigned(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']'))
}

fn blamed<'a>(name: &str, words: &[&'a str]) -> Option<&'a str> {
    let any = |test: &dyn Fn(&str) -> bool| words.iter().copied().find(|word| test(word));
    match name {
        name if is_shell(name) => leading(words, is_command_flag_like),
        "find" => {
            any(&|w| ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls"].contains(&w) || w.starts_with("-fprint"))
        }
        "awk" | "gawk" | "mawk" | "nawk" => any(&|w| w.contains("system") || w.contains(['|', '>', '@'])),
        "sed" | "gsed" => words.iter().copied().enumerate().find(|(at, w)| sed(words, *at, w)).map(|(_, w)| w),
        "git" => git(words),
        "tar" | "gtar" | "bsdtar" => words.iter().copied().enumerate().find_map(|(at, w)| {
            let old = at == 0 && !w.starts_with('-') && w.contains(['I', 'F']);
            let long = long(w, &["use-compress-program", "to-command", "checkpoint-action", "info-script"]);
            (old || short(w, "IF") || long).then_some(w)
        }),
        "rsync" => any(&|w| short(w, "e") || long(w, &["rsh", "rsync-path"])),
        "ssh" | "scp" | "sftp" => any(&|w| short(w, "o")),
        "vi" | "vim" | "nvim" | "ex" | "view" | "vimdiff" => {
            any(&|w| short(w, "cS") || w.starts_with('+') || long(w, &["cmd"]))
        }
        _ => {
            let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            let (letters, names): (&str, &[&str]) = match family {
                "python" | "pypy" => ("c", &[]),
                "perl" => ("eE", &[]),
                "ruby" | "lua" | "luajit" => ("e", &[]),
                "node" | "nodejs" => ("ep", &["eval", "print"]),
                "php" => ("rBRE", &["run", "process-begin", "process-code", "process-end"]),
                _ => return None,
            };
            leading(words, |w| short(w, letters) || long(w, names))
        }
    }
}

fn is_command_flag_like(word: &str) -> bool {
    is_command_flag(word) || short(word, "c")
}

/// The first option that a test finds before the first operand; a word behind an option may be its value.
fn leading<'a>(words: &[&'a str], test: impl Fn(&str) -> bool) -> Option<&'a str> {
    let mut before = "";
    for word in words {
        if test(word) {
            return Some(word);
        }
        if !word.starts_with(['-', '+']) && !before.starts_with(['-', '+']) {
            return None;
        }
        before = word;
    }
    None
}

/// Whether a cluster of short options has one of some letters.
fn short(word: &str, letters: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(|c| letters.contains(c)))
}

/// Whether a word is one of some long options, or an abbreviation that may stand for it.
fn long(word: &str, names: &[&str]) -> bool {
    let Some(given) = word.strip_prefix("--") else { return false };
    let given = given.split('=').next().unwrap_or(given);
    given.len() > 1 && names.iter().any(|name| name.starts_with(given))
}

fn git<'a>(words: &[&'a str]) -> Option<&'a str> {
    const VALUED: &[&str] = &["-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix"];
    let mut rest = words.iter();
    let mut command = "";
    while let Some(word) = rest.next() {
        if short(word, "c") && !word.starts_with("-C") || long(word, &["exec-path", "config-env"]) {
            return Some(word);
        }
        if VALUED.contains(word) {
            rest.next();
        } else if !word.starts_with('-') {
            command = word;
            break;
        }
    }
    let rest = rest.as_slice();
    let any = |test: &dyn Fn(&str) -> bool| rest.iter().copied().find(|word| test(word));
    match command {
        "rebase" => any(&|w| short(w, "x") || long(w, &["exec"])),
        "bisect" => any(&|w| w == "run"),
        "submodule" => any(&|w| w == "foreach"),
        "grep" => any(&|w| short(w, "O") || long(w, &["open-files-in-pager"])),
        "clone" => any(&|w| short(w, "cu") || long(w, &["config", "upload-pack"])),
        _ => None,
    }
}

/// Whether a word of `sed` is a script that may run a command or write a file.
fn sed(words: &[&str], at: usize, word: &str) -> bool {
    if word.starts_with("--file") || short(word, "f") {
        return true;
    }
    let script = match word.strip_prefix("--expression=").or_else(|| word.strip_prefix("-e")) {
        Some(script) => script,
        None if word.starts_with('-') => return false,
        None => {
            let behind_e = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|w| short(w, "e"));
            let first = !words.iter().take(at).any(|w| !w.starts_with('-'));
            let scripted = words.iter().any(|w| short(w, "e") || w.starts_with("--expression"));
            if !behind_e && (!first || scripted) {
                return false;
            }
            word
        }
    };
    script.contains(['e', 'w', 'W']) && !substitutes(script)
}

/// Whether a script is one substitution that neither runs nor writes, perhaps behind a line address.
fn substitutes(script: &str) -> bool {
    let script = script.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$'));
    let mut chars = script.chars();
    let (Some('s'), Some(edge)) = (chars.next(), chars.next()) else { return false };
    let mut edges = 0;
    while edges < 2 {
        match chars.next() {
            Some('\\') => drop(chars.next()),
            Some(c) if c == edge => edges += 1,
            Some('\n') | None => return false,
            Some(_) => {}
        }
    }
    chars.all(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_code_in_an_argument_is_seen_and_a_plain_call_is_not_blamed() {
        for (line, plain) in [
            ("python3 a.py", true),
            ("python3 a.py -c x", true),
            ("python3 -c x", false),
            ("python3.12 -Bc x", false),
            ("python3 -W ignore -c x", false),
            ("perl -ne x", false),
            ("perl -w x.pl", true),
            ("node --eval=x", false),
            ("node --ev x", false),
            ("php -r x", false),
            ("bash -c x", false),
            ("bash -xec x", false),
            ("bash x.sh -c", true),
            ("find . -delete", false),
            ("find . -exec rm {} +", false),
            ("find . -fprintf x", false),
            ("find . -name x", true),
            ("awk {system(x)}", false),
            ("awk {print>f}", false),
            ("awk {print}", true),
            ("sed -n s/where/x/p", true),
            ("sed s/a/b/e", false),
            ("sed -n 1p f", true),
            ("sed s/a/b/w f", false),
            ("sed 1e", false),
            ("sed -f x", false),
            ("sed -i s/a/b/ we", true),
            ("git -c a=b log", false),
            ("git -C x log", true),
            ("git commit -c HEAD", true),
            ("git --exec-path=x log", false),
            ("git rebase -x make", false),
            ("git rebase --exec=make", false),
            ("git bisect run make", false),
            ("git submodule foreach x", false),
            ("git grep -O x", false),
            ("git status", true),
            ("tar -xIx f", false),
            ("tar xIf x", false),
            ("tar --to-com=x -xf f", false),
            ("tar -xf f", true),
            ("rsync -e x a b", false),
            ("rsync -a a b", true),
            ("ssh -oProxyCommand=x h", false),
            ("ssh h ls", true),
            ("vim -c x", false),
            ("vim +x", false),
            ("vim f", true),
        ] {
            let mut words = line.split(' ').map(|word| Word { quoted: false, ..Word::literal(word) });
            let program = words.next().unwrap();
            assert_eq!(special(&program, &words.collect::<Vec<_>>()).is_none(), plain, "{line}");
        }
    }
}
