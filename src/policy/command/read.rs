//! From a text to its parts and to what it touches (B1-B3, B10).

use std::cell::OnceCell;
use std::rc::Rc;

use indexmap::IndexSet;

use super::builtins::set_by_read;
use super::devices::{is_number, is_stream};
use super::forms::{Form, form};
use super::operands::{Extent, Touch, operands};
use super::options::{long, short};
use super::shell::{Command, Redirect, RedirectKind, Scan, Token, commands, scan};
use super::touch::{Base, Move, Place as Where, Touched, moved};
use super::unwrap::{Inner, forbidden, inside};
use super::variables::Variables;
use super::words::{Expands, Span, Word};
use super::wrappers::At;
use super::{Analysis, Part, base_name, find, is_counted, is_forbidden, is_harmless, named, outputs, patch, written};
use crate::policy::settings::Limits;
use crate::policy::steps::{Spent, Steps};

/// Reads texts and lists of words, each of which may hold more of them.
#[expect(clippy::struct_excessive_bools, reason = "independent findings about one text")]
pub(super) struct Read<'l> {
    limits: &'l Limits,
    /// Whether a variable is in the environment.
    exported: &'l dyn Fn(&str) -> bool,
    /// What is read.
    raw: String,
    /// The text that is being read, which may stand in the whole.
    text: String,
    parts: Vec<Rc<Part>>,
    touched: Vec<Touched>,
    /// The parts of each member of each pipeline.
    pipelines: Vec<Vec<Vec<Rc<Part>>>>,
    blame: Option<String>,
    torn: bool,
    /// Why it is refused.
    refused: Option<String>,
    /// Whether a patch is applied.
    patches: bool,
    /// How many commands make links.
    links: usize,
    /// Whether a descriptor may be a file that is only read.
    mixed: bool,
    /// Where streams are written by their names.
    streams: Vec<Touched>,
    left: Vec<Left>,
    variables: Variables,
    /// How much was looked at: words, in all layers of all texts, and what they touch.
    nodes: usize,
    /// How many paths were taken for files that a program may change: a word may be one in each folder.
    names: usize,
    /// How many bytes of text were read: a text may stand in a text, and be read with it and in it.
    bytes: usize,
    /// Bounds what is not counted in words.
    steps: &'l Steps,
    cut: bool,
    /// Whether folders are also looked for in others; found out once.
    searches: OnceCell<bool>,
}

type Bases = Rc<Vec<Base>>;

/// How often as much text as a command may have is read, that of texts in it included.
const TEXTS: usize = 4;

/// How many paths the words of unknown programs may be. Each is looked up in the file system.
const NAMES: usize = 4096;

/// Holds a text that is still to be read.
struct Left {
    text: String,
    bases: Bases,
    depth: usize,
    how: How,
}

/// Says how a text comes to be run.
#[derive(Clone, Copy, Default)]
struct How {
    /// Perhaps not at all: for deny and ask alone.
    watch: bool,
    /// With more words behind it.
    adds: bool,
    /// With an input that comes from another command or from the text.
    fed: bool,
}

/// Holds where a command stands.
#[derive(Clone, Copy)]
struct Place<'p> {
    bases: &'p Bases,
    pipes: &'p [(usize, usize)],
    /// The first of the text's pipelines.
    from: usize,
    depth: usize,
    how: How,
}

