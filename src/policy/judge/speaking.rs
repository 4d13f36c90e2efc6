//! What the rules of one call say about its atoms (C3).

use std::borrow::Cow;
use std::cell::OnceCell;

use super::asked::possibly;
use super::atoms::{Atom, What};
use super::matching::Scene;
use super::verdict::Opinion;
use super::{Judging, cause};
use crate::policy::PolicyFault;
use crate::policy::load::{Lists, PolicyFile};
use crate::policy::rule::{List, Rule};
use crate::policy::settings::Guarding;

/// Holds the rules that may speak about a call, and what they are asked about.
pub(super) struct Speaking<'a> {
    pub(super) judging: &'a Judging<'a>,
    pub(super) scene: &'a Scene<'a>,
    pub(super) agent: &'a str,
    /// In the order in which the first match gives the reason (F3).
    pub(super) lists: Vec<(&'a PolicyFile, Cow<'a, Lists>)>,
}

impl Speaking<'_> {
    /// Every rule of deny and ask.
    pub(super) fn guards(&self) -> impl Iterator<Item = (&PolicyFile, &Rule)> {
        self.lists.iter().flat_map(|(file, lists)| lists.guards().map(|rule| (*file, rule)))
    }

    /// What they say about one atom; `None`: nothing.
    pub(super) fn about(&self, atom: &Atom) -> Option<Opinion> {
        if matches!(&atom.what, What::Path(path) if !path.is_itself()) {
            return None;
        }
        let protect = OnceCell::new();
        let protect = || *protect.get_or_init(|| self.judging.protects(atom));
        for list in [List::Deny, List::Ask] {
            if let Some(opinion) = self.listed(atom, list) {
                return Some(opinion);
            }
            let guarding = if list == List::Deny { Guarding::Deny } else { Guarding::Ask };
            if let Some((key, _)) = protect().filter(|(_, says)| *says == guarding) {
                let action = atom.words(self.scene.call);
                return Some(Opinion::built_in(list, key, "a file that decides what hooks and agents may do", action));
            }
        }
        if atom.watch_only {
            return None;
        }
        self.listed(atom, List::Allow)
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
            policy.any_guard(self.agent, &asked, &mut |file, rule| {
                for (atom, could) in atoms.iter().zip(&mut could).filter(|(_, could)| could.is_none()) {
                    *could = self.scene.could_match(rule, atom, file.own.as_ref()).then_some(true);
                }
                !could.contains(&None)
            })?;
        }
        Ok(could.into_iter().map(|could| could == Some(true)).collect())
    }

    fn listed(&self, atom: &Atom, list: List) -> Option<Opinion> {
        self.lists.iter().find_map(|(file, lists)| {
            if list == List::Allow && !self.judging.policy.counts_whole(file) {
                return None;
            }
            let matches = |rule: &&Rule| self.scene.matches(rule, list.side(), atom, file.own.as_ref());
            let rule = lists.of(list).iter().find(matches)?;
            let action = Some(atom.words(self.scene.call));
            Some(Opinion::rule(list, cause(file, &rule.text, rule.line(&file.source), list.verdict(), action)))
        })
    }
}
