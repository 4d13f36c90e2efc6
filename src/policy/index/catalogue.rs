//! The index of a policy in memory, for a process that judges many calls: finds the rules that may match.

use std::collections::HashMap;

use super::Lines;
use crate::policy::load::{Lists, PolicyFile};
use crate::policy::rule::{Asked, IndexKey, IndexSection, List, Rarity, Rule, Side, Word, Words};

/// Maps each word to the positions of its rules in the lists of one file.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    bare: HashMap<IndexSection, Vec<Spot>>,
    worded: HashMap<IndexSection, HashMap<Word, Vec<Spot>>>,
}

/// The owner, the list and the position in the list of one rule, in the order in which rules are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    owner: usize,
    list: usize,
    at: usize,
}

impl Catalogue {
    /// Indexes every rule of a policy, and sets its line, since counting lines takes long in a long file.
    pub(crate) fn of(policy: &mut PolicyFile) -> Self {
        let PolicyFile { lists, agents, source, .. } = policy;
        let agents = agents.iter_mut().map(|(_, lists)| lists);
        Lines::of(&source.text).number(std::iter::once(lists).chain(agents));
        let rarity = Rarity::of(policy.rules());
        let mut catalogue = Self::default();
        for (owner, lists) in policy.all_lists().enumerate() {
            for (list, which) in List::ALL.into_iter().enumerate() {
                for (at, rule) in lists.of(which).iter().enumerate() {
                    let spot = Spot { owner, list, at };
                    for IndexKey { section, word, .. } in rule.index_keys(which, &rarity) {
                        match word {
                            Some(word) => {
                                let words = catalogue.worded.entry(section).or_default();
                                words.entry(word).or_default().push(spot);
                            }
                            None => catalogue.bare.entry(section).or_default().push(spot),
                        }
                    }
                }
            }
        }
        catalogue
    }

    /// The lists of all agents and of this one, with at least the rules that may match what is asked.
    pub(crate) fn lists(&self, policy: &PolicyFile, agent: &str, asked: &Asked) -> Vec<Lists> {
        let mut spots: Vec<&Spot> = self.spots(asked).collect();
        // A rule with several words is found several times.
        spots.sort_unstable();
        spots.dedup();
        let mut all = Vec::new();
        for (owner, lists) in policy.all_lists().enumerate() {
            if is_asked(policy, owner, agent) {
                let own = spots.iter().filter(|spot| spot.owner == owner);
                all.push(taken(lists, own));
            }
        }
        all
    }

    /// Returns true if `is` returns true for a deny or ask rule. Tests at least the rules that may match what is asked.
    pub(crate) fn any_guard(
        &self,
        policy: &PolicyFile,
        agent: &str,
        asked: &Asked,
        is: &mut dyn FnMut(&Rule) -> bool,
    ) -> bool {
        let mut spots = self.spots(asked).filter(|spot| is_asked(policy, spot.owner, agent));
        spots.any(|spot| {
            let list = List::ALL.get(spot.list).filter(|list| list.side() == Side::Guard);
            let lists = policy.all_lists().nth(spot.owner);
            lists.zip(list).and_then(|(lists, list)| lists.of(*list).get(spot.at)).is_some_and(&mut *is)
        })
    }

    fn spots<'s>(&'s self, asked: &'s Asked) -> impl Iterator<Item = &'s Spot> {
        asked.iter().flat_map(|(section, words)| {
            let bare = self.bare.get(&section).into_iter().flatten();
            let worded = self.worded.get(&section);
            let found: Box<dyn Iterator<Item = &'s Spot>> = match (worded, words) {
                (None, _) => Box::new(std::iter::empty()),
                (Some(worded), Words::All) => Box::new(worded.values().flatten()),
                (Some(worded), Words::Some(words)) => {
                    Box::new(words.keys().filter_map(|word| worded.get(word)).flatten())
                }
            };
            bare.chain(found)
        })
    }
}

/// Returns true if the lists of an owner apply to this agent.
fn is_asked(policy: &PolicyFile, owner: usize, agent: &str) -> bool {
    owner.checked_sub(1).is_none_or(|own| policy.agents.get(own).is_some_and(|(id, _)| id == agent))
}

fn taken<'s>(from: &Lists, spots: impl Iterator<Item = &'s &'s Spot>) -> Lists {
    let mut lists = Lists::default();
    for spot in spots {
        let Some(list) = List::ALL.get(spot.list) else { continue };
        lists.of_mut(*list).extend(from.of(*list).get(spot.at).cloned());
    }
    lists
}
