//! Splits arguments as getopt does: options, their values, and operands.

use super::effects::{Extent, FileEffect, Touch};
use super::words::{Expands, Word};

/// The options of a program that take a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptionSpec {
    /// Letters with a value, in the same word or the next one.
    pub(super) valued: &'static str,
    /// Letters with an optional value in the same word.
    pub(super) glued: &'static str,
    /// Long names with a value, in the same word or the next one.
    pub(super) long: &'static [&'static str],
    /// Long names without a value or with one in the same word, and long names that start like one with a
    /// value.
    pub(super) alone: &'static [&'static str],
    /// Long names that take a name and a value, as in `--arg NAME VALUE`; they are in `long` too.
    pub(super) pairs: &'static [&'static str],
    /// Long names, with one dash or two, of options whose value is a file that the program writes: `-coverprofile=FILE`. If the
    /// first letter is in `glued`, the value may follow without a `=`. `--` does not end these options.
    pub(super) outputs: &'static [&'static str],
    /// True if the list of letters with a value is complete.
    pub(super) all: bool,
}

impl OptionSpec {
    /// No option takes a value.
    pub(super) const NOTHING: Self = Self::new("", &[], &[]);

    pub(super) const fn new(
        valued: &'static str,
        long: &'static [&'static str],
        alone: &'static [&'static str],
    ) -> Self {
        Self { valued, glued: "", long, alone, pairs: &[], outputs: &[], all: !valued.is_empty() }
    }

    /// Marks the list of letters with a value as incomplete.
    pub(super) const fn some(self) -> Self {
        Self { all: false, ..self }
    }

    pub(super) const fn glued(self, glued: &'static str) -> Self {
        Self { glued, ..self }
    }

    /// Finds an option of `outputs`, and the value in the same word.
    fn output(&self, word: &Word) -> Option<(&'static str, Option<Word>)> {
        let option = word.value.strip_prefix('-')?;
        let (one_dash, option) = option.strip_prefix('-').map_or((true, option), |option| (false, option));
        self.outputs.iter().find_map(|name| {
            let rest = option.strip_prefix(name)?;
            let glued = one_dash && !rest.is_empty() && name.starts_with(|letter| self.glued.contains(letter));
            let own = rest.strip_prefix('=').or(glued.then_some(rest));
            (rest.is_empty() || own.is_some()).then(|| (*name, own.map(|own| word.tail(word.value.len() - own.len()))))
        })
    }
}

/// The arguments of a program.
#[derive(Debug, Default)]
pub(super) struct Given<'w> {
    pub(super) options: Vec<Opt<'w>>,
    /// Options that count only if the preceding `--` is the value of another option.
    perhaps: Vec<Opt<'w>>,
    pub(super) operands: Vec<&'w Word>,
    /// A word that may be an option or expand to several words.
    pub(super) unsure: Option<&'w Word>,
    /// True if a word starts with a variable that is not known to hold a plain value.
    open: bool,
    /// True after a `--` that may be the value of another option.
    perhaps_ended: bool,
}

/// One option.
#[derive(Debug)]
pub(super) struct Opt<'w> {
    pub(super) word: &'w Word,
    name: OptionName<'w>,
    pub(super) value: Option<Word>,
    /// True if the program is known to take, or not to take, a value for it.
    known: bool,
}

#[derive(Debug)]
enum OptionName<'w> {
    Letter(char),
    /// The name as given, perhaps abbreviated.
    Long(&'w str),
}

/// Returns true if a word has unknown option letters or an unknown option name. Text after a letter with a
/// value is the value.
pub(super) fn hides(takes: &OptionSpec, word: &Word) -> bool {
    let value = word.value.as_str();
    let Some(at) = word.spans.iter().filter(|span| span.what == Expands::Other).map(|span| span.start).min() else {
        return false;
    };
    if value.starts_with("--") {
        return at < value.find('=').unwrap_or(value.len());
    }
    let with_value = |letter| takes.valued.contains(letter) || takes.glued.contains(letter);
    value.starts_with('-') && value.get(1..at).is_some_and(|letters| !letters.chars().any(with_value))
}

/// Splits the arguments of a program.
pub(super) fn given<'w>(takes: &OptionSpec, words: &'w [Word]) -> Given<'w> {
    let mut found = Given::default();
    let mut rest = words.iter();
    // True if the next word may be the value of the last one.
    let mut wants = false;
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let behind_option = std::mem::take(&mut wants);
        if let Some((name, own)) = takes.output(word) {
            let value = own.or_else(|| rest.next().cloned());
            found.option(Opt { word, name: OptionName::Long(name), value, known: true });
        } else if word.may_be_option() || hides(takes, word) {
            found.unsure.get_or_insert(word);
            found.open |= word.splits() || value.starts_with('-') || (!word.given && !word.spans.is_empty());
            found.operand(word);
        } else if value == "--" && takes.outputs.is_empty() {
            if !found.perhaps_ended {
                found.operands.extend(rest.clone());
            }
            if !behind_option {
                break;
            }
            found.perhaps_ended = true;
        } else if let Some(long) = value.strip_prefix("--") {
            let (name, own) = match long.split_once('=') {
                Some((name, own)) => (name, Some(word.tail(value.len() - own.len()))),
                None => (long, None),
            };
            let alone = takes.alone.contains(&name);
            let valued = !alone && takes.long.iter().any(|long| long.starts_with(name));
            // If the name splits, it is several words.
            if takes.pairs.contains(&name) && rest.as_slice().first().is_some_and(|name| !name.splits()) {
                rest.next();
            }
            let next = if valued && own.is_none() { rest.next() } else { None };
            wants = own.is_none() && !valued && !alone;
            let value = own.as_ref().or(next).cloned();
            found.option(Opt { word, name: OptionName::Long(name), value, known: valued || alone });
        } else if value.len() > 1 && value.starts_with('-') {
            for (at, letter) in value.char_indices().skip(1) {
                let end = at + letter.len_utf8();
                let (valued, glued) = (takes.valued.contains(letter), takes.glued.contains(letter));
                let own = (end < value.len() && (valued || glued)).then(|| word.tail(end));
                let next = if valued && own.is_none() { rest.next() } else { None };
                wants = !takes.all && own.is_none() && next.is_none();
                let value = own.as_ref().or(next).cloned();
                found.option(Opt { word, name: OptionName::Letter(letter), value, known: true });
                if own.is_some() {
                    break;
                }
            }
        } else {
            found.operand(word);
        }
    }
    found.open |= !found.perhaps.is_empty();
    found
}

