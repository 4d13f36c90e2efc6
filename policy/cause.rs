//! What contributed to a verdict.

use snaphook_adapters::model::VerdictKind;

use crate::load::PolicyFile;

/// The verdict of the rules on one part of a command.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct PartVerdict {
    /// The action as text, such as `Bash: git push -f` or `Write: out/a`.
    pub action: String,
    /// The verdict.
    pub verdict: VerdictKind,
    /// The rule that decided; `None` if no rule matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// A rule or handler that contributed to the verdict on an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Cause {
    /// Its verdict.
    pub verdict: VerdictKind,
    /// The rule as written, the handler's name, or a built-in such as `protect.snaphook`.
    pub rule: String,
    /// The file of the rule; `None` for a built-in.
    pub file: Option<String>,
    /// The line of the rule, from 1.
    pub line: Option<usize>,
    /// The action it matched, as text, such as `Bash: git push -f`; `None` for the whole event.
    pub action: Option<String>,
    /// The part of the call that its reason quotes, exactly as it is there.
    #[serde(skip)]
    pub quoted: Option<String>,
    /// The reason and the alternative that the rule carries, as sentences.
    #[serde(skip)]
    pub words: Option<String>,
}

impl Cause {
    /// Creates the cause of a built-in rule for the whole event.
    pub fn new(verdict: VerdictKind, rule: impl Into<String>) -> Self {
        Self { verdict, rule: rule.into(), file: None, line: None, action: None, quoted: None, words: None }
    }

    /// The cause for a rule or handler of a file.
    pub(crate) fn of(file: &PolicyFile, rule: &str, line: usize, verdict: VerdictKind, action: Option<String>) -> Self {
        let file = Some(file.source.shown.clone());
        Self { verdict, rule: rule.to_owned(), file, line: Some(line), action, quoted: None, words: None }
    }
}
