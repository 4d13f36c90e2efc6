//! The code that a command runs beside its own program (B3): the inner command of a wrapper, the text for a
//! shell, the commands of `find`.

use super::builtins::is_plain_option;
use super::by_name::by_name;
use super::devices::is_input;
use super::find::Exec;
use super::inline_code::is_shell;
use super::options::given;
use super::programs::family;
use super::words::{Expands, Word};
use super::wrappers::{At, WRAPPERS, WrapperKind, WrapperSpec};
use super::{base_name, find, is_counted, is_encoding, is_forbidden, keeps_ascii};

/// The commands and texts inside a command.
#[derive(Debug, Default)]
pub(super) struct Inside {
    /// The commands that it runs.
    pub(super) commands: Vec<Inner>,
    /// The texts that it passes to a shell.
    pub(super) texts: Vec<String>,
    /// Commands that only deny and ask rules check: a script is run by its path.
    pub(super) watched: Vec<Vec<Word>>,
    /// Texts that an inner command may pass to a shell, for deny and ask rules.
    pub(super) values: Vec<String>,
    /// True if allow rules need not match the outer command.
    pub(super) transparent: bool,
    /// The word that could not be parsed.
    pub(super) blame: Option<String>,
}

/// An inner command.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) words: Vec<Word>,
    /// The assignments that apply to it.
    pub(super) assigned: Vec<Word>,
    /// The folder that its paths are relative to.
    pub(super) at: At,
}

/// Finds the commands inside a command.
pub(super) fn inside(words: &[Word]) -> Inside {
    let Some(program) = words.first() else { return Inside::default() };
    let own = base_name(&program.value);
    let wrappers = by_name!(WRAPPERS, names);
    let name = if wrappers.row(own).is_some() { own } else { family(own) };
    if is_shell(own) {
        return shell(own, words);
    }
    if name == "find" {
        let find = find::read(words.get(1..).unwrap_or_default());
        let blame = find.blame.and_then(|word| blamed(name, word).blame);
        let at = |there: bool| if there { At::Somewhere } else { At::Here };
        let inner = |exec: Exec| Inner { words: exec.words, assigned: Vec::new(), at: at(exec.there) };
        return Inside { commands: find.commands.into_iter().map(inner).collect(), blame, ..Inside::default() };
    }
    if name == "make" {
        return variables(name, words);
    }
    if name == "hyperfine" {
        return measured(words);
    }
    if name == "snaphook" {
        return isolated(words);
    }
    if name == "rustup" {
        return toolchain(words);
    }
    match wrappers.row(name).and_then(|row| WRAPPERS.get(row)) {
        Some(wrapper) => {
            let inside = unwrap(wrapper, name, words);
            // Under another name it may be a different program.
            Inside { transparent: inside.transparent && own == name, ..inside }
        }
        None => Inside::default(),
    }
}

fn blamed(name: &str, word: &Word) -> Inside {
    let shown = if word.unseen { "…" } else { word.value.as_str() };
    Inside { blame: Some(format!("`{name} {shown}`")), ..Inside::default() }
}

/// The options of a wrapper.
struct WrapperOptions {
    /// The number of option words.
    options: usize,
    /// The placeholder that is replaced by its input.
    mark: Option<String>,
    /// True if its input is appended to the command.
    adds: bool,
    /// True if it passes the command to a shell as a text.
    text: bool,
}

