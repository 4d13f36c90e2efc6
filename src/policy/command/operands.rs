//! The files that known programs open, named among their arguments (B10). Watched by deny and ask
//! alone: a program that is not listed opens what it likes.

use super::forms::long;
use super::programs::TESTS;
use super::words::Expands;
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

/// Says how much of a path is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Itself,
    /// Nobody knows whether it is touched at all.
    Perhaps,
    /// Whatever lies below it, and nobody knows what does.
    Below,
    /// The same, where it is a folder, and it mostly is none.
    Folder,
}

/// The files that a command names, in order, and those that it touches without naming them.
pub(super) fn operands(words: &[Word]) -> Vec<(Touch, Word, Extent)> {
    let named = named(words).into_iter().map(|(touch, word)| (touch, word, Extent::Itself));
    named.chain(unnamed(words)).collect()
}

/// What lies in folders that are named, or will.
fn unnamed(words: &[Word]) -> Vec<(Touch, Word, Extent)> {
    use Touch::{Delete, MoveFrom, MoveTo, Write};
    let Some((program, words)) = words.split_first() else { return Vec::new() };
    let every = |touch: Touch, extent: Extent, files: Vec<Word>| {
        files.into_iter().map(move |word| (touch, word, extent)).collect::<Vec<_>>()
    };
    let recursive = words.iter().any(|word| {
        ['r', 'R', 'a'].iter().any(|letter| cluster(&word.value, *letter))
            || long(&word.value, &["recursive", "archive"])
            || word.unseen
    });
    match base_name(&program.value) {
        "rm" if recursive => every(Delete, Extent::Below, collect(words, 0)),
        "cp" => {
            let Ends { folder, target, .. } = Ends::of(words);
            let below = folder.or(target).filter(|_| recursive).into_iter().collect();
            let mut all = into(words, Write);
            all.extend(every(Write, Extent::Below, below));
            all
        }
        "mv" => {
            let mut all = every(MoveFrom, Extent::Folder, Ends::of(words).sources);
            all.extend(into(words, MoveTo));
            all
        }
        "install" | "ln" => into(words, Write),
        _ => Vec::new(),
    }
}

/// Holds the operands of a program that copies, moves or links.
struct Ends {
    /// The value of `-t`.
    folder: Option<Word>,
    sources: Vec<Word>,
    /// The last operand, where there is no `-t`.
    target: Option<Word>,
}

impl Ends {
    fn of(words: &[Word]) -> Self {
        let folder = valued(words, 't', "Smog", "target-directory");
        let mut sources = collect(words, 0);
        if let Some(folder) = &folder {
            sources.retain(|word| word.value != folder.value);
        }
        let target = if folder.is_none() && sources.len() > 1 { sources.pop() } else { None };
        Self { folder, sources, target }
    }
}

/// The names that sources get in a folder.
fn into(words: &[Word], touch: Touch) -> Vec<(Touch, Word, Extent)> {
    let Ends { folder, sources, target } = Ends::of(words);
    let named = folder.is_some() || target.is_none();
    let folder = folder.or(target).unwrap_or_else(|| Word::literal("."));
    let ends = |end: &str| folder.value == end || folder.value.ends_with(&format!("/{end}"));
    let sure = named || ends("") || ends(".") || ends("..");
    let extent = if sure { Extent::Itself } else { Extent::Perhaps };
    sources.iter().map(|source| (touch, within(&folder, &last(source)), extent)).collect()
}

/// The last step of a path; all of it where nobody knows where that begins.
fn last(word: &Word) -> Word {
    if word.is_dynamic() && !word.spans.is_empty() {
        return word.clone();
    }
    let mut word = word.clone();
    word.value.truncate(word.value.trim_end_matches('/').len());
    let from = word.value.rfind('/').map_or(0, |at| at + 1);
    word.tail(from)
}

/// A path in a folder.
fn within(folder: &Word, name: &Word) -> Word {
    let mut word = folder.clone();
    word.value.truncate(word.value.trim_end_matches('/').len());
    word.value.push('/');
    let moved = word.value.len();
    word.value.push_str(&name.value);
    word.spans.extend(name.spans.iter().cloned().map(|mut span| {
        span.start += moved;
        span.end += moved;
        span
    }));
    word.glob |= name.glob;
    word.literal |= name.literal;
    word.quoted |= name.quoted;
    word.unseen = false;
    word
}

/// The value of an option; `before` are letters of options that have a value of their own.
fn valued(words: &[Word], letter: char, before: &str, name: &str) -> Option<Word> {
    let mut rest = words.iter().take_while(|word| word.value != "--");
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let end = if value.starts_with("--") {
            if !long(value, &[name]) {
                continue;
            }
            value.find('=').map_or(value.len(), |at| at + 1)
        } else {
            let letters = value.strip_prefix('-').unwrap_or_default();
            let Some(at) = letters
                .find(letter)
                .filter(|at| !letters.get(..*at).is_some_and(|l| l.contains(|c| before.contains(c))))
            else {
                continue;
            };
            at + 1 + letter.len_utf8()
        };
        return if end < value.len() { Some(word.tail(end)) } else { rest.next().cloned() };
    }
    None
}

