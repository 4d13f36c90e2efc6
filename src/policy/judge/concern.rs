//! Whether rules that are no list concern a call: what `[sandbox] match` asks.

use snaphook_adapters::model::{HookEvent, ToolCall};

use super::Judging;
use super::atoms::{What, atoms};
use super::skills::{Expanded, expanded};
use crate::policy::Policy;
use crate::policy::path::{Dir, Ground};
use crate::policy::rule::{Rule, Side};

impl Policy {
    /// Returns true if a command of a call applies a patch.
    pub(crate) fn applies_patch(&self, event: &HookEvent, call: &ToolCall) -> bool {
        atoms(call, self, &self.ground(event)).patches
    }

    /// Returns true if a call may run commands of a skill, which no hook can change.
    pub(crate) fn runs_skill(&self, event: &HookEvent, call: &ToolCall) -> bool {
        let runs = |skill| {
            let Expanded { commands, unread } = expanded(skill, &self.ground(event));
            unread.is_some() || !commands.is_empty()
        };
        call.skill.as_ref().is_some_and(runs)
    }

    fn ground(&self, event: &HookEvent) -> Ground {
        Ground::new(event.into(), self.places.home.as_deref(), &self.places.temps)
    }

    /// Whether some of the rules may speak about what a call runs. In doubt they do: about what is not
    /// understood, about code in an argument, and where something is not known that could be the right text.
    /// `own` is the folder of the project file that they stand in.
    pub(crate) fn concerns(&self, rules: &[Rule], own: Option<&Dir>, event: &HookEvent, call: &ToolCall) -> bool {
        let ground = self.ground(event);
        let judging = Judging::new(self, &ground, true);
        let scene = judging.scene(event, call);
        let dark = |what: &What| match what {
            What::Text { .. } | What::Hidden { .. } => true,
            What::Part(atom) => atom.part.opaque.is_some(),
            _ => false,
        };
        let atoms = atoms(call, self, &ground);
        let found = atoms.list.iter().any(|atom| {
            dark(&atom.what)
                || rules.iter().any(|rule| {
                    scene.matches(rule, Side::Guard, atom, own)
                        || scene.ambiguous(rule).is_some()
                        || scene.could_match(rule, atom, own)
                })
        });
        found || atoms.cut || ground.steps().is_spent()
    }
}
