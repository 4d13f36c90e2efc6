//! A tool call, as rules see it.

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Skill};
use snaphook_adapters::raw::Keys;

/// A tool call: its actions, and what rules may ask about its arguments.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PolicyCall<'c> {
    /// The id of the agent, which `[agent.ID.permissions]` names.
    pub agent: &'c str,
    /// The agent's own name of the tool.
    pub tool: &'c str,
    /// The arguments, of which rules may look at single ones (G2).
    pub input: &'c Raw,
    /// What the call does.
    pub actions: &'c [Action],
    /// What the call of an unknown tool may do.
    pub suggested_actions: &'c [Action],
    /// The skill that the call loads.
    pub skill: Option<&'c Skill>,
    /// How the tool finds an argument by its name.
    pub keys: Keys,
    /// True if the tool keeps an earlier value of an argument that is null.
    pub null_keeps_earlier_value: bool,
}

impl<'c> PolicyCall<'c> {
    /// Creates the call of a tool that is known.
    pub fn new(agent: &'c str, tool: &'c str, input: &'c Raw, actions: &'c [Action]) -> Self {
        Self {
            agent,
            tool,
            input,
            actions,
            suggested_actions: &[],
            skill: None,
            keys: Keys::Exact,
            null_keeps_earlier_value: false,
        }
    }
}
