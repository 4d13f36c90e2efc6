//! Parses a command text into its simple commands and the files that it touches (B1-B3, B10).

use std::cell::OnceCell;
use std::rc::Rc;

use indexmap::IndexSet;

use super::builtins::set_by_read;
use super::devices::{is_number, is_stream};
use super::inline_code::{InlineCode, form};
use super::operands::{Extent, Touch, operands};
use super::options::{long, short};
use super::shell::{Command, Redirect, RedirectKind, Token, TokenScan, commands, scan};
use super::touched_paths::{Base, CommandPath, Move, Touched, moved};
use super::unwrap::{Inner, forbidden, inside};
use super::variables::Variables;
use super::words::{Expands, Span, Word};
use super::wrappers::At;
use super::{
    Analysis, Part, base_name, find, is_counted, is_forbidden, is_harmless, output_files, patch, path_words,
    write_then_run,
};
use crate::policy::budget::{Budget, BudgetSpent};
use crate::policy::settings::PolicyLimits;

/// Analyses texts and argument lists, which may contain further commands.
#[expect(clippy::struct_excessive_bools, reason = "independent findings about one text")]
pub(super) struct Read<'l> {
    limits: &'l PolicyLimits,
    /// Whether a variable is in the environment.
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
    /// The reason why the command is refused.
    refused: Option<String>,
    /// True if a patch is applied.
    patches: bool,
    /// The number of commands that create links.
    links: usize,
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
    how: RunMode,
}

/// The way in which a text is run.
#[derive(Clone, Copy, Default)]
struct RunMode {
    /// It may not be run at all: for deny and ask rules only.
    watch: bool,
    /// Further words are appended to it.
    adds: bool,
    /// Its input comes from another command or from the text.
    fed: bool,
}

/// The position of a command.
#[derive(Clone, Copy)]
struct CommandPosition<'p> {
    bases: &'p Bases,
    pipes: &'p [(usize, usize)],
    /// The first pipeline of the text.
    from: usize,
    depth: usize,
    how: RunMode,
}

impl<'l> Read<'l> {
    pub(super) fn new(limits: &'l PolicyLimits, exported: &'l dyn Fn(&str) -> bool, steps: &'l Budget) -> Self {
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
            refused: None,
            patches: false,
            links: 0,
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
            // A message quotes one word and never a whole command (O7).
            self.blame = Some(snaphook_adapters::fit::cut(&what.into(), 60));
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
    pub(super) fn text(mut self, text: &str) -> Analysis {
        text.clone_into(&mut self.raw);
        self.left.push(PendingText { text: text.to_owned(), bases: own(), depth: 0, how: RunMode::default() });
        self.rest();
        if self.parts.is_empty() && self.touched.is_empty() && text.trim().is_empty() {
            self.blame("no command");
        }
        self.done()
    }

    /// Analyses an argument list that no shell parses.
    pub(super) fn argv(mut self, words: &[String]) -> Analysis {
        let list: Vec<Word> = words.iter().map(|word| Word::literal(word)).collect();
        let own = own();
        let place = CommandPosition { bases: &own, pipes: &[], from: 0, depth: 0, how: RunMode::default() };
        if list.is_empty() {
            self.blame("no command");
        }
        self.variables.words(&list.iter().collect::<Vec<_>>());
        self.layers(list, &[], &place);
        self.rest();
        self.raw = words.join(" ");
        self.done()
    }

    fn done(mut self) -> Analysis {
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
            touched.place.odd |= self.links > usize::from(touched.links);
        }
        if !self.patches && self.blame.is_some() {
            match patch::torn(&self.raw) {
                Ok(touched) => self.touched.extend(touched),
                Err(why) => self.refused = Some(why),
            }
        }
        let mut pipelines = self.pipelines;
        pipelines.retain(|members| members.iter().filter(|member| !member.is_empty()).count() > 1);
        Analysis {
            parts: self.parts,
            // A path that is named many times is looked up once.
            touched: self.touched.into_iter().collect::<IndexSet<_>>().into_iter().collect(),
            pipelines,
            not_understood: self.blame,
            torn: self.torn,
            cut: self.cut,
            refused: self.refused,
            patches: self.patches,
            raw: self.raw,
        }
    }

