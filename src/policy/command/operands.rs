//! The files that known programs open, named among their arguments (B10). Watched by deny and ask
//! alone: a program that is not listed opens what it likes.

use super::programs::TESTS;
use super::{Word, base_name};

/// Names what a command does to a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    Delete,
    MoveFrom,
    MoveTo,
}

/// The files that a command names, in order.
pub(super) fn operands(words: &[Word]) -> Vec<(Touch, Word)> {
    use Touch::{Delete, MoveFrom, MoveTo, Read, Write};
    let Some((program, words)) = words.split_first() else { return Vec::new() };
    let all = |touch: Touch| collect(words, 0).into_iter().map(|word| (touch, word)).collect();
    match base_name(&program.value) {
        "grep" | "egrep" | "fgrep" | "rg" | "awk" => {
            let skip = usize::from(!has(words, &["-e", "-f", "--regexp", "--file"]));
            collect(words, skip).into_iter().map(|word| (Read, word)).collect()
        }
        "sed" => {
            let skip = usize::from(!has(words, &["-e", "-f", "--expression", "--file"]));
            let files = collect(words, skip);
            let writes = has(words, &["-i", "--in-place"]) || words.iter().any(|w| cluster(&w.value, 'i'));
            let write = files.iter().filter(|_| writes).map(|word| (Write, word.clone())).collect::<Vec<_>>();
            files.into_iter().map(|word| (Read, word)).chain(write).collect()
        }
        "cat" | "head" | "tail" | "less" | "more" | "tac" | "nl" | "wc" | "sort" | "uniq" | "cut" | "diff" | "cmp"
        | "od" | "xxd" | "strings" | "base64" | "file" | "stat" | "ls" | "tree" => all(Read),
        "tee" | "touch" | "truncate" | "mkdir" => all(Write),
        "rm" | "rmdir" | "unlink" | "shred" => all(Delete),
        "." | "source" => words.first().map(|word| (Read, word.clone())).into_iter().collect(),
        "find" if words.iter().any(|word| word.value == "-delete") => deleted(words),
        "cp" => ends(words, Some(Read), Write),
        "mv" => ends(words, Some(MoveFrom), MoveTo),
        "install" | "ln" => ends(words, None, Write),
        "dd" => words
            .iter()
            .filter_map(|word| {
                let (key, path) = word.value.split_once('=')?;
                let touch = match key {
                    "if" => Read,
                    "of" => Write,
                    _ => return None,
                };
                Some((touch, word.tail(word.value.len() - path.len())))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Where `find` starts looking.
pub(super) fn starts(words: &[Word]) -> Vec<Word> {
    let option = |word: &&Word| matches!(word.value.as_str(), "-H" | "-L" | "-P");
    let start = |word: &&Word| !word.value.starts_with(['-', '(', '!']);
    let found: Vec<_> = words.iter().skip_while(option).take_while(start).cloned().collect();
    if found.is_empty() { vec![Word::literal(".")] } else { found }
}

/// What `find -delete` deletes: all below where it starts, or what has a name there.
fn deleted(words: &[Word]) -> Vec<(Touch, Word)> {
    let named = |pair: &[Word]| match pair {
        [test, name] if matches!(test.value.as_str(), "-name" | "-iname") => Some(name.clone()),
        _ => None,
    };
    let name = words.windows(2).find_map(named).filter(|_| !words.iter().any(|word| word.value == "-o"));
    let whole = !words.iter().any(|word| {
        TESTS.contains(&word.value.as_str()) && !matches!(word.value.as_str(), "-type" | "-maxdepth" | "-mindepth")
    });
    let touched = |mut start: Word| {
        match &name {
            Some(name) => start.value = format!("{}/{}", start.value.trim_end_matches('/'), name.value),
            None if !whole => start.value = format!("{}/*/*", start.value.trim_end_matches('/')),
            None => {}
        }
        (Touch::Delete, start)
    };
    starts(words).into_iter().map(touched).collect()
}

/// Sources and target: the last operand, or the value of `-t`. Where `-t` is there every operand
/// may be either.
fn ends(words: &[Word], source: Option<Touch>, target: Touch) -> Vec<(Touch, Word)> {
    let files = collect(words, 0);
    let anywhere = has(words, &["-t", "--target-directory"]) || words.iter().any(|word| cluster(&word.value, 't'));
    let last = files.len().saturating_sub(1);
    let mut found = Vec::new();
    for (at, word) in files.into_iter().enumerate() {
        if let Some(source) = source.filter(|_| anywhere || at < last) {
            found.push((source, word.clone()));
        }
        if anywhere || at == last {
            found.push((target, word));
        }
    }
    found
}

/// Words that are no options, everything after `--`, and the values of `--x=path`; `skip` words
/// that are no options are left out.
fn collect(words: &[Word], mut skip: usize) -> Vec<Word> {
    let mut found = Vec::new();
    let mut rest = false;
    for word in words {
        let value = word.value.as_str();
        if !rest && value == "--" {
            rest = true;
        } else if rest || !value.starts_with('-') || value == "-" {
            if skip > 0 {
                skip -= 1;
            } else if value != "-" {
                found.push(word.clone());
            }
        } else if let Some((_, path)) = value.split_once('=').filter(|_| value.starts_with("--")) {
            found.push(word.tail(value.len() - path.len()));
        }
    }
    found
}

fn has(words: &[Word], options: &[&str]) -> bool {
    words.iter().any(|word| {
        options.iter().any(|option| {
            word.value
                .strip_prefix(option)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('=') || !option.starts_with("--"))
        })
    })
}

fn cluster(word: &str, letter: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::model::{Command, ShellKind};

    use super::*;
    use crate::policy::command::analyse;
    use crate::policy::settings::Limits;

    #[test]
    fn b10_known_programs_name_their_files() {
        for (line, expected) in [
            ("cat .env a", "R .env, R a"),
            ("cat -n -- -x", "R -x"),
            ("grep .env README", "R README"),
            ("grep -e x README", "R x, R README"),
            ("grep --file=pats x", "R pats, R x"),
            ("sed -i s/a/b/ f", "R f, W f"),
            ("sed -n 1p f", "R f"),
            ("rm -rf ~/work x", "D ~/work, D x"),
            ("cp a b c", "R a, R b, W c"),
            ("cp -t c a b", "R c, W c, R a, W a, R b, W b"),
            ("mv a b", "F a, T b"),
            ("ln -s a b", "W b"),
            ("dd if=/dev/zero of=/dev/sda bs=1", "R /dev/zero, W /dev/sda"),
            ("tee -a f", "W f"),
            ("python3 r.py", ""),
            ("/bin/cat .env", "R .env"),
        ] {
            let analysis = analyse(&Command::Text(line.into()), ShellKind::Posix, &Limits::default());
            let found: Vec<_> = analysis
                .touched
                .iter()
                .map(|touched| {
                    let letter = match touched.touch {
                        Touch::Read => 'R',
                        Touch::Write => 'W',
                        Touch::Delete => 'D',
                        Touch::MoveFrom => 'F',
                        Touch::MoveTo => 'T',
                    };
                    format!("{letter} {}", touched.shown)
                })
                .collect();
            assert_eq!(found.join(", "), expected, "{line}");
        }
    }
}
