//! From a text to its parts and to what it touches (B1-B3, B10).

use std::rc::Rc;

use super::forms::{Form, form};
use super::operands::{Touch, operands, starts};
use super::shell::{Command, Redirect, RedirectKind, Scan, Token, commands, scan};
use super::touch::{Base, Move, Touched, moved};
use super::unwrap::{Inner, forbidden, inside};
use super::words::Word;
use super::written;
use super::{Analysis, Part, base_name, is_counted, is_forbidden};
use crate::policy::settings::Limits;

/// Reads texts and lists of words, each of which may hold more of them.
pub(super) struct Read<'l> {
    limits: &'l Limits,
    parts: Vec<Rc<Part>>,
    touched: Vec<Touched>,
    /// The parts of each member of each pipeline.
    pipelines: Vec<Vec<Vec<Rc<Part>>>>,
    blame: Option<String>,
    left: Vec<(String, Bases, usize)>,
    /// How many words were looked at, in all layers of all texts.
    words: usize,
    /// How many bytes of text were read: a text may stand in a text, and be read with it and in it.
    bytes: usize,
}

type Bases = Rc<Vec<Base>>;

/// How often as much text as a command may have is read, that of texts in it included.
const TEXTS: usize = 4;

/// Holds where a command stands.
struct Place<'p> {
    bases: &'p Bases,
    pipes: &'p [(usize, usize)],
    /// The first of the text's pipelines.
    from: usize,
    /// Whether its input is a pipe, a here-document or a here-string.
    fed: bool,
    depth: usize,
}

impl<'l> Read<'l> {
    pub(super) fn new(limits: &'l Limits) -> Self {
        Self {
            limits,
            parts: Vec::new(),
            touched: Vec::new(),
            pipelines: Vec::new(),
            blame: None,
            left: Vec::new(),
            words: 0,
            bytes: 0,
        }
    }

    pub(super) fn blame(&mut self, what: impl Into<String>) {
        if self.blame.is_none() {
            // A word is told, never a whole command (O7).
            self.blame = Some(snaphook_adapters::fit::cut(&what.into(), 60));
        }
    }

    /// Everything in a text.
    pub(super) fn text(mut self, text: &str) -> Analysis {
        self.left.push((text.to_owned(), own(), 0));
        self.rest();
        if self.parts.is_empty() && self.touched.is_empty() && text.trim().is_empty() {
            self.blame("no command");
        }
        self.done(text.to_owned())
    }

    /// Everything in a list of words that no shell reads.
    pub(super) fn argv(mut self, words: &[String]) -> Analysis {
        let list: Vec<Word> = words.iter().map(|word| Word::literal(word)).collect();
        let own = own();
        let place = Place { bases: &own, pipes: &[], from: 0, fed: false, depth: 0 };
        if list.is_empty() {
            self.blame("no command");
        }
        self.layers(list, &[], &place);
        self.rest();
        self.done(words.join(" "))
    }

    fn done(mut self, raw: String) -> Analysis {
        if let Some(word) = written::run_by(&self.parts, &self.touched) {
            self.blame(word);
        }
        let mut pipelines = self.pipelines;
        pipelines.retain(|members| members.iter().filter(|member| !member.is_empty()).count() > 1);
        Analysis { parts: self.parts, touched: self.touched, pipelines, not_understood: self.blame, raw }
    }

    fn rest(&mut self) {
        while let Some((text, bases, depth)) = self.left.pop() {
            self.bytes += text.len();
            if depth > self.limits.depth || self.bytes > TEXTS * self.limits.command {
                self.blame(format!("nesting over {}", self.limits.depth));
                continue;
            }
            let mut scan = scan(&text, self.limits);
            if let Some(blame) = scan.blame.take() {
                self.blame(blame);
            }
            self.scripts(&mut scan, bases, depth);
            if let Some(blame) = scan.blame {
                self.blame(blame);
            }
        }
    }

    /// The scripts of a text: itself, and what its substitutions run, where they stand.
    fn scripts(&mut self, scan: &mut Scan, bases: Bases, depth: usize) {
        let mut left = vec![(0, bases)];
        let mut pipes = 0;
        let from = self.pipelines.len();
        while let Some((id, mut bases)) = left.pop() {
            let list = commands(id, scan, &mut pipes, self.limits);
            self.pipelines.resize_with(from + pipes, Vec::new);
            let tokens = scan.scripts.get_mut(id).map(std::mem::take).unwrap_or_default();
            for command in list {
                self.command(&command, &tokens, &mut bases, &mut left, (from, depth));
            }
        }
    }