    fn rest(&mut self) {
        while let Some(PendingText { text, bases, depth, how }) = self.left.pop() {
            self.bytes += text.len();
            if depth > self.limits.depth || self.bytes > TEXTS * self.limits.command {
                self.over(format!("nesting over {}", self.limits.depth));
                continue;
            }
            let mut scan = scan(&text, self.limits);
            self.text = text;
            if let Some(blame) = scan.blame.take() {
                self.blame(blame);
            }
            scan.scripts.iter().for_each(|tokens| self.variables.learn(tokens));
            scan.scripts.iter_mut().for_each(|tokens| self.variables.mark(tokens));
            let how = RunMode { fed: how.fed || scan.scripts.iter().any(|tokens| feeds_all(tokens)), ..how };
            self.scripts(&mut scan, bases, depth, how);
            self.torn |= scan.torn;
            self.cut |= scan.cut;
            if let Some(blame) = scan.blame {
                self.blame(blame);
            }
        }
    }

    /// Reads the scripts of a text: the text itself and its substitutions, in order.
    fn scripts(&mut self, scan: &mut TokenScan, bases: Bases, depth: usize, how: RunMode) {
        let mut left = vec![(0, bases, how)];
        let mut pipes = 0;
        let from = self.pipelines.len();
        while let Some((id, mut bases, how)) = left.pop() {
            let list = commands(id, scan, &mut pipes, self.limits);
            self.pipelines.resize_with(from + pipes, Vec::new);
            let tokens = scan.scripts.get_mut(id).map(std::mem::take).unwrap_or_default();
            if list.iter().any(|command| command.repeats && goes(command, &tokens)) {
                bases = with(&bases, [Base::Unknown]);
            }
            // Every folder in which the commands may run, including the result of a `cd` that may have failed.
            let mut all = Rc::clone(&bases);
            for command in list {
                if !command.after {
                    bases = Rc::clone(&all);
                }
                self.command(&command, &tokens, &mut bases, &mut left, (from, depth, how));
                if !Rc::ptr_eq(&all, &bases) {
                    all = with(&all, bases.iter().cloned());
                }
            }
        }
    }

    fn command(
        &mut self,
        command: &Command,
        tokens: &[Token],
        bases: &mut Bases,
        left: &mut Vec<(usize, Bases, RunMode)>,
        (from, depth, how): (usize, usize, RunMode),
    ) {
        let mut words: Vec<Word> = Vec::new();
        let mut redirects: Vec<&Redirect> = Vec::new();
        let mut ended = false;
        for item in &command.items {
            match tokens.get(*item) {
                Some(Token::Word(word)) => {
                    if ended {
                        self.blame("`&>`");
                    }
                    words.push(word.clone());
                }
                Some(Token::Redirect(redirect)) => {
                    ended |= redirect.kind == RedirectKind::All;
                    redirects.push(redirect);
                }
                _ => {}
            }
        }
        let pipe = command.pipes.iter().any(|(_, at)| *at > 0);
        let fed = how.fed || pipe || redirects.iter().any(|redirect| redirect.kind.feeds());
        let how = RunMode { fed, ..how };
        for word in words.iter().chain(redirects.iter().map(|redirect| &redirect.target)) {
            for span in &word.spans {
                let written = word.value.get(span.start..).is_some_and(|rest| rest.starts_with(">("));
                let how = RunMode { fed: fed || written, ..how };
                left.extend(span.script.map(|id| (id, Rc::clone(bases), how)));
            }
        }
        left.extend(redirects.iter().filter_map(|redirect| Some((redirect.script?, Rc::clone(bases), how))));
        for redirect in redirects {
            self.redirect(redirect, bases, how);
        }
        if command.loose {
            if let Some(name) = words.first().filter(|_| command.sets) {
                self.sets(&name.value);
            }
            return;
        }
        let here = Rc::clone(bases);
        let place = CommandPosition { bases: &here, pipes: &command.pipes, from, depth, how };
        let mut assigned: Vec<Word> = words.iter().take_while(|word| word.assigned.is_some()).cloned().collect();
        words.drain(..assigned.len());
        // The assignment holds only while a line is read, and affects only how it is split.
        let reads = words.first().is_some_and(|word| word.is_bare() && word.value == "read");
        assigned.retain(|word| !(reads && word.value.starts_with("IFS=") && word.spans.is_empty()));
        // zsh expands a brace that stands alone in any position.
        if let Some(word) = words.iter().skip(1).find(|word| word.is_bare() && matches!(word.value.as_str(), "{" | "}"))
        {
            self.blame(format!("`{}`", word.value));
        }
        let moves = moved(&words);
        if let Some(word) = assigned.iter().find_map(forbidden) {
            self.blame(word);
        }
        if how.adds && !words.is_empty() {
            words.push(Word::unseen());
        }
        let mut wanders = false;
        if !words.is_empty() {
            wanders = self.layers(words, &assigned, &place);
        } else if !assigned.is_empty() {
            self.part(Vec::new(), &assigned, &place, false, None, (&[], 0));
        }
        let new: Vec<Base> = match moves {
            Move::Stay if wanders => vec![Base::Unknown],
            Move::Stay => return,
            Move::To(word) => {
                let place = CommandPath::of(&word);
                let mut new: Vec<Base> = here.iter().map(|base| base.then(&place)).collect();
                if is_searched(&word) && self.searches() {
                    new.push(Base::Unknown);
                }
                new
            }
            Move::Somewhere => vec![Base::Unknown],
        };
        *bases = if command.sure && !wanders { Rc::new(new) } else { with(&here, new) };
    }

