//! The lists of rules.

/// The list that contains a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// `deny`
    Deny,
    /// `ask`
    Ask,
    /// `allow`
    Allow,
}

impl List {
    /// The lists in the order in which they decide.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    pub(crate) fn side(self) -> Side {
        if self == Self::Allow { Side::Grant } else { Side::Guard }
    }

    /// The key of the list in a policy.
    pub fn word(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// The side to which a rule errs if the action is not fully known: a guard then matches, a grant does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Deny and ask rules, and the `match` of responses and handlers.
    Guard,
    /// Allow rules.
    Grant,
}
