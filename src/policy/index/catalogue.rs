//! The same for a policy that is kept in memory by who judges many calls: which rules to look at.

use std::collections::HashMap;

use super::Lines;
use crate::policy::load::{Lists, PolicyFile};
use crate::policy::rule::{Asked, Drawer, List, Words};

/// Knows where in the lists of one file the rules of each word stand.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    bare: HashMap<Drawer, Vec<Spot>>,
    worded: HashMap<Drawer, HashMap<String, Vec<Spot>>>,
}

/// Whose list, which of them, and the place in it; in the order in which rules speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    owner: usize,
    list: usize,
    at: usize,
}

impl Catalogue {
    /// Files every rule of a policy, and gives it its line: to count lines takes long in a long file.
    pub(crate) fn of(policy: &mut PolicyFile) -> Self {
        let PolicyFile { lists, agents, source, .. } = policy;
        let agents = agents.iter_mut().map(|(_, lists)| lists);
        Lines::of(&source.text).number(std::iter::once(lists).chain(agents));
        let mut catalogue = Self::default();
        for (owner, lists) in policy.all_lists().enumerate() {
            for (list, which) in List::ALL.into_iter().enumerate() {
                for (at, rule) in lists.of(which).iter().enumerate() {
                    let spot = Spot { owner, list, at };
                    for (drawer, word) in rule.filed() {
                        match word {
                            Some(word) => {
                                let words = catalogue.worded.entry(drawer).or_default();
                                words.entry(word).or_default().push(spot);
                            }
                            None => catalogue.bare.entry(drawer).or_default().push(spot),
                        }
                    }
                }
            }
        }
        catalogue
    }

    /// The lists of all agents and of this one, with at least the rules that may speak of what is asked.
    pub(crate) fn lists(&self, policy: &PolicyFile, agent: &str, asked: &Asked) -> Vec<Lists> {
        let mut spots: Vec<Spot> = Vec::new();
        for (drawer, words) in asked.iter() {
            spots.extend(self.bare.get(&drawer).into_iter().flatten());
            let Some(worded) = self.worded.get(&drawer) else { continue };
            match words {
                Words::All => spots.extend(worded.values().flatten()),
                Words::Some(words) => spots.extend(words.iter().filter_map(|word| worded.get(word)).flatten()),
            }
        }
        // One that is filed under several words is found several times.
        spots.sort_unstable();
        spots.dedup();
        let mut all = Vec::new();
        for (owner, lists) in policy.all_lists().enumerate() {
            let is_asked = owner == 0 || policy.agents.get(owner - 1).is_some_and(|(id, _)| id == agent);
            if is_asked {
                let own = spots.iter().filter(|spot| spot.owner == owner);
                all.push(taken(lists, own));
            }
        }
        all
    }
}

fn taken<'s>(from: &Lists, spots: impl Iterator<Item = &'s Spot>) -> Lists {
    let mut lists = Lists::default();
    for spot in spots {
        let Some(list) = List::ALL.get(spot.list) else { continue };
        let rule = from.of(*list).get(spot.at).cloned();
        match list {
            List::Deny => lists.deny.extend(rule),
            List::Ask => lists.ask.extend(rule),
            List::Allow => lists.allow.extend(rule),
        }
    }
    lists
}
