//! Words of commands, after quote removal.

use super::glob::has_unknown_depth;

/// One word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about how one word was written")]
pub struct Word {
    /// The text after quote removal, with expansions as written.
    pub value: String,
    /// True if it starts with an unquoted `~` that means the home folder.
    pub tilde: bool,
    /// True if it has an unquoted glob.
    pub glob: bool,
    /// True if some of it was quoted or escaped.
    pub quoted: bool,
    /// True if it has a literal glob character or `$`.
    pub literal: bool,
    /// True if it has an unquoted brace.
    pub brace: bool,
    /// True if its braces are lists, which only some shells expand.
    pub listed: bool,
    /// The brackets that may be a class.
    pub(super) brackets: Brackets,
    /// The start of the assigned value; absent if it is not an assignment.
    pub(super) assigned: Option<usize>,
    /// Its expansions, in order.
    pub(super) spans: Vec<Span>,
    /// True if it represents any number of unknown words.
    pub(super) unseen: bool,
    /// True if it starts with a variable that is not known to be an option.
    pub(super) given: bool,
}

/// The brackets of a word that may be a class of a glob.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Brackets {
    /// No unquoted `[`.
    #[default]
    None,
    /// An unquoted `[`.
    Open,
    /// A quoted `]` behind it, which does not end the class.
    QuotedEnd,
}

/// One expansion in a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// Its start and end in the word's value.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) what: Expands,
    /// True in double quotes, where it stays one word.
    pub(super) quoted: bool,
    /// The script that it runs.
    pub(super) script: Option<usize>,
}

/// The kind of an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expands {
    /// `$HOME`
    Home,
    /// `$PWD`
    Cwd,
    /// A path found by `find`, which never starts like an option.
    Found,
    /// A number or commit id: arithmetic over literals, a count of processors, or a revision.
    Number,
    /// Any other expansion.
    Other,
}

impl Span {
    /// Returns true for arithmetic, or a variable that has only numbers. A substitution may give the name of a variable.
    pub(super) fn is_sum(&self) -> bool {
        self.what == Expands::Number && self.script.is_none()
    }
}

impl Word {
    /// A word that is not parsed by a shell.
    pub fn literal(value: &str) -> Self {
        Self { value: value.to_owned(), quoted: true, literal: value.contains(is_special), ..Self::default() }
    }

    /// A placeholder for unknown words that another program appends.
    pub(super) fn unseen() -> Self {
        let mut word = Self { unseen: true, ..Self::default() };
        word.expands(0, Expands::Other, false, None);
        word
    }

    /// An unknown folder.
    pub(super) fn somewhere() -> Self {
        let mut word = Self { value: "?".to_owned(), ..Self::default() };
        word.expands(0, Expands::Other, true, None);
        word
    }

    /// The form in which words are compared (B4).
    pub fn printed(&self) -> String {
        if self.spans.is_empty() {
            return printed(&self.value, self.literal);
        }
        let rest = self.with_expansions(|_| Some(""));
        if (self.quoted && self.spans.iter().any(|span| span.quoted))
            || (self.quoted && !rest.is_empty() && needs_quotes(&rest))
        {
            format!("\"{}\"", self.value)
        } else {
            self.value.clone()
        }
    }

    /// The printed form with the home folder and the working directory inserted.
    pub(super) fn respelled(&self, home: &str, cwd: &str) -> String {
        let mut word = self.clone();
        word.value = self.with_expansions(|span| match span.what {
            Expands::Home => Some(home),
            Expands::Cwd => Some(cwd),
            Expands::Found | Expands::Number | Expands::Other => None,
        });
        if let Some(at) = self.home_at().filter(|_| home != "~") {
            word.value.replace_range(at..=at, home);
        }
        let unknown = |span: &&Span| !matches!(span.what, Expands::Home | Expands::Cwd);
        if self.spans.iter().any(|span| unknown(&span)) {
            return word.value;
        }
        printed(&word.value, self.literal)
    }