    /// Records a variable that a loop or `read` must not set, because shells or programs read it.
    fn sets(&mut self, name: &str) {
        if is_forbidden(name) || is_counted(name) || (!is_harmless(name) && (self.exported)(name)) {
            self.blame(format!("`{name}`"));
        }
    }

    /// Returns true if `CDPATH` is set, so that a `cd` to a plain name may lead to another folder.
    fn searches(&self) -> bool {
        let named = || ["CDPATH", "cdpath"].iter().any(|name| self.raw.contains(name));
        *self.searches.get_or_init(|| named() || (self.exported)("CDPATH"))
    }

    fn redirect(&mut self, redirect: &Redirect, bases: &Bases, how: RunMode) {
        let word = &redirect.target;
        let touches: &[Touch] = match redirect.kind {
            RedirectKind::Read { numbered } => {
                self.mixed |= numbered;
                &[Touch::Read]
            }
            RedirectKind::Write | RedirectKind::All => &[Touch::Write],
            RedirectKind::Both => &[Touch::Read, Touch::Write],
            RedirectKind::Copy { out } => {
                let value = word.value.strip_suffix('-').unwrap_or(&word.value);
                if word.spans.is_empty() && (value.is_empty() || is_number(value)) {
                    self.mixed |= !(value.is_empty() || (out && matches!(value, "1" | "2")));
                    return;
                }
                if !out {
                    self.blame(format!("`<&{}`", word.value));
                }
                &[Touch::Write]
            }
            RedirectKind::HereDoc { .. } | RedirectKind::HereString => return,
        };
        for touch in touches {
            self.add(word, Touched::new(*touch, word, bases, how.watch));
        }
    }

    /// Reads a command and the commands inside it. Returns true if one of those changes the directory.
    fn layers(&mut self, words: Vec<Word>, assigned: &[Word], place: &CommandPosition<'_>) -> bool {
        let mut wanders = false;
        let outer = Inner { words, assigned: assigned.to_vec(), at: At::Here };
        let mut left = vec![(outer, Rc::clone(place.bases), Rc::new(Vec::new()))];
        while let Some((Inner { words, assigned, at }, bases, above)) = left.pop() {
            let bases = match at {
                At::Here => bases,
                At::Somewhere => Rc::new(bases.iter().map(Base::lost).collect()),
                At::Apart => Rc::new(vec![Base::Apart]),
            };
            let place = CommandPosition { bases: &bases, ..*place };
            if !self.count(words.len() + assigned.len() + 1) {
                return true;
            }
            if words.is_empty() {
                continue;
            }
            let inside = inside(&words);
            let own_words = path_words::own_words(&words, &inside);
            let inner_fed = inside.commands.is_empty() && inside.texts.is_empty();
            let opaque = match form(&words, place.how.fed && inner_fed) {
                InlineCode::Plain => None,
                InlineCode::Opaque(word) => Some(word),
                InlineCode::Not(word) => {
                    self.blame(word);
                    None
                }
            };
            if let Some(word) = inside.blame {
                self.blame(word);
            }
            if let Some(word) = inside.commands.iter().flat_map(|inner| &inner.assigned).find_map(forbidden) {
                self.blame(word);
            }
            if words.first().is_some_and(|word| matches!(word.value.as_str(), "read" | "getln")) {
                for word in words.iter().skip(1) {
                    self.sets(set_by_read(&word.value));
                }
            }
            for text in inside.texts.into_iter().chain(said(&words)) {
                let (bases, depth) = (Rc::clone(place.bases), place.depth + 1);
                self.left.push(PendingText { text, bases, depth, how: place.how });
            }
            let how = RunMode { watch: true, adds: inside.values.len() > 1, fed: place.how.fed };
            for text in inside.values {
                let (bases, depth) = (Rc::clone(place.bases), place.depth + 1);
                self.left.push(PendingText { text, bases, depth, how });
            }
            let finds = words.first().is_some_and(|word| base_name(&word.value) == "find");
            let roots = if finds && !inside.commands.is_empty() {
                Rc::new(find::read(words.get(1..).unwrap_or_default()).found())
            } else {
                above
            };
            let transparent = inside.transparent && !inside.commands.is_empty();
            self.part(words, &assigned, &place, transparent, opaque, (&roots, own_words));
            for words in inside.watched {
                let all = words.len();
                self.part(words, &assigned, &place, true, None, (&roots, all));
            }
            for mut inner in inside.commands {
                wanders |= !finds && inner.words.first().is_some_and(|word| is_cd(&word.value));
                inner.assigned.splice(0..0, assigned.iter().cloned());
                left.push((inner, Rc::clone(&bases), Rc::clone(&roots)));
            }
        }
        wanders
    }

