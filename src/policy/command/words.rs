//! Words of commands, after quote removal.

/// Holds one word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about how one word was written")]
pub(crate) struct Word {
    /// After quote removal; expansions as they are written.
    pub(crate) value: String,
    /// Whether it begins with an unquoted `~` that stands for the home folder.
    pub(crate) tilde: bool,
    /// Whether it has an unquoted glob.
    pub(crate) glob: bool,
    /// Whether any of it was quoted or escaped.
    pub(crate) quoted: bool,
    /// Whether it has a glob or a `$` that is quoted, and so means itself.
    pub(crate) literal: bool,
    /// Whether it has an unquoted brace.
    pub(crate) brace: bool,
    /// Where a value that is assigned begins; absent: it is no assignment.
    pub(super) assigned: Option<usize>,
    /// What the shell puts something else for, in order.
    pub(super) spans: Vec<Span>,
    /// Stands for any number of words that nobody knows.
    pub(super) unseen: bool,
    /// Whether it begins with a variable that is no option, as far as the command says.
    pub(super) given: bool,
}

/// Holds one expansion in a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// Where it begins and ends in the word's value.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) what: Expands,
    /// Whether it stands in double quotes, so that it stays one word.
    pub(super) quoted: bool,
    /// The script that it runs.
    pub(super) script: Option<usize>,
}

/// Names what an expansion gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expands {
    /// `$HOME`
    Home,
    /// `$PWD`
    Cwd,
    /// A path that `find` found, which never begins like an option.
    Found,
    /// A number: what is left of arithmetic over literals, or of counting processors, or that of a commit.
    Number,
    /// Anything else.
    Other,
}

impl Word {
    /// Takes a word that no shell reads.
    pub(crate) fn literal(value: &str) -> Self {
        Self { value: value.to_owned(), quoted: true, literal: value.contains(is_special), ..Self::default() }
    }

    /// Stands for words that somebody else adds.
    pub(super) fn unseen() -> Self {
        let mut word = Self { unseen: true, ..Self::default() };
        word.expands(0, Expands::Other, false, None);
        word
    }

    /// A folder that nobody knows.
    pub(super) fn somewhere() -> Self {
        let mut word = Self { value: "?".to_owned(), ..Self::default() };
        word.expands(0, Expands::Other, true, None);
        word
    }

    /// The form in which words are compared (B4).
    pub(crate) fn printed(&self) -> String {
        if self.spans.is_empty() {
            return printed(&self.value, self.literal);
        }
        let mut rest = self.value.clone();
        for span in self.spans.iter().rev() {
            rest.replace_range(span.start.min(rest.len())..span.end.min(rest.len()), "");
        }
        if (self.quoted && self.spans.iter().any(|span| span.quoted))
            || (self.quoted && !rest.is_empty() && needs_quotes(&rest))
        {
            format!("\"{}\"", self.value)
        } else {
            self.value.clone()
        }
    }

    /// The printed form with the home folder and the working directory in the place of what stands for
    /// them.
    pub(super) fn respelled(&self, home: &str, cwd: &str) -> String {
        let mut word = self.clone();
        for span in self.spans.iter().rev() {
            let with = match span.what {
                Expands::Home => home,
                Expands::Cwd => cwd,
                Expands::Found | Expands::Number | Expands::Other => continue,
            };
            word.value.replace_range(span.start.min(word.value.len())..span.end.min(word.value.len()), with);
        }
        if self.tilde && home != "~" {
            word.value.replace_range(..1, home);
        }
        let unknown = |span: &&Span| !matches!(span.what, Expands::Home | Expands::Cwd);
        if self.spans.iter().any(|span| unknown(&span)) {
            return word.value;
        }
        printed(&word.value, self.literal)
    }

    /// Whether it is printed without quotes.
    pub(super) fn is_plainly_printed(&self) -> bool {
        !self.literal && !self.value.is_empty() && !needs_quotes(&self.value)
    }

    /// Whether it is a reserved word where one can stand, or could be.
    pub(super) fn is_bare(&self) -> bool {
        !self.quoted && self.spans.is_empty() && !self.glob
    }

    /// Whether the shell may put something else in its place.
    pub(crate) fn is_dynamic(&self) -> bool {
        !self.spans.is_empty() || self.glob || self.unseen
    }

    /// Whether it may become an option, or words that are: an unquoted expansion or glob may give any
    /// number of words, and one at the beginning a `-`.
    pub(super) fn may_be_option(&self) -> bool {
        let first = self.spans.iter().any(|span| span.start == 0 && span.what == Expands::Other);
        first
            || self.splits()
            || (self.glob && !self.value.starts_with(|c: char| c.is_ascii_alphanumeric() || "./_~".contains(c)))
    }

    /// Whether an unquoted expansion may make any number of words of it.
    pub(super) fn splits(&self) -> bool {
        self.unseen || self.spans.iter().any(|span| !span.quoted && span.what == Expands::Other)
    }

    /// Whether it may become no word at all: it is made of unquoted expansions, and nothing else.
    pub(super) fn may_be_none(&self) -> bool {
        let end = self.spans.iter().try_fold(0, |end, span| (span.start == end && !span.quoted).then_some(span.end));
        self.unseen || (!self.value.is_empty() && end == Some(self.value.len()))
    }

    /// The rest of the word from a byte of its value on.
    pub(super) fn tail(&self, from: usize) -> Self {
        let mut word = self.clone();
        self.value.get(from..).unwrap_or_default().clone_into(&mut word.value);
        word.assigned = None;
        word.given &= from == 0;
        word.tilde = word.value.starts_with('~') && !word.quoted;
        let moved = |span: &Span| {
            let mut span = span.clone();
            span.start = span.start.checked_sub(from)?;
            span.end -= from;
            Some(span)
        };
        word.spans = self.spans.iter().filter_map(moved).collect();
        word
    }

    pub(super) fn quote(&mut self, c: char) {
        self.quoted = true;
        self.literal |= is_special(c);
        self.value.push(c);
    }

    /// Notes that everything from `start` on is an expansion.
    pub(super) fn expands(&mut self, start: usize, what: Expands, quoted: bool, script: Option<usize>) {
        self.quoted |= quoted;
        self.spans.push(Span { start, end: self.value.len(), what, quoted, script });
    }
}

/// Prints a word in single quotes where it is empty, has blanks, quotes or a backslash, or holds a
/// glob or `$` that means itself.
pub(crate) fn printed(value: &str, literal: bool) -> String {
    if literal || value.is_empty() || needs_quotes(value) {
        format!("'{}'", value.replace('\'', r"'\''"))
    } else {
        value.to_owned()
    }
}

fn needs_quotes(value: &str) -> bool {
    value.contains([' ', '\t', '\n', '\'', '"', '\\'])
}

pub(crate) fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | '$')
}