/// The files that a command names, in order.
fn named(words: &[Word]) -> Vec<(Touch, Word)> {
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
            let writes = words.iter().any(|w| cluster(&w.value, 'i') || long(&w.value, &["in-place"]));
            let write = files.iter().filter(|_| writes).map(|word| (Write, word.clone())).collect::<Vec<_>>();
            files.into_iter().map(|word| (Read, word)).chain(write).collect()
        }
        "sort" => {
            let out = valued(words, 'o', "kStT", "output").map(|word| (Write, word));
            collect(words, 0).into_iter().map(|word| (Read, word)).chain(out).collect()
        }
        "uniq" | "xxd" => {
            let second = second(words).map(|word| (Write, word));
            collect(words, 0).into_iter().map(|word| (Read, word)).chain(second).collect()
        }
        "git" => match words.split_first() {
            Some((command, words)) if command.value == "rm" => deletes(words),
            Some((command, words)) if command.value == "mv" => ends(words, Some(MoveFrom), MoveTo),
            _ => Vec::new(),
        },
        "cat" | "head" | "tail" | "less" | "more" | "tac" | "nl" | "wc" | "cut" | "diff" | "cmp" | "od" | "strings"
        | "base64" | "file" | "stat" | "ls" | "tree" => all(Read),
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

fn deletes(words: &[Word]) -> Vec<(Touch, Word)> {
    collect(words, 0).into_iter().map(|word| (Touch::Delete, word)).collect()
}

/// The second operand, which is written.
fn second(words: &[Word]) -> Option<Word> {
    let mut operands = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.value.as_str() {
            "-c" | "-f" | "-g" | "-l" | "-n" | "-o" | "-s" | "-w" if words.len() > 2 => {
                let counts = rest.as_slice().first().is_some_and(|next| next.value.bytes().all(|b| b.is_ascii_digit()));
                if counts {
                    rest.next();
                }
            }
            "-" => operands.push(word),
            value if value.starts_with('-') => {}
            _ => operands.push(word),
        }
    }
    operands.get(1).map(|word| (*word).clone())
}

/// Where `find` starts looking.
fn starts(words: &[Word]) -> Vec<Word> {
    let option = |word: &&Word| matches!(word.value.as_str(), "-H" | "-L" | "-P");
    let start = |word: &&Word| !word.value.starts_with(['-', '(', '!']);
    let found: Vec<_> = words.iter().skip_while(option).take_while(start).cloned().collect();
    if found.is_empty() { vec![Word::literal(".")] } else { found }
}

/// What `find -delete` deletes.
fn deleted(words: &[Word]) -> Vec<(Touch, Word)> {
    found(words).into_iter().map(|word| (Touch::Delete, word)).collect()
}

/// What `find` finds: all below where it starts, or what has a name there. The folder itself only where
/// it looks for nothing in particular.
pub(super) fn found(words: &[Word]) -> Vec<Word> {
    let is = |word: &Word, names: &[&str]| names.contains(&word.value.as_str());
    let named = |pair: &[Word]| match pair {
        [test, name] if is(test, &["-name", "-iname"]) => Some(name.clone()),
        _ => None,
    };
    let either = words.iter().any(|word| is(word, &["-o", "-or", "!", "-not", ","]));
    let name = words.windows(2).find_map(named).filter(|_| !either);
    let whole = !words
        .iter()
        .any(|word| TESTS.contains(&word.value.as_str()) && !is(word, &["-type", "-maxdepth", "-mindepth"]));
    let mut all = Vec::new();
    for start in starts(words) {
        let mut below = within(&start, &Word::default());
        let from = below.value.len();
        below.value.push_str("{}");
        below.expands(from, Expands::Found, true, None);
        match &name {
            Some(name) => {
                let mut name = name.clone();
                name.glob |= name.value.contains(['*', '?', '[']);
                all.extend([within(&start, &name), within(&below, &name)]);
            }
            None if whole => all.extend([start, below]),
            None => all.push(below),
        }
    }
    all
}

/// Sources and target: the last operand, or the value of `-t`.
fn ends(words: &[Word], source: Option<Touch>, target: Touch) -> Vec<(Touch, Word)> {
    let Ends { folder, sources, target: last } = Ends::of(words);
    let read = sources.into_iter().filter_map(|word| Some((source?, word)));
    read.chain(folder.or(last).map(|word| (target, word))).collect()
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
            if skip > 0 && !word.unseen {
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
            ("rm -rf ~/work x", "D ~/work, D x, D ~/work below, D x below"),
            ("rm x", "D x"),
            ("cp a b c", "R a, R b, W c, W c/a perhaps, W c/b perhaps"),
            ("cp s/a .", "R s/a, W ., W ./a"),
            ("cp s/a d/", "R s/a, W d/, W d/a"),
            ("cp -r s d", "R s, W d, W d/s perhaps, W d below"),
            ("cp -t c a b", "R a, R b, W c, W c/a, W c/b"),
            ("cp --targ=c s/a", "R s/a, W c, W c/a"),
            ("mv a b", "F a, T b, F a folder, T b/a perhaps"),
            ("ln -s a b", "W b, W b/a perhaps"),
            ("ln -sft d s/a", "W d, W d/a"),
            ("ln s/a", "W ./a"),
            ("sort a -uo b", "R a, R b, W b"),
            ("sort -ob a", "R a, W b"),
            ("uniq -f 1 a b", "R 1, R a, R b, W b"),
            ("xxd -r -p - b", "R b, W b"),
            ("sed --in-pl s/a/b/ f", "R f, W f"),
            ("git rm -q f", "D f"),
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
                    let extent = match touched.extent {
                        Extent::Itself => "",
                        Extent::Perhaps => " perhaps",
                        Extent::Below => " below",
                        Extent::Folder => " folder",
                    };
                    let letter = match touched.touch {
                        Touch::Read => 'R',
                        Touch::Write => 'W',
                        Touch::Delete => 'D',
                        Touch::MoveFrom => 'F',
                        Touch::MoveTo => 'T',
                    };
                    format!("{letter} {}{extent}", touched.shown)
                })
                .collect();
            assert_eq!(found.join(", "), expected, "{line}");
        }
    }
}
