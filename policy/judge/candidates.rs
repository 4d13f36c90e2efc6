//! Matches the rules of one call against its atoms (C3).

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::atoms::{Atom, AtomKind};
use super::matching::Scene;
use super::prefilter::Prefilter;
use super::protect::Protections;
use super::verdict::Opinion;
use crate::cause::Cause;
use crate::list::List;
use crate::load::{Lists, PolicyFile};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::settings::ProtectMode;
use snaphook_shell::Extent;

/// The rules that may match a call, and the data they are matched against.
pub(super) struct CandidateRules<'a> {
    policy: &'a Policy,
    protections: &'a Protections<'a>,
    pub(super) scene: &'a Scene<'a>,
    /// In the order in which the first match gives the reason (F3).
    lists: Vec<CandidateList<'a>>,
}

/// The selected rules of one file.
struct CandidateList<'a> {
    file: &'a PolicyFile,
    deny: Vec<&'a Rule>,
    ask: Vec<&'a Rule>,
    allow: Vec<&'a Rule>,
    /// Cached line numbers of matched rules, by byte position.
    lines: RefCell<HashMap<usize, usize>>,
}

impl<'a> CandidateRules<'a> {
    /// Selects the rules that may match an atom of the call.
    pub(super) fn new(
        policy: &'a Policy,
        protections: &'a Protections<'a>,
        scene: &'a Scene<'a>,
        atoms: &[Atom],
    ) -> Self {
        let lists = || policy.lists(scene.call.agent);
        let count = lists().map(|(_, lists)| List::ALL.map(|list| lists.of(list).len()).iter().sum::<usize>());
        let contents = Prefilter::of(atoms, count.sum(), scene.context);
        let steps = scene.context.budget();
        let chosen = |rules: &'a [Rule], side| {
            let may = |rule: &&Rule| {
                contents.as_ref().is_none_or(|contents| {
                    let has_steps = steps.spend(1);
                    match rule.param() {
                        // Chosen even if no steps are left: an ambiguous argument must be found.
                        Some(name) => scene.may_have(name),
                        None => has_steps && contents.may_match(rule, steps) && scene.may_be_tool(rule, side),
                    }
                })
            };
            rules.iter().filter(may).collect()
        };
        let one = |(file, lists): (&'a PolicyFile, &'a Lists)| {
            let [deny, ask, allow] = List::ALL.map(|list| chosen(lists.of(list), list.side()));
            CandidateList { file, deny, ask, allow, lines: RefCell::default() }
        };
        Self { policy, protections, scene, lists: lists().map(one).collect() }
    }

    /// The selected deny and ask rules.
    pub(super) fn guards(&self) -> impl Iterator<Item = &'a Rule> {
        self.lists.iter().flat_map(|list| list.deny.iter().chain(&list.ask)).copied()
    }

    /// The opinion of deny rules, ask rules and `[protect]` on one atom, if any.
    pub(super) fn guarded(&self, atom: &Atom) -> Option<Opinion> {
        // Rules do not apply to files that are only near a path. A file written into the folder of a protected
        // file may replace it.
        let near = match &atom.what {
            AtomKind::Path(path) if path.extent() == Extent::Below => true,
            AtomKind::Path(path) if !path.is_itself() => return None,
            _ => false,
        };
        let protect = OnceCell::new();
        let protect = || *protect.get_or_init(|| self.protections.protects(atom));
        for list in [List::Deny, List::Ask] {
            if let Some(opinion) = self.listed(atom, list).filter(|_| !near) {
                return Some(opinion);
            }
            let guarding = if list == List::Deny { ProtectMode::Deny } else { ProtectMode::Ask };
            if let Some(found) = protect().filter(|found| found.says == guarding) {
                let action = atom.words(self.scene.call);
                return Some(Opinion::built_in(list, found.key, found.why, action));
            }
        }
        None
    }

    /// The opinion of allow rules on one atom for which deny and ask rules have none.
    pub(super) fn granted(&self, atom: &Atom) -> Option<Opinion> {
        let asked = !atom.watch_only && !matches!(&atom.what, AtomKind::Path(path) if !path.is_itself());
        asked.then(|| self.listed(atom, List::Allow)).flatten()
    }

    /// For each atom, returns the deny or ask rule that could match it, or `[protect]` if that could cover it, depending on its
    /// unknown parts; `None` if there is none. No rule can allow such an atom (B11).
    pub(super) fn could_guard(&self, atoms: &[&Atom]) -> Vec<Option<&'a str>> {
        let (policy, context) = (self.policy, self.scene.context);
        let protected =
            |atom: &Atom| matches!(&atom.what, AtomKind::Path(path) if self.protections.could_protect(path));
        // The result for a fully known atom is final; `None` means undecided.
        let known =
            |atom: &&Atom| if atom.is_open() { protected(atom).then_some(Some("[protect]")) } else { Some(None) };
        let mut could: Vec<Option<Option<&str>>> = atoms.iter().map(known).collect();
        if could.contains(&None) {
            let steps = context.budget();
            let guards = policy
                .lists(self.scene.call.agent)
                .flat_map(|(file, lists)| lists.guards().map(move |rule| (file, rule)));
            for (file, rule) in guards {
                if !could.contains(&None) || !steps.spend(1 + atoms.len() / 4) {
                    break;
                }
                for (atom, could) in atoms.iter().zip(&mut could).filter(|(_, could)| could.is_none()) {
                    *could = self.scene.could_match(rule, atom, file.own.as_ref()).then_some(Some(&rule.text));
                }
            }
        }
        could.into_iter().map(Option::flatten).collect()
    }

    fn listed(&self, atom: &Atom, list: List) -> Option<Opinion> {
        let steps = self.scene.context.budget();
        self.lists.iter().find_map(|CandidateList { file, deny, ask, allow, lines }| {
            if list == List::Allow && !self.policy.is_applied_in_full(file) {
                return None;
            }
            // Otherwise the starter policy would deny all built-in skills, which have no file.
            if matches!(atom.what, AtomKind::Hidden { .. }) && file.source.path.is_none() {
                return None;
            }
            let rules = match list {
                List::Deny => deny,
                List::Ask => ask,
                List::Allow => allow,
            };
            // A match after the last step is not counted.
            if !steps.spend(rules.len() / 4) {
                return None;
            }
            let matches = |rule: &&&Rule| self.scene.matches(rule, list.side(), atom, file.own.as_ref());
            let rule = rules.iter().take_while(|_| !steps.is_spent()).find(matches)?;
            let action = Some(atom.words(self.scene.call));
            let line = *lines.borrow_mut().entry(rule.at).or_insert_with(|| file.source.line(rule.at));
            let cause = Cause::of(file, &rule.text, line, list.verdict(), action);
            if let AtomKind::Hidden { why } = &atom.what {
                return Some(Opinion::hidden(list, cause, why));
            }
            // The text of an untrusted file must not reach the model (S9).
            let words = rule.words(&file.source.text).filter(|_| self.policy.is_applied_in_full(file));
            Some(Opinion::rule(list, cause, words.as_ref(), || atom.subject(self.scene.call)))
        })
    }
}
