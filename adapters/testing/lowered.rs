//! A decision that a gate cannot express becomes stricter, never weaker (V1).

use super::decisions::{decisions, describe};
use super::{Suite, place};
use crate::fit::{Limits, fit};

/// Finds decisions about a gate that `fit` makes weaker.
pub fn lowered(suite: &Suite) -> Vec<String> {
    let mut found = Vec::new();
    for (fixture, event) in suite.judged().filter(|(_, event)| event.row.gates()) {
        for decision in decisions(&event) {
            let (_, losses) = fit(decision.clone(), &event, &Limits::default());
            if let Some(loss) = losses.iter().find(|loss| loss.weakens()) {
                found.push(format!("{}: {}: {loss}", place(&event, fixture), describe(&decision)));
            }
        }
    }
    found
}
