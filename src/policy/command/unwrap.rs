//! What a command runs beside its own program (B3): the inner command of a wrapper, the text that is
//! given to a shell, what `find` starts.

use super::forms::is_shell;
use super::programs::{ACTIONS, is_test};
use super::words::{Expands, Word};
use super::wrappers::{Kind, WRAPPERS, Wrapper};
use super::{base_name, is_counted, is_forbidden};

/// Holds what stands in a command.
#[derive(Debug, Default)]
pub(super) struct Inside {
    /// Commands that it runs.
    pub(super) commands: Vec<Inner>,
    /// Texts that it gives to a shell.
    pub(super) texts: Vec<String>,
    /// Commands that deny and ask look at, and that allow does not need: a script is run by its path.
    pub(super) watched: Vec<Vec<Word>>,
    /// Whether the command around them is no part of its own for allow.
    pub(super) transparent: bool,
    /// The word for which it is not understood.
    pub(super) blame: Option<String>,
}

/// Holds a command in a command.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) words: Vec<Word>,
    /// The assignments that hold for it.
    pub(super) assigned: Vec<Word>,
}

/// Looks into a command.
pub(super) fn inside(words: &[Word]) -> Inside {
    let Some(program) = words.first() else { return Inside::default() };
    let name = base_name(&program.value);
    if is_shell(name) {
        return shell(name, words);
    }
    if name == "find" {
        return found(words);
    }
    match WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) {
        Some(wrapper) => unwrap(wrapper, name, words),
        None => Inside::default(),
    }
}

fn blamed(name: &str, word: &Word) -> Inside {
    let shown = if word.unseen { "…" } else { word.value.as_str() };
    Inside { blame: Some(format!("`{name} {shown}`")), ..Inside::default() }
}

fn unwrap(wrapper: &Wrapper, name: &str, words: &[Word]) -> Inside {
    let mut rest = words.iter().enumerate().skip(1);
    let mut options = 0;
    let mut replaced: Option<String> = None;
    let mut text = false;
    let mut begins = words.len();
    let mut operands = wrapper.operands;
    let mut inner = Inner::default();
    while let Some((at, word)) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() || word.glob {
            return blamed(name, word);
        }
        if wrapper.assigns && !value.starts_with('-') && value.contains('=') {
            inner.assigned.push(word.clone());
            continue;
        }
        if operands < wrapper.operands || !inner.assigned.is_empty() || !value.starts_with('-') {
            // `flock FILE -c TEXT`
            if name == "flock" && operands == 0 && matches!(value, "-c" | "--command") {
                text = true;
                begins = at + 1;
                break;
            }
            if operands > 0 {
                operands -= 1;
                continue;
            }
            begins = at;
            break;
        }
        if value == "--" && wrapper.assigns {
            let given: Vec<_> =
                words.iter().skip(at + 1).take_while(|word| word.value.contains('=')).cloned().collect();
            begins = at + 1 + given.len();
            inner.assigned.extend(given);
            break;
        }
        if value == "--" {
            let next = words.get(at + 1 + operands);
            begins = if next.is_some() { at + 1 + operands } else { words.len() };
            break;
        }
        // Only describes the program.
        if name == "command" && matches!(value, "-v" | "-V" | "-pv" | "-pV") {
            return Inside::default();
        }
        options += 1;
        if value == "-" && name == "env" || (name == "nice" && is_niceness(value)) {
            continue;
        }
        match option(wrapper, value) {
            Some(Taken::Alone) => {}
            Some(Taken::With(given)) => {
                if name == "xargs" && value.starts_with("-I") {
                    replaced = Some(given.to_owned());
                }
            }
            Some(Taken::Next) => {
                let Some((_, given)) = rest.next() else { return blamed(name, word) };
                if given.is_dynamic() && given.spans.iter().any(|span| span.what == Expands::Other && !span.quoted) {
                    return blamed(name, given);
                }
                if name == "xargs" && value.ends_with('I') {
                    replaced = Some(given.value.clone());
                }
            }
            None => return blamed(name, word),
        }
    }
    inner.words = words.get(begins..).unwrap_or_default().to_vec();
    let transparent = wrapper.kind == Kind::Transparent || (name == "xargs" && options == 0);
    finish(wrapper, name, inner, replaced, text, transparent, words)
}