    fn part(
        &mut self,
        words: Vec<Word>,
        assigned: &[Word],
        place: &CommandPosition<'_>,
        watch_only: bool,
        opaque: Option<String>,
        (found, own_words): (&[Word], usize),
    ) {
        if words.iter().skip(1).any(is_found) && !found.is_empty() {
            for one in found {
                // Each start point of `find` counts as a separate command.
                if !self.count(words.len()) {
                    break;
                }
                let put = |word: &Word| if is_found(word) { one.clone() } else { word.clone() };
                self.touch(&words.iter().map(put).collect::<Vec<_>>(), own_words, place);
            }
        } else {
            self.touch(&words, own_words, place);
        }
        let length: usize = words.iter().map(|word| word.value.len()).sum();
        if !self.spend(length / 32) {
            return;
        }
        let part = Rc::new(Part::new(words, assigned, watch_only || place.how.watch, opaque));
        for (id, at) in place.pipes {
            if let Some(members) = self.pipelines.get_mut(place.from + id) {
                if members.len() <= *at {
                    members.resize_with(at + 1, Vec::new);
                }
                if let Some(member) = members.get_mut(*at) {
                    member.push(Rc::clone(&part));
                }
            }
        }
        self.parts.push(part);
    }

    /// Counts work. Returns false if the limit is exceeded; the rest is then not read.
    fn count(&mut self, nodes: usize) -> bool {
        self.nodes = self.nodes.saturating_add(nodes);
        let within = self.nodes <= self.limits.nodes;
        if !within {
            self.over(format!("more than {} words", self.limits.nodes));
        }
        within
    }

    /// Adds a path. The cost covers its lookup from each of its bases.
    fn add(&mut self, word: &Word, mut touched: Touched) {
        if is_process(word) {
            return;
        }
        let stream = is_stream(word, touched.touch);
        if stream && (touched.touch == Touch::Read || word.value == "/dev/null") {
            return;
        }
        let steps = |base: &Base| {
            let before = if let Base::Dir(place) = base { place.path.len() } else { 0 };
            1 + (before + touched.shown.len()) / 16
        };
        if self.count(touched.bases.iter().map(steps).sum()) {
            touched.place.odd |= stream;
            if stream { self.streams.push(touched) } else { self.touched.push(touched) }
        }
    }

    /// Adds the effects of a command. Words from `own_words` on belong to a command that it runs.
    fn touch(&mut self, words: &[Word], own_words: usize, place: &CommandPosition<'_>) {
        // Every combination of two words may name a file.
        let longest = words.iter().map(|word| word.value.len()).max().unwrap_or_default();
        if !self.spend(words.len() * longest / 16) {
            return;
        }
        if words.first().is_some_and(|program| patch::is_named(&program.value)) {
            self.patch(words, place);
        }
        let links = makes_link(words);
        self.links += usize::from(links);
        let built = output_files::builds(words);
        let done = operands(words);
        for (touch, word) in path_words::named(words.get(..own_words).unwrap_or(words), &done) {
            self.names += place.bases.len();
            if self.names > NAMES {
                self.over(format!("more than {NAMES} possible paths"));
                break;
            }
            if !is_process(&word) {
                self.touched.push(Touched::new(touch, &word, place.bases, true));
            }
        }
        for (touch, word, extent) in done.into_iter().chain(path_words::below(words)) {
            let touched = Touched::new(touch, &word, place.bases, true);
            self.add(&word, Touched { extent, links, built, ..touched });
        }
    }
}