    /// The text with other texts in place of its expansions; `None` leaves one as written.
    fn with_expansions<'t>(&self, other: impl Fn(&Span) -> Option<&'t str>) -> String {
        let mut text = String::with_capacity(self.value.len());
        let mut done = 0;
        for span in &self.spans {
            let Some(with) = other(span).filter(|_| span.start >= done) else { continue };
            text.push_str(self.value.get(done..span.start).unwrap_or_default());
            text.push_str(with);
            done = done.max(span.end);
        }
        text.push_str(self.value.get(done..).unwrap_or_default());
        text
    }

    /// The position of a `~` that may mean the home folder: at the start, or in `NAME=~`, which bash expands in
    /// arguments too.
    pub(super) fn home_at(&self) -> Option<usize> {
        let at = if self.tilde { 0 } else { self.assigned? };
        self.value.get(at..)?.starts_with('~').then_some(at)
    }

    /// Returns true if it is printed without quotes.
    pub(super) fn is_plainly_printed(&self) -> bool {
        !self.literal && !self.value.is_empty() && !needs_quotes(&self.value)
    }

    /// Returns true if it is or could be a reserved word in command position.
    pub(super) fn is_bare(&self) -> bool {
        !self.quoted && self.spans.is_empty() && !self.glob
    }

    /// Returns true if the shell may expand it.
    pub fn is_dynamic(&self) -> bool {
        !self.spans.is_empty() || self.glob || self.unseen
    }

    /// Returns true if its glob may match paths with another number of segments.
    pub(super) fn has_unknown_depth(&self) -> bool {
        self.glob && (self.brackets == Brackets::QuotedEnd || has_unknown_depth(&self.value, self.quoted))
    }

    /// Returns true if it may expand to an unknown option. An unquoted expansion or glob may give any number of words,
    /// and one at the start may begin with a `-`.
    pub fn may_be_option(&self) -> bool {
        let first = self.spans.iter().any(|span| span.start == 0 && span.what == Expands::Other);
        let is_name = || self.value.starts_with(|c: char| c.is_ascii_alphanumeric() || "./_~".contains(c));
        first || self.splits() || (self.glob && !is_name() && !self.is_long_option_with_glob())
    }

    /// Returns true for a long option with a glob in its value: `--include=*.py`.
    fn is_long_option_with_glob(&self) -> bool {
        let name = self.value.split_once('=').map_or("", |(name, _)| name);
        name.starts_with("--") && !name.contains(['*', '?', '['])
    }

    /// Returns false if none of the words to which the shell may expand it starts with this text.
    pub fn may_start_with(&self, text: &str) -> bool {
        // In zsh, text in parentheses behind a glob may replace the names that it matches.
        if self.splits() || self.tilde || self.brace || self.value.contains('(') {
            return true;
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte);
        let first_span = self.spans.iter().map(|span| span.start).min().unwrap_or(self.value.len());
        let unknown = self.value.bytes().position(|byte| !is_plain(byte)).unwrap_or(self.value.len());
        let start = self.value.get(..unknown.min(first_span)).unwrap_or_default();
        // A glob at the start matches names in the working directory.
        let is_relative = self.glob && first_span > 0 && self.value.starts_with(['*', '?', '[']);
        (start.starts_with(text) || text.starts_with(start)) && !(is_relative && text.starts_with('/'))
    }

    /// Returns true if an unquoted expansion may split it into several words.
    pub(super) fn splits(&self) -> bool {
        let other = |span: &Span| matches!(span.what, Expands::Other | Expands::Cwd);
        self.unseen || self.spans.iter().any(|span| other(span) && !self.stays_one(span))
    }

    /// Returns true for a quoted expansion, except for `"$@"`, which is any number of words.
    fn stays_one(&self, span: &Span) -> bool {
        let text = self.value.get(span.start..span.end).unwrap_or_default();
        span.quoted && !text.starts_with("$@") && !text.starts_with("${@")
    }

    /// Returns true if it may expand to no word at all, because it consists only of expansions that are split.
    pub(super) fn may_be_none(&self) -> bool {
        let end =
            self.spans.iter().try_fold(0, |end, span| (span.start == end && !self.stays_one(span)).then_some(span.end));
        self.unseen || (!self.value.is_empty() && end == Some(self.value.len()))
    }

    /// The word up to a byte of its value.
    pub(super) fn head(&self, to: usize) -> Self {
        let mut word = self.clone();
        word.value.truncate(to);
        word.spans.retain(|span| span.end <= to);
        word
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
        if c == ']' && self.brackets == Brackets::Open {
            self.brackets = Brackets::QuotedEnd;
        }
        self.value.push(c);
    }

    /// Marks the text from `start` on as an expansion.
    pub(super) fn expands(&mut self, start: usize, what: Expands, quoted: bool, script: Option<usize>) {
        self.quoted |= quoted;
        self.spans.push(Span { start, end: self.value.len(), what, quoted, script });
    }
}

/// Prints a word in single quotes if it is empty, has blanks, quotes or a backslash, or contains a literal glob
/// character or `$`.
pub fn printed(value: &str, literal: bool) -> String {
    if literal || value.is_empty() || needs_quotes(value) {
        format!("'{}'", value.replace('\'', r"'\''"))
    } else {
        value.to_owned()
    }
}

fn needs_quotes(value: &str) -> bool {
    value.contains([' ', '\t', '\n', '\'', '"', '\\'])
}

/// Returns true for a brace that stands alone, which zsh reads as a reserved word or expands in any position.
pub(super) fn is_lone_brace(word: &Word) -> bool {
    word.is_bare() && matches!(word.value.as_str(), "{" | "}")
}

/// Returns true for the name of a variable.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns true for a character that is printed in quotes where it is literal.
pub fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | '$')
}

/// The part of a path after the last `/`, without the usual Windows extensions (B6).
pub fn base_name(program: &str) -> &str {
    // A plain loop is faster than a substring search for short names.
    let start = program.bytes().rposition(|byte| byte == b'/').map_or(0, |slash| slash + 1);
    let name = program.get(start..).unwrap_or(program);
    if !cfg!(windows) {
        return name;
    }
    let name = name.rsplit('\\').next().unwrap_or(name);
    [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}
