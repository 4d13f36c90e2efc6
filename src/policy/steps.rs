//! A bound on the work that one call may cause.

use std::cell::Cell;

/// The steps that one call may take: some tenths of a second.
const MOST: usize = 2_000_000;

/// No steps are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spent;

/// Counts down the steps of one call. Loops whose length is a product spend from it: rules by commands,
/// patterns by paths, folders by operands.
///
/// Once it is spent the analysis stops, and what it found so far is incomplete. No rule allows such a call.
#[derive(Debug)]
pub(crate) struct Steps(Cell<usize>);

impl Default for Steps {
    fn default() -> Self {
        Self(Cell::new(MOST))
    }
}

impl Steps {
    /// Takes some steps; false where no more are left.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        self.0.set(self.0.get().saturating_sub(steps));
        !self.is_spent()
    }

    /// Returns true if no steps are left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}
