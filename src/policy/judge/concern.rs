//! Decides if rules outside the permission lists apply to a call; used by `[sandbox] match`.

use snaphook_adapters::model::{HookEvent, ToolCall};

use super::Judging;
use super::atoms::{AtomKind, atoms};
use super::skills::{Expanded, expanded};
use crate::policy::Policy;
use crate::policy::path::{Dir, PathContext};
use crate::policy::rule::{Rule, Side};

impl Policy {
    /// Returns true if a command of a call applies a patch.
    pub(crate) fn applies_patch(&self, event: &HookEvent, call: &ToolCall) -> bool {
        atoms(call, self, &self.context(event)).patches
    }

    /// Returns true if a call may run commands of a skill, which no hook can change.
    pub(crate) fn runs_skill(&self, event: &HookEvent, call: &ToolCall) -> bool {
        let runs = |skill| {
            let Expanded { commands, unread } = expanded(skill, &self.context(event));
            unread.is_some() || !commands.is_empty()
        };
        call.skill.as_ref().is_some_and(runs)
    }

    fn context(&self, event: &HookEvent) -> PathContext {
        PathContext::new(event.into(), self.places.home.as_deref(), &self.places.temps)
    }

    /// Returns true if one of the rules could match a command of the call. This includes commands that are not
    /// understood, code in arguments, and unknown parts of a command. `own` is the folder of the project file
    /// that contains the rules.
    pub(crate) fn concerns(&self, rules: &[Rule], own: Option<&Dir>, event: &HookEvent, call: &ToolCall) -> bool {
        let context = self.context(event);
        let judging = Judging::new(self, &context, true);
        let scene = judging.scene(event, call);
        let dark = |what: &AtomKind| match what {
            AtomKind::Text { .. } | AtomKind::Hidden { .. } => true,
            AtomKind::Part(atom) => atom.part.opaque.is_some(),
            _ => false,
        };
        let atoms = atoms(call, self, &context);
        let found = atoms.list.iter().any(|atom| {
            dark(&atom.what)
                || rules.iter().any(|rule| {
                    scene.matches(rule, Side::Guard, atom, own)
                        || scene.ambiguous(rule).is_some()
                        || scene.could_match(rule, atom, own)
                })
        });
        found || atoms.cut || context.budget().is_spent()
    }
}