fn unwrap(wrapper: &WrapperSpec, name: &str, words: &[Word]) -> Inside {
    let mut rest = words.iter().enumerate().skip(1);
    let mut own = WrapperOptions { options: 0, mark: None, adds: wrapper.adds, text: name == "watch" };
    let mut begins = words.len();
    let mut operands = wrapper.operands;
    let mut inner = Inner { at: wrapper.at, ..Inner::default() };
    let mut ended = false;
    while let Some((at, word)) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() || word.glob {
            return blamed(name, word);
        }
        if wrapper.assigns && !value.starts_with('-') && value.contains('=') {
            inner.assigned.push(word.clone());
            continue;
        }
        if ended || operands < wrapper.operands || !inner.assigned.is_empty() || !value.starts_with('-') {
            // `flock FILE -c TEXT`
            if name == "flock" && operands == 0 && matches!(value, "-c" | "--command") {
                own.text = true;
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
            ended = true;
            continue;
        }
        // Only describes the program.
        if name == "command" && matches!(value, "-v" | "-V" | "-pv" | "-pV") {
            return Inside::default();
        }
        own.options += 1;
        if value == "-" && name == "env" || (name == "nice" && is_niceness(value)) {
            continue;
        }
        let Some(option) = option(wrapper, value) else { return blamed(name, word) };
        let given = match option.value {
            OptionValue::Alone => None,
            OptionValue::With(given) => Some(given.to_owned()),
            OptionValue::Next => {
                let Some((_, given)) = rest.next() else { return blamed(name, word) };
                if given.splits() {
                    return blamed(name, given);
                }
                Some(given.value.clone())
            }
        };
        match (name, option.name) {
            // The meaning of an empty placeholder differs.
            ("xargs", "I") if given.as_deref() == Some("") => return blamed(name, word),
            ("xargs", "I") => {
                own.adds = false;
                own.mark = given;
            }
            // This option may cancel the placeholder.
            ("xargs", "n" | "L" | "max-args" | "max-lines") => own.adds = true,
            ("watch", "exec") => own.text = false,
            ("watch", _) => own.text &= !option.flags.contains('x'),
            _ => {}
        }
    }
    inner.words = words.get(begins..).unwrap_or_default().to_vec();
    finish(wrapper, name, inner, own, words)
}

fn finish(wrapper: &WrapperSpec, name: &str, mut inner: Inner, own: WrapperOptions, words: &[Word]) -> Inside {
    if inner.words.is_empty() {
        // Without a command it runs nothing, or the commands in its input.
        let reads = wrapper.shell || own.mark.is_some() || words.iter().any(|word| word.unseen);
        return Inside { blame: reads.then(|| format!("`{name}`")), ..Inside::default() };
    }
    if own.text {
        if let Some(word) = inner.words.iter().find(|word| word.is_dynamic() || word.tilde) {
            return blamed(name, word);
        }
        let texts = vec![inner.words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ")];
        return Inside { texts, ..Inside::default() };
    }
    if let Some(mark) = own.mark {
        replace(&mut inner.words, &mark, Expands::Other);
    }
    if own.adds {
        inner.words.push(Word::unseen());
    }
    let transparent = wrapper.kind == WrapperKind::Transparent || (name == "xargs" && own.options == 0);
    Inside { commands: vec![inner], transparent, ..Inside::default() }
}

/// A word with options.
struct OptionWord<'a> {
    /// The last option, which may have a value: a letter or a long name.
    name: &'a str,
    /// The letters before it, which take no value.
    flags: &'a str,
    value: OptionValue<'a>,
}

/// The value of an option.
enum OptionValue<'a> {
    Alone,
    With(&'a str),
    Next,
}

/// Parses a word with options. Returns `None` if one of them is unknown.
fn option<'a>(wrapper: &WrapperSpec, word: &'a str) -> Option<OptionWord<'a>> {
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, wrapper.long_valued.contains(&name).then_some(OptionValue::With(value))?),
            None if wrapper.long.contains(&long) => (long, OptionValue::Alone),
            None => (long, wrapper.long_valued.contains(&long).then_some(OptionValue::Next)?),
        };
        return Some(OptionWord { name, flags: "", value });
    }
    let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty())?;
    for (at, letter) in letters.char_indices() {
        if wrapper.valued.contains(letter) {
            let end = at + letter.len_utf8();
            let value = letters.get(end..).unwrap_or_default();
            let value = if value.is_empty() { OptionValue::Next } else { OptionValue::With(value) };
            return Some(OptionWord { name: letters.get(at..end)?, flags: letters.get(..at)?, value });
        }
        if !wrapper.flags.contains(letter) {
            return None;
        }
    }
    Some(OptionWord { name: "", flags: letters, value: OptionValue::Alone })
}

fn is_niceness(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|n| {
        let n = n.strip_prefix(['-', '+']).unwrap_or(n);
        !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Makes every word that contains a placeholder unknown.
pub(super) fn replace(words: &mut [Word], mark: &str, what: Expands) {
    for word in words.iter_mut().filter(|word| !mark.is_empty() && word.value.contains(mark)) {
        let starts: Vec<_> = word.value.match_indices(mark).map(|(at, _)| at).collect();
        for start in starts {
            let span = super::words::Span { start, end: start + mark.len(), what, quoted: true, script: None };
            word.spans.push(span);
        }
        word.spans.sort_by_key(|span| span.start);
        word.quoted &= !word.is_plainly_printed();
        word.given = false;
    }
}

/// `sh -c TEXT`. Without a text or a file, a shell reads commands from its input, which is unknown.
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
                if is_input(&word.value) || word.is_dynamic() {
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
            if !option.is_some_and(is_plain_option) {
                return blamed(name, word);
            }
        }
    }
    Inside { blame: Some(format!("`{name}`")), ..Inside::default() }
}

