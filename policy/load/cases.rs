//! Parses the cases of a policy: calls with the verdict that they have to get.

use std::path::PathBuf;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, ShellKind, VerdictKind};
use toml::de::DeTable;

use super::document::TEST;
use super::parser::FileParser;
use super::source::PolicySource;
use crate::PolicyFault;
use crate::fault::did_you_mean;
use crate::machine::Machine;
use crate::named_action::{NAMED_TOOLS, named_action};
use crate::rule::Vocabulary;

const KEYS: &[&str] = &["command", "tool", "path", "url", "text", "input", "cwd", "agent", "verdict"];

const VERDICTS: &[(&str, VerdictKind)] = &[
    ("deny", VerdictKind::Deny),
    ("respond", VerdictKind::Respond),
    ("ask", VerdictKind::Ask),
    ("allow", VerdictKind::Allow),
    ("pass", VerdictKind::Pass),
];

/// One `[[test]]` table: a call, and the verdict that the rules have to give.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PolicyCase {
    /// The name of the tool.
    pub tool: String,
    /// What the call does.
    pub action: Action,
    /// The arguments, if the tool is not one of those with an action.
    pub input: Option<Raw>,
    /// The agent that makes the call; `None` for the rules that apply to every agent.
    pub agent: Option<String>,
    /// The folder of the session; `None` for the default.
    pub cwd: Option<PathBuf>,
    /// The verdict.
    pub verdict: VerdictKind,
    /// The call as text.
    pub shown: String,
    /// The offset of the table.
    pub at: usize,
}

impl PolicyCase {
    /// Reads the cases of a policy file. Its other tables are ignored.
    ///
    /// # Errors
    /// The file is not valid TOML, or a case has an error.
    pub fn read(
        source: &PolicySource,
        machine: &dyn Machine,
        vocabulary: &dyn Vocabulary,
    ) -> Result<Vec<Self>, PolicyFault> {
        let mut parser = FileParser::new(source, machine, vocabulary);
        let document = parser.reader.document(&source.text);
        let mut cases = Vec::new();
        if let Some(value) = document.get(TEST) {
            for (index, (at, table)) in parser.reader.tables(value, TEST).into_iter().enumerate() {
                cases.extend(case(&mut parser, index, at, table));
            }
        }
        if parser.reader.is_clean() { Ok(cases) } else { Err(PolicyFault::new(parser.reader.errors())) }
    }
}

fn case(parser: &mut FileParser<'_, '_>, index: usize, at: usize, table: &DeTable<'_>) -> Option<PolicyCase> {
    let path = format!("{TEST}[{index}]");
    let mut texts: Vec<(&str, String)> = Vec::new();
    let (mut verdict, mut cwd, mut agent) = (None, None, None);
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let path_of = format!("{path}.{name}");
        if !KEYS.contains(&name) {
            parser.reader.unknown(&path, key, KEYS);
        } else if name == "verdict" {
            verdict = parser.reader.word(value, &path_of, VERDICTS);
        } else if let Some(text) = parser.reader.text(value, &path_of) {
            match name {
                "cwd" => cwd = Some(parser.reader.source.named(text, parser.machine.home())),
                "agent" => agent = parser.is_agent(value.span().start, &path_of, text).then(|| text.to_owned()),
                _ => texts.push((name, text.to_owned())),
            }
        }
    }
    let mut fault = |says: &str| parser.reader.fault(at, &path, says);
    if !table.contains_key("verdict") {
        fault("missing `verdict`; expected \"deny\", \"respond\", \"ask\", \"allow\" or \"pass\"");
    }
    let mut input = None;
    let mut take = |key: &str| texts.iter().position(|(name, _)| *name == key).map(|at| texts.swap_remove(at).1);
    let (tool, action, shown) = match (take("command"), take("tool")) {
        (Some(command), None) => {
            let shown = command.clone();
            let action = Action::Shell { command: command.into(), cwd: None, shell: ShellKind::Posix };
            ("Bash".to_owned(), action, shown)
        }
        (None, Some(tool)) => {
            let mut shown = tool.clone();
            if let Some(text) = take("input") {
                shown = format!("{tool} {text}");
                input = Raw::checked(text).ok().filter(|input| input.object().is_ok());
                if input.is_none() {
                    fault("`input` is not a JSON object; expected the arguments such as '{\"script\": \"ls\"}'");
                    return None;
                }
            }
            let part = |key| {
                let text = take(key)?;
                shown = format!("{tool} {text}");
                Some(text)
            };
            match named_action(&tool, part) {
                _ if input.is_some() => (tool, Action::Other, shown),
                Ok(action) => (tool, action.unwrap_or(Action::Other), shown),
                Err(key) => {
                    fault(&format!("missing `{key}`, which the tool {tool} needs"));
                    return None;
                }
            }
        }
        _ => {
            fault("expected exactly one of `command` and `tool`");
            return None;
        }
    };
    for (key, _) in texts {
        let hint = did_you_mean(&tool, NAMED_TOOLS.iter().copied().filter(|known| *known != tool));
        fault(&format!("`{key}` has no meaning for the tool `{tool}`{hint}"));
    }
    Some(PolicyCase { tool, action, input, agent, cwd, verdict: verdict?, shown, at })
}
