//! What is known about one event: the atoms of its call and the folders that paths are relative to. Computed once and
//! lent to the rules, the handlers and `[sandbox] match`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use snaphook_adapters::Raw;
use snaphook_adapters::model::Skill;

use super::atoms::{AtomKind, Atoms, atoms};
use super::skills::{Expanded, expanded};
use super::{Judging, SharedFacts};
use crate::list::Side;
use crate::path::{Dir, Folders, PathContext};
use crate::rule::Rule;
use crate::{Policy, PolicyCall};

/// What a policy knows about one event.
#[derive(Debug)]
pub struct CallFacts<'p> {
    pub(super) policy: &'p Policy,
    pub(super) context: PathContext<'p>,
    pub(super) shared: Arc<SharedFacts>,
    /// The atoms of each call that was asked about, with its arguments: the call itself, and one with new arguments.
    analysed: RefCell<Vec<(Raw, Rc<Atoms>)>>,
}

impl Policy {
    /// Starts to collect what is known about an event in these folders.
    pub fn facts(&self, folders: Folders<'_>) -> CallFacts<'_> {
        CallFacts::new(self, PathContext::new(folders, self.machine()))
    }
}

impl<'p> CallFacts<'p> {
    pub(super) fn new(policy: &'p Policy, context: PathContext<'p>) -> Self {
        let shared = policy.shared();
        let context = context.with_lookups(Arc::clone(&shared.lookups));
        Self { policy, context, shared, analysed: RefCell::default() }
    }

    /// The policy that applies.
    pub fn policy(&self) -> &'p Policy {
        self.policy
    }

    /// Starts to judge the event. `gates` is true if the answer decides if something happens.
    pub fn judging(&self, gates: bool) -> Judging<'_> {
        Judging::new(self, gates)
    }

    /// The atoms of a call of this event.
    pub(super) fn atoms(&self, call: &PolicyCall<'_>) -> Rc<Atoms> {
        let known = |(input, atoms): &(Raw, Rc<Atoms>)| (input == call.input).then(|| Rc::clone(atoms));
        if let Some(atoms) = self.analysed.borrow().iter().find_map(known) {
            return atoms;
        }
        let atoms = Rc::new(atoms(call, self.policy, &self.context));
        self.analysed.borrow_mut().push((call.input.clone(), Rc::clone(&atoms)));
        atoms
    }

    /// Returns true if a command of a call applies a patch.
    pub fn applies_patch(&self, call: &PolicyCall<'_>) -> bool {
        self.atoms(call).patches
    }

    /// Returns true if a skill may have commands that the agent runs, which no hook can change.
    pub fn runs_commands(&self, skill: &Skill) -> bool {
        let Expanded { commands, unread } = expanded(skill, &self.context);
        unread.is_some() || !commands.is_empty()
    }

    /// Returns true if one of the rules could match a command of the call. This includes commands that are not
    /// understood, code in arguments, and unknown parts of a command. `own` is the folder of the project file
    /// that contains the rules.
    pub fn concerns(&self, rules: &[Rule], own: Option<&Dir>, call: &PolicyCall<'_>) -> bool {
        let judging = Judging::new(self, true);
        let scene = judging.scene(call);
        let dark = |what: &AtomKind| match what {
            AtomKind::Text { .. } | AtomKind::Hidden { .. } => true,
            AtomKind::Part(atom) => atom.part.opaque.is_some(),
            _ => false,
        };
        let atoms = self.atoms(call);
        let found = atoms.list.iter().any(|atom| {
            dark(&atom.what)
                || rules.iter().any(|rule| {
                    scene.matches(rule, Side::Guard, atom, own)
                        || scene.ambiguous(rule).is_some()
                        || scene.could_match(rule, atom, own)
                })
        });
        found || atoms.cut || self.context.budget().is_spent()
    }
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::Raw;
    use snaphook_adapters::model::EventKind;

    use super::*;
    use crate::judge::tests::policy;
    use crate::testing::{folders, seen, shell};

    #[test]
    fn a_call_is_analysed_once_for_rules_handlers_and_the_sandbox() {
        let handler = |rule: &str| format!("[[handler]]\ncommand = ['x']\nmatch = ['{rule}']\n");
        let policy = policy(&format!(
            "[permissions]\ndeny = ['Bash(evil *)']\n{}{}{}[sandbox]\nlauncher = 'bwrap'\nmatch = ['Bash(npm *)']\n",
            handler("Bash(npm *)"),
            handler("Bash(git *)"),
            handler("Read(.env)"),
        ));
        let event = shell("npm test && cat README.md");
        let call = seen(&event);
        let (rules, own) = policy.sandbox(None).unwrap().only.unwrap();
        let facts = policy.facts(folders(&event));
        let judging = facts.judging(true);
        judging.verdict(&call);
        assert_eq!(judging.handlers(EventKind::PreTool, "invented", Some(&call)).len(), 1);
        assert!(facts.concerns(rules, own, &call));
        assert_eq!(facts.analysed.borrow().len(), 1);
        // A handler changed the arguments.
        let input = Raw::document(call.input.as_str().replace("npm", "yarn"));
        judging.verdict(&PolicyCall { input: &input, ..call });
        assert_eq!(facts.analysed.borrow().len(), 2);
    }
}