fn finish(
    wrapper: &Wrapper,
    name: &str,
    mut inner: Inner,
    replaced: Option<String>,
    text: bool,
    transparent: bool,
    words: &[Word],
) -> Inside {
    let as_text = text || (name == "watch" && !words.iter().any(|w| matches!(w.value.as_str(), "-x" | "--exec")));
    if inner.words.is_empty() {
        // On its own it runs nothing, or what stands in its input.
        let blame = (wrapper.adds || words.iter().any(|word| word.unseen)).then(|| format!("`{name}`"));
        return Inside { blame: blame.filter(|_| name != "xargs" || replaced.is_some()), ..Inside::default() };
    }
    if as_text {
        if let Some(word) = inner.words.iter().find(|word| word.is_dynamic() || word.tilde) {
            return blamed(name, word);
        }
        let texts = vec![inner.words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ")];
        return Inside { texts, ..Inside::default() };
    }
    if let Some(replaced) = replaced {
        replace(&mut inner.words, &replaced, Expands::Other);
    } else if wrapper.adds {
        inner.words.push(Word::unseen());
    }
    Inside { commands: vec![inner], transparent, ..Inside::default() }
}

/// What an option takes.
enum Taken<'a> {
    Alone,
    With(&'a str),
    Next,
}

fn option<'a>(wrapper: &Wrapper, word: &'a str) -> Option<Taken<'a>> {
    if let Some(long) = word.strip_prefix("--") {
        return match long.split_once('=') {
            Some((name, value)) => wrapper.long_valued.contains(&name).then_some(Taken::With(value)),
            None if wrapper.long.contains(&long) => Some(Taken::Alone),
            None => wrapper.long_valued.contains(&long).then_some(Taken::Next),
        };
    }
    let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty())?;
    for (at, letter) in letters.char_indices() {
        if wrapper.valued.contains(letter) {
            let value = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            return Some(if value.is_empty() { Taken::Next } else { Taken::With(value) });
        }
        if !wrapper.flags.contains(letter) {
            return None;
        }
    }
    Some(Taken::Alone)
}

fn is_niceness(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|n| {
        let n = n.strip_prefix(['-', '+']).unwrap_or(n);
        !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Makes every word that has a mark in it one that nobody knows.
fn replace(words: &mut [Word], mark: &str, what: Expands) {
    for word in words.iter_mut().filter(|word| !mark.is_empty() && word.value.contains(mark)) {
        let starts: Vec<_> = word.value.match_indices(mark).map(|(at, _)| at).collect();
        for start in starts {
            let span = super::words::Span { start, end: start + mark.len(), what, quoted: true, script: None };
            word.spans.push(span);
        }
        word.spans.sort_by_key(|span| span.start);
        word.quoted &= !word.is_plainly_printed();
    }
}

/// `sh -c TEXT`. Without a text or a file a shell reads its input, and nobody knows that.
fn shell(name: &str, words: &[Word]) -> Inside {
    let mut rest = words.iter().skip(1);
    let mut text = false;
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            return blamed(name, word);
        }
        if !value.starts_with(['-', '+']) || value == "--" || value == "-" {
            let word = if value.starts_with('-') { rest.next() } else { Some(word) };
            let Some(word) = word else { break };
            if !text {
                if is_device(&word.value) || word.is_dynamic() {
                    return blamed(name, word);
                }
                let from = words.iter().position(|other| std::ptr::eq(other, word)).unwrap_or_default();
                return Inside { watched: vec![words.get(from..).unwrap_or_default().to_vec()], ..Inside::default() };
            }
            if word.is_dynamic() {
                return blamed(name, word);
            }
            return Inside { texts: vec![word.value.clone()], ..Inside::default() };
        }
        if matches!(value, "--login" | "--norc" | "--noprofile" | "--posix") {
            continue;
        }
        if matches!(value, "--version" | "--help") && words.len() == 2 {
            return Inside::default();
        }
        let letters = value.trim_start_matches(['-', '+']);
        if value.starts_with("--") || letters.is_empty() || letters.contains(|c| !"ceuxlivon".contains(c)) {
            return blamed(name, word);
        }
        text |= letters.contains('c');
        for _ in letters.matches('o') {
            let option = rest.next();
            if !option.is_some_and(|o| matches!(o.value.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace")) {
                return blamed(name, word);
            }
        }
    }
    Inside { blame: Some(format!("`{name}`")), ..Inside::default() }
}

/// The commands of `-exec` and its kin; `{}` is a file that nobody knows.
fn found(words: &[Word]) -> Inside {
    let mut inside = Inside::default();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if is_test(value) {
            rest.next();
            continue;
        }
        if value.starts_with('-') && !ACTIONS.contains(&value) && !value.starts_with("-fprint") {
            return blamed("find", word);
        }
        if !matches!(word.value.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
            continue;
        }
        let mut inner: Vec<Word> = Vec::new();
        loop {
            let Some(next) = rest.next() else { return blamed("find", word) };
            let ends = next.value == ";" || (next.value == "+" && inner.last().is_some_and(|last| last.value == "{}"));
            if ends {
                break;
            }
            inner.push(next.clone());
        }
        replace(&mut inner, "{}", Expands::Found);
        inside.commands.push(Inner { words: inner, assigned: Vec::new() });
    }
    inside
}

/// What is to blame in the names that a command's assignments give.
pub(super) fn forbidden(word: &Word) -> Option<String> {
    let (name, value) = word.value.split_once('=')?;
    let odd = name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    // Some shells take the value for arithmetic, which may run a command in a subscript.
    let counts = is_counted(name) && (word.is_dynamic() || !value.bytes().all(|b| b.is_ascii_digit()));
    (odd || counts || is_forbidden(name)).then(|| format!("`{name}=`"))
}

/// Files that are somebody's input, in which nobody can look.
pub(super) fn is_device(path: &str) -> bool {
    let odd = |step: &str| matches!(step, "proc" | "stdin") || (step == "fd" && path.contains("dev"));
    let last = path.rsplit('/').next().unwrap_or(path);
    let number = !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit());
    path == "-" || path.starts_with("/dev/") || number || path.split('/').any(odd)
}
