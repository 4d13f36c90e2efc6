//! What is known about one event: the atoms of its call and the folders that paths are relative to. Computed once and
//! lent to the rules, the handlers and `[sandbox] match`.

use std::cell::RefCell;
use std::rc::Rc;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{HookEvent, ToolCall};

use super::atoms::{AtomKind, Atoms, atoms};
use super::skills::{Expanded, expanded};
use super::{Deciders, Judgement, Judging};
use crate::policy::Policy;
use crate::policy::path::{Dir, PathContext};
use crate::policy::rule::{Rule, Side};

/// What a policy knows about one event.
#[derive(Debug)]
pub(crate) struct CallFacts<'p> {
    pub(super) policy: &'p Policy,
    pub(super) context: PathContext,
    /// The atoms of each call that was asked about, with its arguments: the call itself, and one with new arguments.
    analysed: RefCell<Vec<(Raw, Rc<Atoms>)>>,
}

impl Policy {
    /// Starts to collect what is known about an event.
    pub(crate) fn facts(&self, event: &HookEvent) -> CallFacts<'_> {
        let context = PathContext::new(event.into(), self.places.home.as_deref(), &self.places.temps);
        CallFacts::new(self, context)
    }
}

impl<'p> CallFacts<'p> {
    pub(super) fn new(policy: &'p Policy, context: PathContext) -> Self {
        Self { policy, context, analysed: RefCell::default() }
    }

    /// The policy that applies.
    pub(crate) fn policy(&self) -> &'p Policy {
        self.policy
    }

    /// Judges the event with rules, handlers and the session context.
    pub(crate) fn judge(&self, event: &HookEvent, deciders: &mut dyn Deciders) -> Judgement {
        Judging::new(self, event.row.gates()).event(event, deciders)
    }

    /// The atoms of a call of this event.
    pub(super) fn atoms(&self, call: &ToolCall) -> Rc<Atoms> {
        let known = |(input, atoms): &(Raw, Rc<Atoms>)| (*input == call.input).then(|| Rc::clone(atoms));
        if let Some(atoms) = self.analysed.borrow().iter().find_map(known) {
            return atoms;
        }
        let atoms = Rc::new(atoms(call, self.policy, &self.context));
        self.analysed.borrow_mut().push((call.input.clone(), Rc::clone(&atoms)));
        atoms
    }

    /// Returns true if a command of a call applies a patch.
    pub(crate) fn applies_patch(&self, call: &ToolCall) -> bool {
        self.atoms(call).patches
    }

    /// Returns true if a call may run commands of a skill, which no hook can change.
    pub(crate) fn runs_skill(&self, call: &ToolCall) -> bool {
        let runs = |skill| {
            let Expanded { commands, unread } = expanded(skill, &self.context);
            unread.is_some() || !commands.is_empty()
        };
        call.skill.as_ref().is_some_and(runs)
    }

    /// Returns true if one of the rules could match a command of the call. This includes commands that are not
    /// understood, code in arguments, and unknown parts of a command. `own` is the folder of the project file
    /// that contains the rules.
    pub(crate) fn concerns(&self, rules: &[Rule], own: Option<&Dir>, event: &HookEvent, call: &ToolCall) -> bool {
        let judging = Judging::new(self, true);
        let scene = judging.scene(event, call);
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
    use snaphook_adapters::model::{Change, Decision, HookEvent, Target};

    use super::*;
    use crate::policy::Handler;
    use crate::policy::judge::tests::policy;
    use crate::policy::testing::shell;

    struct Rewrites(bool);

    impl Deciders for Rewrites {
        fn handler(&mut self, _: &Handler, event: &HookEvent) -> Result<Decision, String> {
            let input = Raw::document(event.call().unwrap().input.as_str().replace("npm", "yarn"));
            let change = self.0.then(|| Change::required(Target::Input, input));
            let mut decision = Decision::pass();
            decision.changes.extend(change);
            Ok(decision)
        }

        fn respond(&mut self, _: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
            Ok(String::new())
        }
    }

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
        let (rules, own) = policy.sandbox(None).unwrap().only.unwrap();
        for (rewrites, calls) in [(false, 1), (true, 2)] {
            let facts = policy.facts(&event);
            facts.judge(&event, &mut Rewrites(rewrites));
            assert!(facts.concerns(rules, own, &event, event.call().unwrap()));
            assert_eq!(facts.analysed.borrow().len(), calls);
        }
    }
}
