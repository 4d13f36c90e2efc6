//! The same for a policy that is kept in memory by who judges many calls: which rules to look at.

use std::collections::HashMap;

use super::Lines;
use crate::policy::load::{Lists, PolicyFile};
use crate::policy::rule::{Asked, Drawer, Filed, List, Rarity, Rule, Side, Word, Words};

/// Knows where in the lists of one file the rules of each word stand.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    bare: HashMap<Drawer, Vec<Spot>>,
    worded: HashMap<Drawer, HashMap<Word, Vec<Spot>>>,
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
        let rarity = Rarity::of(policy.rules());
        let mut catalogue = Self::default();
        for (owner, lists) in policy.all_lists().enumerate() {
            for (list, which) in List::ALL.into_iter().enumerate() {
                for (at, rule) in lists.of(which).iter().enumerate() {
                    let spot = Spot { owner, list, at };
                    for Filed { drawer, word, .. } in rule.filed(which, &rarity) {
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
        let mut spots: Vec<&Spot> = self.spots(asked).collect();
        // One that is filed under several words is found several times.
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

    /// Whether one of deny or ask is such a rule, among at least those that may speak of what is asked.
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
        asked.iter().flat_map(|(drawer, words)| {
            let bare = self.bare.get(&drawer).into_iter().flatten();
            let worded = self.worded.get(&drawer);
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

/// Whether the lists of an owner are those of all agents, or of this one.
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
