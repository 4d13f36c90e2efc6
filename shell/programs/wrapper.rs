//! Programs that run another program named in their arguments (B3), and the position of its name. A command with an
//! option that is not listed is not understood.

use super::inside::{At, Inner, Inside, replace};
use super::program::Call;
use crate::words::{Expands, Word};

/// The treatment of a wrapper by allow rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrapperKind {
    /// Only the inner command needs an allow rule.
    Transparent,
    /// The same, if it has no options.
    TransparentBare,
    /// Both the whole and the inner command need an allow rule.
    Layered,
}

/// The options of a wrapper.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one program")]
pub(super) struct Wrapper {
    pub(super) kind: WrapperKind,
    /// Letters of options without a value.
    pub(super) flags: &'static str,
    /// Letters of options with a value.
    pub(super) valued: &'static str,
    /// Long options without a value.
    pub(super) long: &'static [&'static str],
    /// Long options with a value.
    pub(super) long_valued: &'static [&'static str],
    /// Options with which it only describes the program.
    pub(super) describes: &'static [&'static str],
    /// True if `-` is an option.
    pub(super) takes_dash: bool,
    /// True if `-N` is an option for every number.
    pub(super) takes_number: bool,
    /// The number of operands before the command.
    pub(super) operands: usize,
    /// True if `NAME=value` may come before the command.
    pub(super) assigns: bool,
    /// True if words are appended to the command when it runs.
    pub(super) adds: bool,
    /// The option with a placeholder that is replaced instead, and options that cancel it.
    pub(super) mark: &'static [&'static str],
    pub(super) unmarks: &'static [&'static str],
    /// True if it passes the command to a shell as a text.
    pub(super) passes_text: bool,
    /// Options, by letter and long name, with which it passes words instead.
    pub(super) words_options: &'static [&'static str],
    /// Options behind the operands with which it passes a text.
    pub(super) text_options: &'static [&'static str],
    /// True if it starts a shell when no command is given.
    pub(super) starts_shell: bool,
    /// The folder in which it runs the command.
    pub(super) at: At,
}

impl Wrapper {
    /// Both commands need an allow rule; no options.
    pub(super) const LAYERED: Self = Self {
        kind: WrapperKind::Layered,
        flags: "",
        valued: "",
        long: &[],
        long_valued: &[],
        describes: &[],
        takes_dash: false,
        takes_number: false,
        operands: 0,
        assigns: false,
        adds: false,
        mark: &[],
        unmarks: &[],
        passes_text: false,
        words_options: &[],
        text_options: &[],
        starts_shell: false,
        at: At::Here,
    };
    /// Only the inner command needs an allow rule; no options.
    pub(super) const TRANSPARENT: Self = Self { kind: WrapperKind::Transparent, ..Self::LAYERED };
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

/// Finds the command that a wrapper runs.
pub(super) fn inside(call: &Call<'_>, wrapper: &Wrapper) -> Inside {
    unwrap(call, wrapper, call.words)
}

/// The same for the words from a subcommand on.
pub(super) fn unwrap(call: &Call<'_>, wrapper: &Wrapper, words: &[Word]) -> Inside {
    let mut rest = words.iter().enumerate().skip(1);
    let mut own = WrapperOptions { options: 0, mark: None, adds: wrapper.adds, text: wrapper.passes_text };
    let mut begins = words.len();
    let mut operands = wrapper.operands;
    let mut inner = Inner { at: wrapper.at, ..Inner::default() };
    let mut ended = false;
    while let Some((at, word)) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() || word.glob {
            return call.hides_commands(word);
        }
        if wrapper.assigns && !value.starts_with('-') && value.contains('=') {
            inner.assigned.push(word.clone());
            continue;
        }
        if ended || operands < wrapper.operands || !inner.assigned.is_empty() || !value.starts_with('-') {
            // `flock FILE -c TEXT`
            if operands == 0 && wrapper.text_options.contains(&value) {
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
        if wrapper.describes.contains(&value) {
            return Inside::default();
        }
        own.options += 1;
        if wrapper.takes_dash && value == "-" || (wrapper.takes_number && is_niceness(value)) {
            continue;
        }
        let Some(option) = option(wrapper, value) else { return call.hides_commands(word) };
        let given = match option.value {
            OptionValue::Alone => None,
            OptionValue::With(given) => Some(given.to_owned()),
            OptionValue::Next => {
                let Some((_, given)) = rest.next() else { return call.hides_commands(word) };
                if given.splits() {
                    return call.hides_commands(given);
                }
                Some(given.value.clone())
            }
        };
        if wrapper.mark.contains(&option.name) {
            // The meaning of an empty placeholder differs.
            if given.as_deref() == Some("") {
                return call.hides_commands(word);
            }
            own.adds = false;
            own.mark = given;
        } else if wrapper.unmarks.contains(&option.name) {
            own.adds = true;
        }
        own.text &= !wrapper.words_options.iter().any(|words| option.is(words));
    }
    inner.words = words.get(begins..).unwrap_or_default().to_vec();
    finish(call, wrapper, inner, own, words)
}

fn finish(call: &Call<'_>, wrapper: &Wrapper, mut inner: Inner, own: WrapperOptions, words: &[Word]) -> Inside {
    if inner.words.is_empty() {
        // Without a command it runs nothing, or the commands in its input.
        let reads = wrapper.starts_shell || own.mark.is_some() || words.iter().any(|word| word.unseen);
        return Inside { blame: reads.then(|| format!("`{}`", call.name)), ..Inside::default() };
    }
    if own.text {
        if let Some(word) = inner.words.iter().find(|word| word.is_dynamic() || word.tilde) {
            return call.hides_commands(word);
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
    let transparent = match wrapper.kind {
        WrapperKind::Transparent => true,
        WrapperKind::TransparentBare => own.options == 0,
        WrapperKind::Layered => false,
    };
    // Under another name it may be a different program.
    let transparent = transparent && call.program.names.contains(&call.name);
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

impl OptionWord<'_> {
    /// Returns true if one of the options has this letter or long name.
    fn is(&self, name: &str) -> bool {
        self.name == name || (name.len() == 1 && self.flags.contains(name))
    }
}

/// The value of an option.
enum OptionValue<'a> {
    Alone,
    With(&'a str),
    Next,
}

/// Parses a word with options. Returns `None` if one of them is unknown.
fn option<'a>(wrapper: &Wrapper, word: &'a str) -> Option<OptionWord<'a>> {
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
