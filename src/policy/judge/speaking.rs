//! What the rules of one call say about its atoms (C3).

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::asked::possibly;
use super::atoms::{Atom, What};
use super::matching::Scene;
use super::narrow::Contents;
use super::verdict::Opinion;
use super::{Judging, cause};
use crate::policy::PolicyFault;
use crate::policy::command::Extent;
use crate::policy::load::{Lists, PolicyFile};
use crate::policy::rule::{List, Rule};
use crate::policy::settings::Guarding;

/// Holds the rules that may speak about a call, and what they are asked about.
pub(super) struct Speaking<'a> {
    pub(super) judging: &'a Judging<'a>,
    pub(super) scene: &'a Scene<'a>,
    pub(super) agent: &'a str,
    /// In the order in which the first match gives the reason (F3).
    lists: Vec<Chosen<'a>>,
}

/// Holds the rules of one file.
struct Chosen<'a> {
    file: &'a PolicyFile,
    deny: Vec<&'a Rule>,
    ask: Vec<&'a Rule>,
    allow: Vec<&'a Rule>,
    /// The lines of rules that spoke, by their places: to count them takes long in a long file.
    lines: RefCell<HashMap<usize, usize>>,
}

impl<'a> Speaking<'a> {
    /// Chooses the rules that may match something in a call.
    pub(super) fn new(
        judging: &'a Judging<'a>,
        scene: &'a Scene<'a>,
        agent: &'a str,
        lists: &'a [(&'a PolicyFile, Cow<'a, Lists>)],
        atoms: &[Atom],
    ) -> Self {
        let count = lists.iter().map(|(_, lists)| List::ALL.map(|list| lists.of(list).len()).iter().sum::<usize>());
        let contents = Contents::of(atoms, count.sum(), judging.ground);
        let steps = judging.ground.steps();
        let chosen = |rules: &'a [Rule]| {
            let may = |rule: &&Rule| {
                contents.as_ref().is_none_or(|contents| steps.spend(1) && contents.may_match(rule, steps))
            };
            rules.iter().filter(may).collect()
        };
        let one = |(file, lists): &'a (&'a PolicyFile, Cow<'a, Lists>)| {
            let [deny, ask, allow] = List::ALL.map(|list| chosen(lists.of(list)));
            Chosen { file, deny, ask, allow, lines: RefCell::default() }
        };
        Self { judging, scene, agent, lists: lists.iter().map(one).collect() }
    }

    /// What deny, ask and `[protect]` say about one atom; `None`: nothing.
    pub(super) fn guarded(&self, atom: &Atom) -> Option<Opinion> {
        // Rules do not speak about what is only near a path; what goes into the folder of a protected file may
        // replace the file.
        let near = match &atom.what {
            What::Path(path) if path.extent() == Extent::Below => true,
            What::Path(path) if !path.is_itself() => return None,
            _ => false,
        };
        let protect = OnceCell::new();
        let protect = || *protect.get_or_init(|| self.judging.protects(atom));
        for list in [List::Deny, List::Ask] {
            if let Some(opinion) = self.listed(atom, list).filter(|_| !near) {
                return Some(opinion);
            }
            let guarding = if list == List::Deny { Guarding::Deny } else { Guarding::Ask };
            if let Some(found) = protect().filter(|found| found.says == guarding) {
                let action = atom.words(self.scene.call);
                return Some(Opinion::built_in(list, found.key, found.why, action));
            }
        }
        None
    }

    /// What allow says about one atom of which deny and ask say nothing.
    pub(super) fn granted(&self, atom: &Atom) -> Option<Opinion> {
        let asked = !atom.watch_only && !matches!(&atom.what, What::Path(path) if !path.is_itself());
        asked.then(|| self.listed(atom, List::Allow)).flatten()
    }

    /// Whether a deny or ask rule would speak about each of some commands, or paths that one touches, if what
    /// nobody knows of it were the right text, or the path would be a file that is protected: then no rule
    /// allows it (B11).
    pub(super) fn could_guard(&self, atoms: &[&Atom]) -> Result<Vec<bool>, PolicyFault> {
        let Judging { policy, ground, .. } = self.judging;
        let protected = |atom: &Atom| matches!(&atom.what, What::Path(path) if self.judging.could_protect(path));
        // Of one in which all is known nothing more can be said; absent: it is not decided.
        let known = |atom: &&Atom| if atom.is_open() { protected(atom).then_some(true) } else { Some(false) };
        let mut could: Vec<Option<bool>> = atoms.iter().map(known).collect();
        if could.contains(&None) {
            let open = || atoms.iter().zip(&could).filter(|(_, could)| could.is_none()).map(|(atom, _)| *atom);
            let asked = possibly(open(), ground);
            let steps = ground.steps();
            policy.any_guard(self.agent, &asked, &mut |file, rule| {
                if !steps.spend(1 + atoms.len() / 4) {
                    return true;
                }
                for (atom, could) in atoms.iter().zip(&mut could).filter(|(_, could)| could.is_none()) {
                    *could = self.scene.could_match(rule, atom, file.own.as_ref()).then_some(true);
                }
                !could.contains(&None)
            })?;
        }
        Ok(could.into_iter().map(|could| could == Some(true)).collect())
    }

    fn listed(&self, atom: &Atom, list: List) -> Option<Opinion> {
        let steps = self.judging.ground.steps();
        self.lists.iter().find_map(|Chosen { file, deny, ask, allow, lines }| {
            if list == List::Allow && !self.judging.policy.counts_whole(file) {
                return None;
            }
            // The starter would otherwise deny all built-in skills, which have no file.
            if matches!(atom.what, What::Hidden { .. }) && file.source.path.is_none() {
                return None;
            }
            let rules = match list {
                List::Deny => deny,
                List::Ask => ask,
                List::Allow => allow,
            };
            // What is asked about after the last step is not answered.
            if !steps.spend(rules.len() / 4) {
                return None;
            }
            let matches = |rule: &&&Rule| self.scene.matches(rule, list.side(), atom, file.own.as_ref());
            let rule = rules.iter().take_while(|_| !steps.is_spent()).find(matches)?;
            let action = Some(atom.words(self.scene.call));
            let line = *lines.borrow_mut().entry(rule.at).or_insert_with(|| rule.line(&file.source));
            let cause = cause(file, &rule.text, line, list.verdict(), action);
            if let What::Hidden { why } = &atom.what {
                return Some(Opinion::hidden(list, cause, why));
            }
            Some(Opinion::rule(list, cause))
        })
    }
}
