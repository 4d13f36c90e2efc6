//! Parses a command text into its simple commands and the files that it touches (B1-B3, B10).

mod files;
mod redirections;
mod script;
mod simple_command;

use std::cell::OnceCell;
use std::rc::Rc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::syntax::scan;
use super::touched_paths::{Base, Touched};
use super::variables::Variables;
use super::words::Word;
use super::{Part, RawWords, Script, Touch, patch, write_then_run};
use crate::ScriptLimits;
use crate::budget::{Budget, BudgetSpent};

/// Analyses texts and argument lists, which may contain further commands.
#[expect(clippy::struct_excessive_bools, reason = "independent findings about one text")]
pub(super) struct Analyzer<'l> {
    limits: &'l ScriptLimits,
    /// Returns true if a variable is in the environment.
    exported: &'l dyn Fn(&str) -> bool,
    /// The whole text.
    raw: String,
    /// The text that is being read, possibly a part of the whole.
    text: String,
    parts: Vec<Rc<Part>>,
    touched: Vec<Touched>,
    /// The parts of each member of each pipeline.
    pipelines: Vec<Vec<Vec<Rc<Part>>>>,
    blame: Option<String>,
    torn: bool,
    /// True if the input of a program is code in a here-document.
    code_in_document: bool,
    /// The reason why the command is refused.
    refused: Option<String>,
    /// True if a patch is applied.
    patches: bool,
    /// The number of commands that create links.
    links: usize,
    /// The number of commands and redirections that may create files.
    changers: usize,
    /// True if a descriptor that is opened for reading may be a regular file.
    mixed: bool,
    /// Streams that are written by path.
    streams: Vec<Touched>,
    left: Vec<PendingText>,
    variables: Variables,
    /// The number of words and touched paths, in all nested texts.
    nodes: usize,
    /// The number of paths counted as files that a program may change; a word may stand for one in each base
    /// folder.
    names: usize,
    /// The number of bytes read. A nested text counts again at each level.
    bytes: usize,
    /// Bounds what is not counted in words.
    steps: &'l Budget,
    cut: bool,
    /// Cached: true if `CDPATH` is set.
    searches: OnceCell<bool>,
}

type Bases = Rc<Vec<Base>>;

/// Limits the total length of nested texts, as a multiple of the maximum length of a command.
const TEXTS: usize = 4;

/// The maximum number of paths named by words of unknown programs. Each is looked up in the file system.
const NAMES: usize = 4096;

/// A text that is still to be read.
struct PendingText {
    text: String,
    bases: Bases,
    depth: usize,
    mode: RunMode,
}

/// The way in which a text is run.
#[derive(Clone, Copy, Default)]
struct RunMode {
    /// It may not be run at all: for deny and ask rules only.
    watch: bool,
    /// Further words are appended to it.
    adds: bool,
    input: InputSource,
}

/// Where the input of a command comes from; the later, the less is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum InputSource {
    /// From where the shell has its own.
    #[default]
    Inherited,
    /// From a here-document or a here-string.
    Document,
    /// From a file or another command.
    Elsewhere,
}

/// The position of a command.
#[derive(Clone, Copy)]
struct CommandPosition<'p> {
    bases: &'p Bases,
    pipes: &'p [(usize, usize)],
    /// The first pipeline of the text.
    from: usize,
    depth: usize,
    mode: RunMode,
}

impl<'l> Analyzer<'l> {
    pub(super) fn new(limits: &'l ScriptLimits, exported: &'l dyn Fn(&str) -> bool, steps: &'l Budget) -> Self {
        Self {
            limits,
            exported,
            raw: String::new(),
            text: String::new(),
            parts: Vec::new(),
            touched: Vec::new(),
            pipelines: Vec::new(),
            blame: None,
            torn: false,
            code_in_document: false,
            refused: None,
            patches: false,
            links: 0,
            changers: 0,
            mixed: false,
            streams: Vec::new(),
            left: Vec::new(),
            variables: Variables::default(),
            nodes: 0,
            names: 0,
            bytes: 0,
            steps,
            cut: false,
            searches: OnceCell::new(),
        }
    }

    pub(super) fn blame(&mut self, what: impl Into<String>) {
        if self.blame.is_none() {
            self.blame = Some(what.into());
        }
    }

    /// Records that a limit was reached; nothing after it is read.
    fn over(&mut self, what: impl Into<String>) {
        self.blame(what);
        self.torn = true;
        self.cut = true;
    }

    /// Spends steps. Returns false if none are left.
    fn spend(&mut self, steps: usize) -> bool {
        let within = self.steps.spend(steps);
        if !within {
            self.over("too large to analyse");
        }
        within
    }

    /// Analyses a shell text.
    pub(super) fn text(mut self, text: &str) -> Script {
        text.clone_into(&mut self.raw);
        self.left.push(PendingText { text: text.to_owned(), bases: own(), depth: 0, mode: RunMode::default() });
        self.rest();
        if self.parts.is_empty() && self.touched.is_empty() && text.trim().is_empty() {
            self.blame("no command");
        }
        self.done()
    }