/// The variables given to `make`. A rule may start with any of them; the built-in rules start with `CC`.
fn variables(name: &str, words: &[Word]) -> Inside {
    let mut values = Vec::new();
    for word in given(name, words.get(1..).unwrap_or_default()).operands {
        let Some(at) = word.value.find('=') else { continue };
        let value = word.tail(at + 1);
        let (mut known, mut from) = (String::with_capacity(value.value.len()), 0);
        for span in &value.spans {
            known.push_str(value.value.get(from..span.start).unwrap_or_default());
            known.push_str(match span.what {
                Expands::Home => "~",
                Expands::Cwd => ".",
                Expands::Number => "1",
                Expands::Found | Expands::Other => return blamed(name, word),
            });
            from = span.end;
        }
        known.push_str(value.value.get(from..).unwrap_or_default());
        // Prefixes that make removes from a line.
        let lines = known.lines().map(|line| line.trim_start_matches(['@', '-', '+', ' ', '\t']));
        let text = lines.collect::<Vec<_>>().join("\n");
        // A text that make expands is code.
        if !text.is_empty() && !text.contains(['$', '`']) {
            values.push(text);
        }
    }
    Inside { values, ..Inside::default() }
}

/// The commands that `hyperfine` passes to a shell, and option values with commands.
fn measured(words: &[Word]) -> Inside {
    let given = given("hyperfine", words.get(1..).unwrap_or_default());
    match given.files().find(|word| word.is_dynamic()) {
        Some(word) => blamed("hyperfine", word),
        None => Inside { values: given.files().map(|word| word.value.clone()).collect(), ..Inside::default() },
    }
}

/// `rustup run TOOLCHAIN COMMAND`
fn toolchain(words: &[Word]) -> Inside {
    let Some(at) = words.iter().skip(1).position(|word| !word.value.starts_with(['-', '+'])) else {
        return Inside::default();
    };
    let rest = words.get(at + 1..).unwrap_or_default();
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names == ["rustup run"]);
    match (rest.first(), wrapper) {
        (Some(word), _) if word.is_dynamic() => blamed("rustup", word),
        (Some(word), Some(wrapper)) if word.value == "run" => unwrap(wrapper, "rustup run", rest),
        _ => Inside::default(),
    }
}

/// `snaphook run -- COMMAND`, which may have been written by the model and not by our hook.
fn isolated(words: &[Word]) -> Inside {
    let mut rest = words.iter().enumerate().skip(1);
    match rest.next() {
        Some((_, word)) if word.is_dynamic() => return blamed("snaphook", word),
        Some((_, word)) if word.value == "run" => {}
        _ => return Inside::default(),
    }
    while let Some((at, word)) = rest.next() {
        match word.value.as_str() {
            "--policy" | "--trust" | "--project" => match rest.next() {
                Some((_, given)) if given.is_dynamic() => return blamed("snaphook run", given),
                _ => {}
            },
            "--" => {
                let inner = Inner {
                    words: words.get(at + 1..).unwrap_or_default().to_vec(),
                    assigned: Vec::new(),
                    at: At::Here,
                };
                return Inside { commands: vec![inner], ..Inside::default() };
            }
            _ => return blamed("snaphook run", word),
        }
    }
    Inside::default()
}

/// Finds a variable among the assignments that a command must not set.
pub(super) fn forbidden(word: &Word) -> Option<String> {
    let (name, value) = word.value.split_once('=')?;
    let odd = name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    // Some shells evaluate the value as arithmetic, which may run a command in a subscript.
    let counts = is_counted(name) && (word.is_dynamic() || !value.bytes().all(|b| b.is_ascii_digit()));
    let encodes = is_encoding(name) && (word.is_dynamic() || !keeps_ascii(value));
    (odd || counts || encodes || is_forbidden(name)).then(|| format!("`{name}=`"))
}
