//! A bound on the work for one call.

use std::cell::Cell;

/// The number of steps for one call: a few tenths of a second.
const MOST: usize = 2_000_000;

/// The error if no steps are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetSpent;

/// Counts down the steps of one call. Nested loops spend from it: over rules and commands, patterns and paths,
/// directories and operands.
///
/// Once it is spent, the analysis stops and its result is incomplete. No rule allows such a call.
#[derive(Debug)]
pub struct Budget(Cell<usize>);

impl Default for Budget {
    fn default() -> Self {
        Self(Cell::new(MOST))
    }
}

impl Budget {
    /// Spends some steps. Returns false if none are left.
    pub fn spend(&self, steps: usize) -> bool {
        self.0.set(self.0.get().saturating_sub(steps));
        !self.is_spent()
    }

    /// Returns true if no steps are left.
    pub fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}
