//! Reads matchers as the agents do.

use regex_lite::Regex;
use snaphook_adapters::protocol::MatcherSyntax;

/// Returns true if a matcher of an agent accepts a name.
///
/// A regular expression that this program cannot read accepts every name, so that the hook judges what it may be meant for.
pub(super) fn accepts(syntax: MatcherSyntax, matcher: &str, name: &str) -> bool {
    if matches!(matcher.trim(), "" | "*") {
        return true;
    }
    let listed = || matcher.split(['|', ',']).any(|one| one.trim() == name);
    let found = |expression: &str| Regex::new(expression).map_or(true, |regex| regex.is_match(name));
    let whole = || found(&format!("^(?:{matcher})$"));
    match syntax {
        MatcherSyntax::Names if is_list(matcher) => listed(),
        MatcherSyntax::Names | MatcherSyntax::Search => found(matcher),
        MatcherSyntax::Whole => whole(),
        _ => listed() || found(matcher),
    }
}

/// Returns true if a matcher is a list of names instead of a regular expression.
fn is_list(matcher: &str) -> bool {
    matcher.chars().all(|c| c.is_ascii_alphanumeric() || "_- ,|".contains(c))
}

#[cfg(test)]
mod tests {
    use super::accepts;
    use snaphook_adapters::protocol::MatcherSyntax::{Names, Search, Unknown, Whole};

    #[test]
    fn matchers_are_read_as_their_agent_reads_them() {
        for (syntax, matcher, accepted, others) in [
            (Names, "", &["Bash", "x"][..], &[][..]),
            (Names, "*", &["Bash"], &[]),
            (Names, "Bash", &["Bash"], &["BashOutput", "bash", "Bas"]),
            (Names, "Bash, Edit|mcp__a-b", &["Bash", "Edit", "mcp__a-b"], &["Write"]),
            (Names, "^Bas", &["Bash"], &["NotBash"]),
            (Names, "mcp__.*", &["mcp__a__b"], &["Bash"]),
            (Names, "Notebook.*|Bash", &["NotebookEdit", "Bash"], &["Edit"]),
            (Search, "file", &["read_file", "write_file"], &["glob"]),
            (Whole, "shell|read_.*", &["shell", "read_file"], &["shell_x", "a_read_b"]),
            (Unknown, "Bash|Edit", &["Bash", "Edit"], &["Read"]),
            (Names, "(?=x)[", &["Bash"], &[]),
        ] {
            for name in accepted {
                assert!(accepts(syntax, matcher, name), "{matcher} {name}");
            }
            for name in others {
                assert!(!accepts(syntax, matcher, name), "{matcher} {name}");
            }
        }
    }
}