    fn command(
        &mut self,
        command: &Command,
        tokens: &[Token],
        bases: &mut Bases,
        left: &mut Vec<(usize, Bases)>,
        (from, depth): (usize, usize),
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
        let runs = words.iter().chain(redirects.iter().map(|redirect| &redirect.target));
        let scripts = runs.flat_map(|word| &word.spans).filter_map(|span| span.script);
        let bodies = redirects.iter().filter_map(|redirect| redirect.script);
        left.extend(scripts.chain(bodies).map(|id| (id, Rc::clone(bases))));
        let mut fed = command.pipes.iter().any(|(_, at)| *at > 0);
        for redirect in redirects {
            fed |= matches!(
                redirect.kind,
                RedirectKind::HereDoc { .. } | RedirectKind::HereString | RedirectKind::Read | RedirectKind::Both
            );
            self.redirect(redirect, bases);
        }
        if command.loose {
            if let Some(word) = words.iter().find(|word| word.is_bare() && is_set_aside(&word.value)) {
                self.blame(format!("`{}`", word.value));
            }
            return;
        }
        let here = Rc::clone(bases);
        let place = Place { bases: &here, pipes: &command.pipes, from, fed, depth };
        let assigned: Vec<Word> = words.iter().take_while(|word| word.assigned.is_some()).cloned().collect();
        words.drain(..assigned.len());
        // To zsh a brace that stands alone is one everywhere.
        if let Some(word) = words.iter().skip(1).find(|word| word.is_bare() && matches!(word.value.as_str(), "{" | "}"))
        {
            self.blame(format!("`{}`", word.value));
        }
        let moves = moved(&words);
        if let Some(word) = assigned.iter().find_map(forbidden) {
            self.blame(word);
        }
        if !words.is_empty() {
            self.layers(words, &assigned, &place);
        } else if !assigned.is_empty() {
            self.part(Vec::new(), &assigned, &place, false, None);
        }
        let new: Vec<Base> = match moves {
            Move::Stay => return,
            Move::To(word) => here.iter().map(|base| base.then(&word)).collect(),
            Move::Somewhere => vec![Base::Unknown],
        };
        let mut all: Vec<Base> = if command.sure { Vec::new() } else { here.to_vec() };
        all.extend(new);
        all.dedup();
        *bases = Rc::new(if all.len() > 8 { vec![Base::Unknown] } else { all });
    }

    fn redirect(&mut self, redirect: &Redirect, bases: &Bases) {
        let word = &redirect.target;
        let touches: &[Touch] = match redirect.kind {
            RedirectKind::Read => &[Touch::Read],
            RedirectKind::Write | RedirectKind::All => &[Touch::Write],
            RedirectKind::Both => &[Touch::Read, Touch::Write],
            RedirectKind::Copy { out } => {
                let value = word.value.strip_suffix('-').unwrap_or(&word.value);
                if word.spans.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
                    return;
                }
                if !out {
                    self.blame(format!("`<&{}`", word.value));
                }
                &[Touch::Write]
            }
            RedirectKind::HereDoc { .. } | RedirectKind::HereString => return,
        };
        if is_device(word) {
            return;
        }
        for touch in touches {
            self.touched.push(Touched::new(*touch, word, bases, false));
        }
    }

    /// A command, and the commands in it.
    fn layers(&mut self, words: Vec<Word>, assigned: &[Word], place: &Place<'_>) {
        let mut left = vec![Inner { words, assigned: assigned.to_vec() }];
        while let Some(Inner { words, assigned }) = left.pop() {
            self.words += words.len() + assigned.len() + 1;
            if self.words > self.limits.nodes {
                self.blame(format!("more than {} words", self.limits.nodes));
                return;
            }
            if words.is_empty() {
                continue;
            }
            let inside = inside(&words);
            let inner_fed = inside.commands.is_empty() && inside.texts.is_empty();
            let opaque = match form(&words, place.fed && inner_fed) {
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
            for text in inside.texts.into_iter().chain(said(&words)) {
                self.left.push((text, Rc::clone(place.bases), place.depth + 1));
            }
            let finds = words.first().is_some_and(|word| base_name(&word.value) == "find");
            let roots = if finds { starts(words.get(1..).unwrap_or_default()) } else { Vec::new() };
            let transparent = inside.transparent && !inside.commands.is_empty();
            self.part(words, &assigned, place, transparent, opaque);
            for words in inside.watched {
                self.part(words, &assigned, place, true, None);
            }
            for mut inner in inside.commands {
                for root in &roots {
                    if inner.words.iter().skip(1).any(|word| word.value == "{}") {
                        let mut words = inner.words.clone();
                        for word in words.iter_mut().filter(|word| word.value == "{}") {
                            *word = root.clone();
                        }
                        self.touch(&words, place);
                    }
                }
                inner.assigned.splice(0..0, assigned.iter().cloned());
                left.push(inner);
            }
        }
    }

    fn part(
        &mut self,
        words: Vec<Word>,
        assigned: &[Word],
        place: &Place<'_>,
        watch_only: bool,
        opaque: Option<String>,
    ) {
        self.touch(&words, place);
        let part = Rc::new(Part::new(words, assigned, watch_only, opaque));
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

    fn touch(&mut self, words: &[Word], place: &Place<'_>) {
        for (touch, word) in operands(words) {
            if !is_device(&word) {
                self.touched.push(Touched::new(touch, &word, place.bases, true));
            }
        }
    }
}

/// Names that no loop may set.
fn is_set_aside(name: &str) -> bool {
    is_forbidden(name) || is_counted(name)
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

/// Files that nothing is kept in.
fn is_device(word: &Word) -> bool {
    let value = word.value.as_str();
    word.spans.is_empty()
        && (matches!(value, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr")
            || value.strip_prefix("/dev/fd/").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())))
}
