//! What a person has set aside for a time. Each override is a file in a folder beside the policy, which `[protect]` covers. A file that
//! is not as the commands write it has no effect.

pub(crate) mod once;
pub(crate) mod pause;
mod span;

pub(crate) use self::span::OverrideSpan;
