//! The kinds of actions that rules speak of.

/// The kind of action that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleKind {
    Bash,
    Read,
    Edit,
    Delete,
    WebFetch,
    WebSearch,
    Agent,
    Skill,
    Mcp,
    /// Commands for PowerShell, which are not analysed.
    PowerShell,
    Tool,
}

impl RuleKind {
    /// The kind of rule for a name before the parentheses.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "Bash" => Self::Bash,
            "Read" | "Glob" | "Grep" | "LS" | "NotebookRead" => Self::Read,
            "Edit" | "Write" | "NotebookEdit" | "MultiEdit" => Self::Edit,
            "Delete" => Self::Delete,
            "WebFetch" => Self::WebFetch,
            "WebSearch" => Self::WebSearch,
            "Agent" | "Task" => Self::Agent,
            "Skill" | "SlashCommand" => Self::Skill,
            "PowerShell" => Self::PowerShell,
            "Tool" => Self::Tool,
            _ => return None,
        })
    }
}