    /// Analyses an argument list that no shell parses.
    pub(super) fn argv(mut self, words: &[String]) -> Script {
        let list: Vec<Word> = words.iter().map(|word| Word::literal(word)).collect();
        let own = own();
        let place = CommandPosition { bases: &own, pipes: &[], from: 0, depth: 0, mode: RunMode::default() };
        if list.is_empty() {
            self.blame("no command");
        }
        self.variables.words(&list.iter().collect::<Vec<_>>());
        self.nested_commands(list, &[], &place);
        self.rest();
        self.raw = words.join(" ");
        self.done()
    }

    fn done(mut self) -> Script {
        match write_then_run::run_by(&self.parts, &self.touched, self.steps) {
            Ok(word) => word.into_iter().for_each(|word| self.blame(word)),
            Err(BudgetSpent) => self.over("too large to analyse"),
        }
        // A command that opens such a stream writes the file.
        if self.mixed {
            self.touched.append(&mut self.streams);
        }
        // A link created by this text does not exist yet, so every other path may lead through it.
        for touched in &mut self.touched {
            touched.place.may_alias |= self.links > usize::from(touched.links);
            touched.place.is_settled = !self.cut && self.changers <= usize::from(touched.changes);
        }
        if self.torn {
            self.torn_words();
        }
        if !self.patches && self.blame.is_some() {
            match patch::torn(&self.raw) {
                Ok(touched) => self.touched.extend(touched),
                Err(why) => self.refused = Some(why),
            }
        }
        let mut pipelines = self.pipelines;
        pipelines.retain(|members| members.iter().filter(|member| !member.is_empty()).count() > 1);
        Script {
            parts: self.parts,
            touched: once_each(self.touched),
            pipelines,
            not_understood: self.blame,
            torn: self.torn,
            code_in_document: self.code_in_document,
            cut: self.cut,
            refused: self.refused,
            patches: self.patches,
            raw: self.raw,
        }
    }

    /// Counts every word of a text that could not be split as a file that may be read and changed.
    fn torn_words(&mut self) {
        let bases = Rc::new(vec![Base::Own, Base::Unknown]);
        let words = RawWords::of(self.raw.clone());
        let words: IndexSet<&str, RandomState> = words.iter().collect();
        for word in words.iter().take(NAMES.saturating_sub(self.names)) {
            self.touched.push(Touched::new(Touch::Name, &Word::literal(word), &bases, true));
        }
    }

    fn rest(&mut self) {
        while let Some(PendingText { text, bases, depth, mode }) = self.left.pop() {
            self.bytes += text.len();
            if depth > self.limits.depth || self.bytes > TEXTS * self.limits.bytes {
                self.over(format!("nesting over {}", self.limits.depth));
                continue;
            }
            let mut scan = scan(&text, self.limits);
            self.text = text;
            if let Some(blame) = scan.blame.take() {
                self.blame(blame);
            }
            scan.scripts.iter().for_each(|tokens| self.variables.learn(tokens));
            scan.scripts.iter_mut().for_each(|tokens| self.variables.mark(tokens, self.exported));
            for (names, text) in std::mem::take(&mut scan.counted) {
                if !names.iter().all(|name| self.variables.is_number(name, self.exported)) {
                    self.blame(format!("`{text}`"));
                }
            }
            let fed = scan.scripts.iter().any(|tokens| redirections::feeds_all(tokens));
            let mode = RunMode { input: if fed { InputSource::Elsewhere } else { mode.input }, ..mode };
            self.scripts(&mut scan, bases, depth, mode);
            self.torn |= scan.torn;
            self.cut |= scan.cut;
            if let Some(blame) = scan.blame {
                self.blame(blame);
            }
        }
    }

    /// Counts work. Returns false if the limit is exceeded; the rest is then not read.
    fn count(&mut self, nodes: usize) -> bool {
        self.nodes = self.nodes.saturating_add(nodes);
        let within = self.nodes <= self.limits.words;
        if !within {
            self.over(format!("more than {} words", self.limits.words));
        }
        within
    }
}

/// Removes repeated paths, so that each is looked up once. A few are compared with each other, which costs less than
/// hashing them.
fn once_each(touched: Vec<Touched>) -> Vec<Touched> {
    const FEW: usize = 8;
    if touched.len() > FEW {
        return touched.into_iter().collect::<IndexSet<_, RandomState>>().into_iter().collect();
    }
    let mut found: Vec<Touched> = Vec::with_capacity(touched.len());
    for one in touched {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

fn own() -> Bases {
    Rc::new(vec![Base::Own])
}

/// Appends bases to a list.
fn with(bases: &Bases, more: impl IntoIterator<Item = Base>) -> Bases {
    let mut all = Vec::new();
    for base in more {
        if !bases.contains(&base) && !all.contains(&base) {
            all.push(base);
        }
    }
    if all.is_empty() {
        return Rc::clone(bases);
    }
    let mut all = [bases.as_slice(), &all].concat();
    if all.len() > 8 {
        all.truncate(7);
        all.push(Base::Unknown);
    }
    Rc::new(all)
}