impl Read<'_> {
    /// Adds the files changed by a patch, in an argument or in the text around the command. If there is no
    /// patch, the command is treated like `patch`.
    fn patch(&mut self, words: &[Word], place: &CommandPosition<'_>) {
        let Some((program, words)) = words.split_first() else { return };
        // The text is searched once for each such command.
        if !self.count(self.text.len() / 256) {
            return;
        }
        let applies = patch::applies(base_name(&program.value));
        let mut refused = None;
        let mut found = Vec::new();
        let mut take = |files: Result<Vec<_>, String>| match files {
            Ok(files) => found.extend(files),
            Err(why) => refused = Some(why),
        };
        words.iter().filter(|word| !word.is_dynamic()).for_each(|word| take(patch::files(&word.value)));
        if words.iter().any(Word::is_dynamic) && patch::begins(&self.text) {
            refused = Some("the patch has expansions; quote it".to_owned());
        } else if found.is_empty() {
            match patch::files_of_script(&self.text) {
                Ok(files) => found = files,
                Err(why) => refused = Some(why),
            }
        }
        self.patches |= applies || !found.is_empty();
        let mut bases = Rc::clone(place.bases);
        match patch::base(&self.text) {
            _ if found.is_empty() && applies => {
                let here = Word::literal(".");
                let touched = Touched::new(Touch::Write, &here, place.bases, true);
                self.add(&here, Touched { extent: Extent::Below, ..touched });
            }
            _ if found.is_empty() => {}
            Ok(base) => bases = with(&bases, [base]),
            Err(why) => refused = Some(why),
        }
        self.refused = self.refused.take().or(refused);
        for touched in patch::touched(&found, &bases, place.how.watch) {
            self.add(&Word::literal(&touched.shown.clone()), touched);
        }
    }
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

fn is_cd(program: &str) -> bool {
    matches!(program, "cd" | "chdir")
}

/// Returns true if a command of the text changes the directory, in any wrapper.
fn goes(command: &Command, tokens: &[Token]) -> bool {
    let word = |at: &usize| match tokens.get(*at) {
        Some(Token::Word(word)) => is_cd(&word.value),
        _ => false,
    };
    !command.loose && command.items.iter().any(word)
}

/// Returns true for the `{}` that `find` replaces by a path.
fn is_found(word: &Word) -> bool {
    word.value == "{}" && word.spans.iter().any(|span| span.what == Expands::Found)
}

/// Returns true if a redirection of this text replaces the input of all later commands.
fn feeds_all(tokens: &[Token]) -> bool {
    tokens.split(|token| matches!(token, Token::Op(_))).any(|tokens| {
        let exec = |token: &Token| matches!(token, Token::Word(word) if word.value == "exec");
        let feeds = |token: &Token| matches!(token, Token::Redirect(redirect) if redirect.kind.feeds());
        tokens.iter().any(exec) && tokens.iter().any(feeds)
    })
}

/// Returns true if a word is a process substitution and not a file.
fn is_process(word: &Word) -> bool {
    let whole = |span: &Span| span.start == 0 && span.end == word.value.len() && !span.quoted;
    word.value.starts_with(['<', '>']) && word.spans.iter().any(whole)
}

/// Returns true if a command creates a link, so that a later write to its path may change another file.
fn makes_link(words: &[Word]) -> bool {
    let Some((program, words)) = words.split_first() else { return false };
    match base_name(&program.value) {
        "ln" | "link" => true,
        "cp" => words.iter().any(|word| short(&word.value, "sl") || long(&word.value, &["symbolic-link", "link"])),
        _ => false,
    }
}

/// Returns true if `cd` to this word searches the folders of `CDPATH` first.
fn is_searched(word: &Word) -> bool {
    let known = word.spans.first().is_some_and(|span| span.start == 0);
    let first = word.value.split('/').next().unwrap_or_default();
    !(word.tilde || known || matches!(first, "" | "." | ".."))
}

fn own() -> Bases {
    Rc::new(vec![Base::Own])
}

/// The text that a shell builtin runs, for deny and ask rules; the command counts as not understood.
fn said(words: &[Word]) -> Option<String> {
    let program = words.first()?;
    match program.value.as_str() {
        "eval" => {
            let words: Vec<_> = words.iter().skip(1).map(|word| word.value.as_str()).collect();
            Some(words.join(" "))
        }
        "trap" => words.get(1).map(|word| word.value.clone()),
        _ => None,
    }
}
