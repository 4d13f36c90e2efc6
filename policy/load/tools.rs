//! Parses the tables `[[tool]]`.

use snaphook_adapters::model::ShellKind;
use snaphook_adapters::protocol::{ActionKind, TaughtArgument};
use toml::de::DeTable;

use super::parser::FileParser;
use crate::described_tool::DescribedTool;
use crate::rule::McpPattern;
use crate::wildcard::Wildcard;

const KEYS: &[&str] = &["agent", "name", "command", "path", "paths", "url", "kind", "shell", "guess"];

/// The actions on a file whose kind is not given.
const ANY_KIND: &[ActionKind] = &[ActionKind::Read, ActionKind::Edit];

const FILE_KINDS: &[(&str, &[ActionKind])] = &[
    ("read", &[ActionKind::Read]),
    ("list", &[ActionKind::List]),
    ("search", &[ActionKind::Search]),
    ("edit", &[ActionKind::Edit]),
    ("write", &[ActionKind::Write]),
    ("delete", &[ActionKind::Delete]),
];

const SHELLS: &[(&str, ShellKind)] = &[
    ("posix", ShellKind::Posix),
    ("powershell", ShellKind::PowerShell),
    ("cmd", ShellKind::Cmd),
    ("unknown", ShellKind::Unknown),
];

/// Parses one table.
pub(super) fn read(parser: &mut FileParser<'_, '_>, index: usize, at: usize, table: &DeTable<'_>) -> DescribedTool {
    let path = format!("tool[{index}]");
    let (mut agent, mut written, mut guesses) = (None, String::new(), true);
    let (mut kinds, mut shell) = (ANY_KIND, None);
    let mut arguments = Vec::new();
    let source = parser.reader.source;
    let place = format!("`{path}` in {}:{}", source.shown, source.line(at));
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let path_of = format!("{path}.{name}");
        match name {
            "agent" => {
                let id = parser.reader.text(value, &path_of).unwrap_or_default();
                agent = parser.is_agent(value.span().start, &path_of, id).then(|| id.to_owned());
            }
            "name" => parser.reader.text(value, &path_of).unwrap_or_default().clone_into(&mut written),
            "command" | "path" | "paths" | "url" => {
                let Some(pointer) = parser.reader.text(value, &path_of) else { continue };
                if !is_pointer(pointer) {
                    let says = format!(
                        "invalid JSON pointer `{pointer}`; expected `/` and the name of an argument, such as `/script`"
                    );
                    parser.reader.fault(value.span().start, &path_of, &says);
                }
                let of = match name {
                    "command" => &[ActionKind::Shell][..],
                    "url" => &[ActionKind::Fetch],
                    _ => ANY_KIND,
                };
                let mut argument = TaughtArgument::new(of, pointer);
                argument.each = name == "paths" || name == "url";
                argument.place.clone_from(&place);
                arguments.push(argument);
            }
            "kind" => kinds = parser.reader.word(value, &path_of, FILE_KINDS).unwrap_or(ANY_KIND),
            "shell" => shell = parser.reader.word(value, &path_of, SHELLS),
            "guess" => guesses = parser.reader.bool(value, &path_of).unwrap_or(true),
            _ => parser.reader.unknown(&path, key, KEYS),
        }
    }
    let mut fault = |at: usize, says: &str| parser.reader.fault(at, &path, says);
    for (key, needs) in [("kind", &["path", "paths"][..]), ("shell", &["command"])] {
        if let Some((key, _)) = table.get_key_value(key).filter(|_| !needs.iter().any(|need| table.contains_key(*need)))
        {
            fault(key.span().start, &format!("`{}` has a meaning only with `{}`", key.get_ref(), needs.join("` or `")));
        }
    }
    let is_long_enough = |name: &str| {
        let rest = name.strip_prefix("mcp__").unwrap_or(name);
        !rest.starts_with('*') && !rest.is_empty()
    };
    if !table.contains_key("name") {
        fault(at, "missing `name`; expected the name of a tool, such as \"mcp__shell__run\"");
    } else if !is_long_enough(&written) {
        fault(
            at,
            &format!("`{written}` names no tool; expected at least the first letter of a tool or of an MCP server"),
        );
    }
    if arguments.is_empty() && guesses {
        fault(at, "describes nothing; expected `command`, `path`, `paths`, `url` or `guess = false`");
    }
    for argument in &mut arguments {
        if argument.kinds == ANY_KIND {
            argument.kinds = kinds;
        }
        argument.shell = shell.filter(|_| argument.kinds.contains(&ActionKind::Shell));
    }
    let (name, mcp) = (Wildcard::read(&written), McpPattern::read(&written));
    DescribedTool { agent, written, name, mcp, arguments, guesses, at }
}

/// Returns true for a JSON pointer to a member (RFC 6901).
fn is_pointer(text: &str) -> bool {
    let mut escapes = text.split('~').skip(1);
    text.len() > 1 && text.starts_with('/') && escapes.all(|rest| rest.starts_with(['0', '1']))
}