/// The arguments of a program whose first argument may be option letters without a dash, rewritten as options.
pub(super) fn bundled(takes: &OptionSpec, words: &[Word]) -> Vec<Word> {
    let mut rest = words.iter().peekable();
    let mut all = Vec::with_capacity(words.len());
    if let Some(first) = words.first().filter(|word| !word.is_dynamic() && !word.value.starts_with('-')) {
        rest.next();
        for letter in first.value.chars() {
            all.push(Word::literal(&format!("-{letter}")));
            all.extend(rest.next_if(|_| takes.valued.contains(letter)).cloned());
        }
    }
    all.extend(rest.cloned());
    all
}

impl Opt<'_> {
    /// Returns true if it is this option, or may be an abbreviation of it.
    pub(super) fn is(&self, letter: char, long: &str) -> bool {
        match self.name {
            OptionName::Letter(own) => own == letter && own != ' ',
            OptionName::Long(own) => !own.is_empty() && long.starts_with(own),
        }
    }
}

impl<'w> Given<'w> {
    fn option(&mut self, option: Opt<'w>) {
        // A word that splits gives a value and further arguments.
        if option.value.as_ref().is_some_and(Word::splits) {
            self.unsure.get_or_insert(option.word);
            self.open = true;
        }
        if self.perhaps_ended { self.perhaps.push(option) } else { self.options.push(option) }
    }

    /// Adds an operand. All words after the first `--` are operands already.
    fn operand(&mut self, word: &'w Word) {
        self.operands.extend((!self.perhaps_ended).then_some(word));
    }

    /// The options, including those that only may be options.
    pub(super) fn all(&self) -> impl Iterator<Item = &Opt<'w>> {
        self.options.iter().chain(&self.perhaps)
    }

    /// Returns true if an option is given; ` ` and the empty name match no option.
    pub(super) fn has(&self, letter: char, long: &str) -> bool {
        self.options.iter().any(|option| option.is(letter, long))
    }

    /// The same for an option that leaves files unchanged, if no other option may revoke it.
    pub(super) fn only(&self, letter: char, long: &str) -> bool {
        let back = |option: &Opt<'_>| matches!(option.name, OptionName::Long(name) if name.starts_with("no"));
        self.has(letter, long) && !self.all().any(back)
    }

    /// Returns true if an operand may in fact be the value of an unknown option.
    pub(super) fn may_have_values(&self, takes: &OptionSpec) -> bool {
        let is_unknown = |option: &Opt<'_>| match option.name {
            OptionName::Letter(_) => !takes.all,
            OptionName::Long(_) => !option.known,
        };
        self.all().any(|option| option.value.is_none() && is_unknown(option))
    }

    /// The values of an option.
    pub(super) fn values(&self, letter: char, long: &str) -> impl Iterator<Item = &Word> {
        self.all().filter(move |option| option.is(letter, long)).filter_map(|option| option.value.as_ref())
    }

    /// The operands, and the values of unknown options, which may also be files.
    pub(super) fn files(&self) -> impl Iterator<Item = &Word> {
        let unknown = self.options.iter().filter(|option| !option.known).filter_map(|option| option.value.as_ref());
        unknown.chain(self.operands.iter().copied()).filter(|word| word.value != "-")
    }

    /// An unknown file, if a word may be the option that names an output file.
    pub(super) fn anywhere(&self) -> Option<FileEffect> {
        self.open.then(|| (Touch::Write, Word::somewhere(), Extent::Perhaps))
    }

    /// The operands except the first certain one.
    pub(super) fn but_first(&self) -> impl Iterator<Item = &'w Word> {
        let mut skip = true;
        self.operands.iter().copied().filter(move |word| word.unseen || !std::mem::take(&mut skip))
    }
}

/// Returns true if a cluster of short options contains one of the letters.
pub(super) fn short(word: &str, letters: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(|c| letters.contains(c)))
}

/// Returns true if a word is one of the long options or may be an abbreviation of one.
pub(super) fn long(word: &str, names: &[&str]) -> bool {
    let Some(given) = word.strip_prefix("--") else { return false };
    let given = given.split('=').next().unwrap_or(given);
    !given.is_empty() && names.iter().any(|name| name.starts_with(given))
}
