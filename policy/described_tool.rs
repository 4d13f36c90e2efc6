//! Tools whose arguments a policy describes.

use snaphook_adapters::model::Action;
use snaphook_adapters::protocol::{DescriptionUse, TaughtArgument, TaughtTool};

use crate::Policy;
use crate::list::Side;
use crate::rule::McpPattern;
use crate::wildcard::Wildcard;

/// One `[[tool]]` table.
#[derive(Debug)]
#[non_exhaustive]
pub struct DescribedTool {
    /// The agent; `None` for all.
    pub agent: Option<String>,
    /// The name as written.
    pub written: String,
    /// The agent's own name of the tool.
    pub(crate) name: Wildcard,
    /// The name as that of an MCP tool, if it has that form.
    pub(crate) mcp: Option<McpPattern>,
    /// The arguments.
    pub arguments: Vec<TaughtArgument>,
    /// False if the usual names of arguments suggest nothing.
    pub guesses: bool,
    /// The offset of the table.
    pub at: usize,
}

impl DescribedTool {
    /// Returns true if the table is about a tool of this name of an agent.
    pub fn is_named(&self, agent: &str, tool: &str) -> bool {
        self.agent.as_ref().is_none_or(|id| id == agent) && self.name.matches(tool)
    }

    /// Returns how certain it is that a call is of the tool; `None` if it is not.
    fn matches(&self, agent: &str, tool: &str, actions: &[Action]) -> Option<DescriptionUse> {
        if self.is_named(agent, tool) {
            return Some(DescriptionUse::Certain);
        }
        let pattern = self.mcp.as_ref().filter(|_| self.agent.as_ref().is_none_or(|id| id == agent))?;
        let names =
            || actions.iter().filter_map(|action| if let Action::Mcp(name) = action { Some(name) } else { None });
        if names().any(|name| pattern.matches(Side::Grant, name)) {
            Some(DescriptionUse::Certain)
        } else {
            names().any(|name| pattern.matches(Side::Guard, name)).then_some(DescriptionUse::Possible)
        }
    }
}

impl Policy {
    /// Returns the description of the arguments of a call, from every table that matches; `None` if none does.
    ///
    /// Beside a managed policy, other files can only add arguments to judge: its rules rely on the guesses.
    pub fn described(&self, agent: &str, tool: &str, actions: &[Action]) -> Option<TaughtTool> {
        let mut found: Option<TaughtTool> = None;
        for (file, one) in self.full_files().flat_map(|file| file.tools.iter().map(move |one| (file, one))) {
            let Some(matched) = one.matches(agent, tool, actions) else { continue };
            let applies = match matched {
                DescriptionUse::Certain if self.may_switch_off_guesses(file) => DescriptionUse::Exclusive,
                matched => matched,
            };
            let taught = found.get_or_insert_with(|| TaughtTool::new(Vec::new()));
            taught.guesses &= one.guesses || applies != DescriptionUse::Exclusive;
            taught.arguments.extend(one.arguments.iter().map(|argument| {
                let mut argument = argument.clone();
                argument.applies = applies;
                argument.is_mcp = one.mcp.is_some();
                argument
            }));
        }
        found
    }
}
