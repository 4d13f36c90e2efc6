//! Whether rules that are no list concern a call: what `[sandbox] match` asks.

use std::cell::OnceCell;

use snaphook_adapters::model::{HookEvent, ToolCall};

use super::Judging;
use super::atoms::{What, atoms};
use crate::policy::Policy;
use crate::policy::path::{Dir, Ground};
use crate::policy::rule::{Rule, Side};

impl Policy {
    /// Returns true if a command of a call applies a patch.
    pub(crate) fn applies_patch(&self, call: &ToolCall) -> bool {
        atoms(call, self).patches
    }

    /// Whether some of the rules may speak about what a call runs. In doubt they do: about what is not
    /// understood, about code in an argument, and where something is not known that could be the right text.
    /// `own` is the folder of the project file that they stand in.
    pub(crate) fn concerns(&self, rules: &[Rule], own: Option<&Dir>, event: &HookEvent, call: &ToolCall) -> bool {
        let ground = Ground::new(event.cwd.as_deref(), self.places.home.as_deref(), &self.places.temps);
        let judging =
            Judging { policy: self, ground: &ground, gates: true, remarks: Vec::new(), guarded: OnceCell::new() };
        let scene = judging.scene(event, call);
        let dark = |what: &What| match what {
            What::Text { .. } => true,
            What::Part(atom) => atom.part.opaque.is_some(),
            _ => false,
        };
        let atoms = atoms(call, self);
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