impl<'l> Read<'l> {
    pub(super) fn new(limits: &'l Limits, exported: &'l dyn Fn(&str) -> bool, steps: &'l Steps) -> Self {
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
            // A word is told, never a whole command (O7).
            self.blame = Some(snaphook_adapters::fit::cut(&what.into(), 60));
        }
    }

    /// Blames a limit, behind which nothing is read.
    fn over(&mut self, what: impl Into<String>) {
        self.blame(what);
        self.torn = true;
        self.cut = true;
    }

    /// Spends steps; false: there are no more.
    fn spend(&mut self, steps: usize) -> bool {
        let within = self.steps.spend(steps);
        if !within {
            self.over("too large to analyse");
        }
        within
    }

    /// Everything in a text.
    pub(super) fn text(mut self, text: &str) -> Analysis {
        text.clone_into(&mut self.raw);
        self.left.push(Left { text: text.to_owned(), bases: own(), depth: 0, how: How::default() });
        self.rest();
        if self.parts.is_empty() && self.touched.is_empty() && text.trim().is_empty() {
            self.blame("no command");
        }
        self.done()
    }

    /// Everything in a list of words that no shell reads.
    pub(super) fn argv(mut self, words: &[String]) -> Analysis {
        let list: Vec<Word> = words.iter().map(|word| Word::literal(word)).collect();
        let own = own();
        let place = Place { bases: &own, pipes: &[], from: 0, depth: 0, how: How::default() };
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
        match written::run_by(&self.parts, &self.touched, self.steps) {
            Ok(word) => word.into_iter().for_each(|word| self.blame(word)),
            Err(Spent) => self.over("too large to analyse"),
        }
        // What opens such a stream writes the file.
        if self.mixed {
            self.touched.append(&mut self.streams);
        }
        // A link that the text makes itself is not there yet: any other path may lead through it.
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
            // A path that is named a thousand times is looked at once.
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
        while let Some(Left { text, bases, depth, how }) = self.left.pop() {
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
            let how = How { fed: how.fed || scan.scripts.iter().any(|tokens| feeds_all(tokens)), ..how };
            self.scripts(&mut scan, bases, depth, how);
            self.torn |= scan.torn;
            self.cut |= scan.cut;
            if let Some(blame) = scan.blame {
                self.blame(blame);
            }
        }
    }

    /// The scripts of a text: itself, and what its substitutions run, where they stand.
    fn scripts(&mut self, scan: &mut Scan, bases: Bases, depth: usize, how: How) {
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
            // Everywhere that a command may have gone to, as far as nobody knows whether it got there.
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
        left: &mut Vec<(usize, Bases, How)>,
        (from, depth, how): (usize, usize, How),
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
        let how = How { fed, ..how };
        for word in words.iter().chain(redirects.iter().map(|redirect| &redirect.target)) {
            for span in &word.spans {
                let written = word.value.get(span.start..).is_some_and(|rest| rest.starts_with(">("));
                let how = How { fed: fed || written, ..how };
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
        let place = Place { bases: &here, pipes: &command.pipes, from, depth, how };
        let mut assigned: Vec<Word> = words.iter().take_while(|word| word.assigned.is_some()).cloned().collect();
        words.drain(..assigned.len());
        // It holds while a line is read, and decides no more than how that is split.
        let reads = words.first().is_some_and(|word| word.is_bare() && word.value == "read");
        assigned.retain(|word| !(reads && word.value.starts_with("IFS=") && word.spans.is_empty()));
        // To zsh a brace that stands alone is one everywhere.
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
                let place = Where::of(&word);
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

    /// Blames a name that no loop and no `read` may set: one that shells read, or that programs are given.
    fn sets(&mut self, name: &str) {
        if is_forbidden(name) || is_counted(name) || (!is_harmless(name) && (self.exported)(name)) {
            self.blame(format!("`{name}`"));
        }
    }

    /// Whether a folder named alone may be one of another folder.
    fn searches(&self) -> bool {
        let named = || ["CDPATH", "cdpath"].iter().any(|name| self.raw.contains(name));
        *self.searches.get_or_init(|| named() || (self.exported)("CDPATH"))
    }

    fn redirect(&mut self, redirect: &Redirect, bases: &Bases, how: How) {
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

    /// A command, and the commands in it; whether one of those goes to another directory.
    fn layers(&mut self, words: Vec<Word>, assigned: &[Word], place: &Place<'_>) -> bool {
        let mut wanders = false;
        let outer = Inner { words, assigned: assigned.to_vec(), at: At::Here };
        let mut left = vec![(outer, Rc::clone(place.bases), Rc::new(Vec::new()))];
        while let Some((Inner { words, assigned, at }, bases, above)) = left.pop() {
            let bases = match at {
                At::Here => bases,
                At::Somewhere => Rc::new(bases.iter().map(Base::lost).collect()),
                At::Apart => Rc::new(vec![Base::Apart]),
            };
            let place = Place { bases: &bases, ..*place };
            if !self.count(words.len() + assigned.len() + 1) {
                return true;
            }
            if words.is_empty() {
                continue;
            }
            let inside = inside(&words);
            let own_words = named::own_words(&words, &inside);
            let inner_fed = inside.commands.is_empty() && inside.texts.is_empty();
            let opaque = match form(&words, place.how.fed && inner_fed) {
                Form::Plain => None,
                Form::Opaque(word) => Some(word),
                Form::Not(word) => {
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
                self.left.push(Left { text, bases, depth, how: place.how });
            }
            let how = How { watch: true, adds: inside.values.len() > 1, fed: place.how.fed };
            for text in inside.values {
                let (bases, depth) = (Rc::clone(place.bases), place.depth + 1);
                self.left.push(Left { text, bases, depth, how });
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
        place: &Place<'_>,
        watch_only: bool,
        opaque: Option<String>,
        (found, own_words): (&[Word], usize),
    ) {
        if words.iter().skip(1).any(is_found) && !found.is_empty() {
            for one in found {
                // Every place that `find` starts from is a command of its own.
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

    /// Counts what is looked at; false: it is more than the limit, and the rest is not.
    fn count(&mut self, nodes: usize) -> bool {
        self.nodes = self.nodes.saturating_add(nodes);
        let within = self.nodes <= self.limits.nodes;
        if !within {
            self.over(format!("more than {} words", self.limits.nodes));
        }
        within
    }

    /// Takes a path, which costs what it takes to look it up from each of its bases.
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

    /// Takes what a command touches. Its first `own_words` words are not those of a command that it runs.
    fn touch(&mut self, words: &[Word], own_words: usize, place: &Place<'_>) {
        // Files may be named by each word with each other.
        let longest = words.iter().map(|word| word.value.len()).max().unwrap_or_default();
        if !self.spend(words.len() * longest / 16) {
            return;
        }
        if words.first().is_some_and(|program| patch::is_named(&program.value)) {
            self.patch(words, place);
        }
        let links = makes_link(words);
        self.links += usize::from(links);
        let built = outputs::builds(words);
        let done = operands(words);
        for word in named::named(words.get(..own_words).unwrap_or(words), &done) {
            self.names += place.bases.len();
            if self.names > NAMES {
                self.over(format!("more than {NAMES} paths that words may be"));
                break;
            }
            if !is_process(&word) {
                self.touched.push(Touched::new(Touch::Name, &word, place.bases, true));
            }
        }
        for (touch, word, extent) in done.into_iter().chain(named::below(words)) {
            let touched = Touched::new(touch, &word, place.bases, true);
            self.add(&word, Touched { extent, links, built, ..touched });
        }
    }
}

impl Read<'_> {
    /// What a patch changes, in an argument and in the text that the command stands in. One that is not there
    /// is like that of `patch`.
    fn patch(&mut self, words: &[Word], place: &Place<'_>) {
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

/// One list of bases with more of them.
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

/// Whether a command of the text goes to another directory, in whatever wrapper.
fn goes(command: &Command, tokens: &[Token]) -> bool {
    let word = |at: &usize| match tokens.get(*at) {
        Some(Token::Word(word)) => is_cd(&word.value),
        _ => false,
    };
    !command.loose && command.items.iter().any(word)
}

/// The `{}` that `find` puts a path for.
fn is_found(word: &Word) -> bool {
    word.value == "{}" && word.spans.iter().any(|span| span.what == Expands::Found)
}

/// Whether a command that is in a text gives all behind it their input.
fn feeds_all(tokens: &[Token]) -> bool {
    tokens.split(|token| matches!(token, Token::Op(_))).any(|tokens| {
        let exec = |token: &Token| matches!(token, Token::Word(word) if word.value == "exec");
        let feeds = |token: &Token| matches!(token, Token::Redirect(redirect) if redirect.kind.feeds());
        tokens.iter().any(exec) && tokens.iter().any(feeds)
    })
}

/// Whether a word is what another command reads or writes, and no file.
fn is_process(word: &Word) -> bool {
    let whole = |span: &Span| span.start == 0 && span.end == word.value.len() && !span.quoted;
    word.value.starts_with(['<', '>']) && word.spans.iter().any(whole)
}

/// Whether what is written through a path afterwards may be another file.
fn makes_link(words: &[Word]) -> bool {
    let Some((program, words)) = words.split_first() else { return false };
    match base_name(&program.value) {
        "ln" | "link" => true,
        "cp" => words.iter().any(|word| short(&word.value, "sl") || long(&word.value, &["symbolic-link", "link"])),
        _ => false,
    }
}

/// Whether a `cd` to this looks in the folders of `CDPATH` first.
fn is_searched(word: &Word) -> bool {
    let known = word.spans.first().is_some_and(|span| span.start == 0);
    let first = word.value.split('/').next().unwrap_or_default();
    !(word.tilde || known || matches!(first, "" | "." | ".."))
}

fn own() -> Bases {
    Rc::new(vec![Base::Own])
}

/// The text that a command of the shell itself runs, for deny and ask: the command is not understood.
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
