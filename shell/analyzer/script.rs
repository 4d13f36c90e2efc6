//! Reads the commands of a script in order, with the folders in which they may run and their redirections.

use std::rc::Rc;

use super::super::assignments::{forbidden, is_counted, is_encoding, is_forbidden, is_harmless};
use super::super::cd::{Move, is_cd, is_source, moved};
use super::super::syntax::{Redirect, RedirectKind, ShellCommand, Token, TokenScan, commands, expanded};
use super::super::touched_paths::{Base, CommandPath};
use super::super::words::{Word, is_lone_brace};
use super::redirections::input_of;
use super::{Analyzer, Bases, CommandPosition, InputSource, RunMode, with};

/// The position of a script in the command that is analysed.
#[derive(Clone, Copy)]
struct ScriptPosition {
    /// The number of pipelines before it.
    from: usize,
    depth: usize,
    mode: RunMode,
}

impl Analyzer<'_> {
    /// Reads the scripts of a text: the text itself and its substitutions, in order.
    pub(super) fn scripts(&mut self, scan: &mut TokenScan, bases: Bases, depth: usize, mode: RunMode) {
        let mut left = vec![(0, bases, mode)];
        let mut pipes = 0;
        let from = self.pipelines.len();
        while let Some((id, mut bases, mode)) = left.pop() {
            let list = commands(id, scan, &mut pipes, self.limits);
            self.pipelines.resize_with(from + pipes, Vec::new);
            let tokens = scan.scripts.get_mut(id).map(std::mem::take).unwrap_or_default();
            if list.iter().any(|command| command.repeats && changes_directory(command, &tokens)) {
                bases = with(&bases, [Base::Unknown]);
            }
            // Every folder in which the commands may run, including the result of a `cd` that may have failed.
            let mut all = Rc::clone(&bases);
            for command in list {
                if !command.after {
                    bases = Rc::clone(&all);
                }
                self.command(&command, &tokens, &mut bases, &mut left, ScriptPosition { from, depth, mode });
                if !Rc::ptr_eq(&all, &bases) {
                    all = with(&all, bases.iter().cloned());
                }
            }
        }
    }

    fn command(
        &mut self,
        command: &ShellCommand,
        tokens: &[Token],
        bases: &mut Bases,
        left: &mut Vec<(usize, Bases, RunMode)>,
        ScriptPosition { from, depth, mode }: ScriptPosition,
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
        let piped = if pipe { InputSource::Elsewhere } else { mode.input };
        let input = redirects.iter().map(|redirect| input_of(redirect.kind)).fold(piped, Ord::max);
        let mode = RunMode { input, ..mode };
        for word in words.iter().chain(redirects.iter().map(|redirect| &redirect.target)) {
            for span in &word.spans {
                let written = word.value.get(span.start..).is_some_and(|rest| rest.starts_with(">("));
                let mode = RunMode { input: if written { InputSource::Elsewhere } else { input }, ..mode };
                left.extend(span.script.map(|id| (id, Rc::clone(bases), mode)));
            }
        }
        left.extend(redirects.iter().filter_map(|redirect| Some((redirect.script?, Rc::clone(bases), mode))));
        for redirect in redirects {
            self.redirect(redirect, bases, mode);
        }
        if let Some(word) = words.iter().find(|word| is_lone_brace(word)) {
            self.blame(format!("`{}`", word.value));
        }
        if command.is_auxiliary {
            if let Some(name) = words.first().filter(|_| command.sets) {
                self.check_variable(&name.value);
            }
            return;
        }
        let here = Rc::clone(bases);
        let place = CommandPosition { bases: &here, pipes: &command.pipes, from, depth, mode };
        let mut assigned: Vec<Word> = words.iter().take_while(|word| word.assigned.is_some()).cloned().collect();
        words.drain(..assigned.len());
        // The assignment holds only while a line is read, and affects only how it is split.
        let reads = words.first().is_some_and(|word| word.is_bare() && word.value == "read");
        assigned.retain(|word| !(reads && word.value.starts_with("IFS=") && word.spans.is_empty()));
        let moves = moved(&words);
        if let Some(word) = assigned.iter().find_map(forbidden) {
            self.blame(word);
        }
        if mode.adds && !words.is_empty() {
            words.push(Word::unseen());
        }
        let mut changes_directory = false;
        if !words.is_empty() {
            match expanded(&words) {
                Ok(Some(expanded)) => changes_directory = self.nested_commands(expanded, &assigned, &place),
                Ok(None) => {}
                Err(_) => self.blame("`{`"),
            }
            changes_directory |= self.nested_commands(words, &assigned, &place);
        } else if !assigned.is_empty() {
            self.part(Vec::new(), &assigned, &place, false, None);
        }
        let new: Vec<Base> = match moves {
            Move::Stay if changes_directory => vec![Base::Unknown],
            Move::Stay => return,
            Move::To(word) => {
                let place = CommandPath::of(&word, false);
                let mut new: Vec<Base> = here.iter().map(|base| base.then(&place)).collect();
                if is_searched(&word) && self.searches() {
                    new.push(Base::Unknown);
                }
                new
            }
            Move::Somewhere => vec![Base::Unknown],
        };
        *bases = if command.sure && !changes_directory { Rc::new(new) } else { with(&here, new) };
    }

    /// Records a variable that a loop or `read` must not set, because shells or programs read it.
    pub(super) fn check_variable(&mut self, name: &str) {
        if is_forbidden(name) || is_counted(name) || is_encoding(name) || (!is_harmless(name) && (self.exported)(name))
        {
            self.blame(format!("`{name}`"));
        }
    }

    /// Returns true if `CDPATH` is set, so that a `cd` to a plain name may lead to another folder.
    fn searches(&self) -> bool {
        let named = || ["CDPATH", "cdpath"].iter().any(|name| self.raw.contains(name));
        *self.searches.get_or_init(|| named() || (self.exported)("CDPATH"))
    }
}

/// Returns true if a command of the text changes the directory, in any wrapper.
fn changes_directory(command: &ShellCommand, tokens: &[Token]) -> bool {
    let word = |at: &usize| match tokens.get(*at) {
        Some(Token::Word(word)) => is_cd(&word.value),
        _ => false,
    };
    let first = command.items.iter().find_map(|at| match tokens.get(*at) {
        Some(Token::Word(word)) if word.assigned.is_none() => Some(word),
        _ => None,
    });
    !command.is_auxiliary && (command.items.iter().any(word) || first.is_some_and(|word| is_source(&word.value)))
}

/// Returns true if `cd` to this word searches the folders of `CDPATH` first.
fn is_searched(word: &Word) -> bool {
    let known = word.spans.first().is_some_and(|span| span.start == 0);
    let first = word.value.split('/').next().unwrap_or_default();
    !(word.tilde || known || matches!(first, "" | "." | ".."))
}
