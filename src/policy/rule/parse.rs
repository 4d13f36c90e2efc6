//! The grammar of rules (R1-R4).

use snaphook_adapters::protocol::What;
use snaphook_adapters::registry::Registry;

use super::late::{Late, trimmed};
use super::{DomainPattern, Kind, Limit, List, McpPattern, Rule, Side};
use crate::policy::command::CommandPattern;
use crate::policy::fault::did_you_mean;
use crate::policy::path::PathPattern;
use crate::policy::wild::Wild;

const NAMES: &[&str] = &["Bash", "Read", "Edit", "Write", "Delete", "WebFetch", "WebSearch", "Agent", "Task", "Tool"];

/// Names of Claude Code's own tools that are no actions.
const TOOLS: &[&str] = &["PowerShell", "Skill", "Cd", "TodoWrite", "KillShell", "BashOutput", "ExitPlanMode"];

/// Knows which arguments the tools of the registered agents have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vocabulary<'a>(pub(crate) &'a Registry);

impl Vocabulary<'_> {
    /// Whether an argument is a command, path or address of some tool, and which rule speaks of it.
    fn slot(self, name: &str) -> Option<Kind> {
        let acts = self.0.iter().flat_map(|protocol| protocol.agent().tools).flat_map(|row| row.acts);
        let mut slots = acts.filter(|act| act.slot.keys.contains(&name));
        slots.find_map(|act| match act.what {
            What::Shell | What::ShellInput => Some(Kind::Bash),
            What::Read | What::List | What::Search => Some(Kind::Read),
            What::Write | What::Edit | What::Delete | What::Move | What::Patch => Some(Kind::Edit),
            What::Fetch => Some(Kind::WebFetch),
            _ => None,
        })
    }

    /// Whether any row knows an argument.
    pub(crate) fn knows(self, name: &str) -> bool {
        self.slot(name).is_some()
            || self.0.iter().flat_map(|protocol| protocol.agent().tools).any(|row| {
                let named = |act: &snaphook_adapters::protocol::Act| {
                    act.with == Some(name)
                        || act.slot.keys.contains(&name)
                        || act.only.is_some_and(|only| only.key == name)
                };
                row.acts.iter().any(named) || row.sample.contains(&format!("\"{name}\""))
            })
    }
}

/// Reads a rule. `Err` is the message without its place.
pub(crate) fn parse(text: &str, at: usize, list: List, vocabulary: Vocabulary<'_>) -> Result<Rule, String> {
    let text = trimmed(text);
    let (kind, limit) = Parser { text, list, vocabulary }.parse()?;
    Ok(Rule { text: text.to_owned(), at, line: None, kind, limit })
}

struct Parser<'a> {
    text: &'a str,
    list: List,
    vocabulary: Vocabulary<'a>,
}

impl Parser<'_> {
    fn parse(&self) -> Result<(Option<Kind>, Late), String> {
        if self.text == "*" {
            return match self.list.side() {
                Side::Guard => Ok((None, Late::Built(Limit::None))),
                Side::Grant => Err("`*` cannot be allowed; name the kinds: Bash, Read, Edit, WebFetch, WebSearch, \
                                    Agent, mcp__SERVER, Tool(name)"
                    .to_owned()),
            };
        }
        let (name, specifier) = match split_at(self.text, b'(') {
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(specifier) => (name.trim_end(), Some(trimmed(specifier))),
                None => return Err(format!("`{}` has no closing `)` at its end; add it", self.text)),
            },
            None => (self.text, None),
        };
        if specifier == Some("") {
            return Err(format!("`{}` is empty inside; write `{name}`", self.text));
        }
        if name.starts_with("mcp__") {
            return self.mcp(name, specifier);
        }
        let kind = kind_of(name)?;
        let Some(specifier) = specifier.filter(|specifier| *specifier != "*") else {
            return match kind {
                Kind::Tool if self.list.side() == Side::Grant => Err(self.says("cannot be allowed; name the tool")),
                _ => Ok((Some(kind), Late::Built(Limit::None))),
            };
        };
        if let Some(late) = Late::plain(kind, specifier, self.list.side()) {
            return Ok((Some(kind), late));
        }
        if let Some(limit) = self.param(kind, specifier)? {
            return Ok((Some(kind), Late::Built(limit)));
        }
        self.limit(kind, specifier).map(|limit| (Some(kind), Late::Built(limit)))
    }

    fn limit(&self, kind: Kind, specifier: &str) -> Result<Limit, String> {
        match kind {
            Kind::Bash => {
                CommandPattern::read(specifier, self.list.side()).map(Limit::Command).map_err(|error| self.says(&error))
            }
            Kind::Read | Kind::Edit | Kind::Delete => {
                PathPattern::read(specifier).map(Limit::Path).map_err(|error| self.says(&error))
            }
            Kind::WebFetch => match specifier.strip_prefix("domain:") {
                Some(domain) => DomainPattern::read(domain).map(Limit::Domain).map_err(|error| self.says(&error)),
                None => Err(self.says(&format!("has no `domain:`; write `WebFetch(domain:{specifier})`"))),
            },
            Kind::WebSearch => Err(self.says("takes nothing inside; write `WebSearch`")),
            Kind::Agent => Ok(Limit::Name(Wild::read(specifier))),
            Kind::Tool => {
                let literal = specifier.starts_with(|c: char| c.is_ascii_alphanumeric());
                if self.list.side() == Side::Grant && !literal {
                    return Err(self.says("cannot be allowed; begin with a letter of the tool's name"));
                }
                Ok(Limit::Name(Wild::read(specifier)))
            }
            Kind::Mcp => Err(self.says("takes nothing inside")),
        }
    }

    /// `NAME(param:value)` (R2); `None` where it is another kind of limit.
    fn param(&self, kind: Kind, specifier: &str) -> Result<Option<Limit>, String> {
        let Some((name, value)) = split_at(specifier, b':') else { return Ok(None) };
        let (name, value) = (name.trim_end(), value.trim_start());
        let named = name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !named || (kind == Kind::WebFetch && name == "domain") {
            return Ok(None);
        }
        let star = kind == Kind::Bash && value.starts_with('*');
        if let Some(slot) = self.vocabulary.slot(name).filter(|_| !star) {
            let rule = match slot {
                Kind::Bash => format!("Bash({value})"),
                Kind::Read => format!("Read({value})"),
                Kind::WebFetch => format!("WebFetch(domain:{value})"),
                _ => format!("Edit({value})"),
            };
            return Err(format!("`{}`: `{name}` is judged by its own syntax; write `{rule}`", self.text));
        }
        if star || (kind == Kind::Bash && value.contains(char::is_whitespace)) {
            return Ok(None);
        }
        if value.is_empty() {
            return Err(self.says("has no value behind the colon; write `*` for any"));
        }
        if self.list.side() == Side::Grant {
            return Err(self.says("limits by an argument, which only deny and ask can; name what may be done"));
        }
        Ok(Some(Limit::Param { name: name.to_owned(), value: Wild::read(value) }))
    }

    fn mcp(&self, name: &str, specifier: Option<&str>) -> Result<(Option<Kind>, Late), String> {
        if let Some(late) = Late::plain_mcp(name, self.list.side()).filter(|_| specifier.is_none()) {
            return Ok((Some(Kind::Mcp), late));
        }
        let parsed = match name {
            "mcp__*" => McpPattern::read("mcp__*"),
            name => McpPattern::read(name),
        };
        let Some(pattern) = parsed else {
            return Err(self.says("names no server; write `mcp__SERVER` or `mcp__SERVER__TOOL`"));
        };
        if self.list.side() == Side::Grant && pattern.any_server() {
            return Err(self.says("cannot be allowed; name the server, as `mcp__SERVER__*`"));
        }
        let Some(specifier) = specifier.filter(|specifier| *specifier != "*") else {
            return Ok((Some(Kind::Mcp), Late::Built(Limit::Mcp(pattern))));
        };
        Err(self.says(&format!("takes no `({specifier})`; write `{name}`")))
    }

    fn says(&self, what: &str) -> String {
        format!("`{}` {what}", self.text)
    }
}

/// Splits at the first of an ASCII character. Rules are so short that looking at each byte costs less
/// than to begin a search.
fn split_at(text: &str, at: u8) -> Option<(&str, &str)> {
    let found = text.bytes().position(|byte| byte == at)?;
    Some((text.get(..found)?, text.get(found + 1..)?))
}

/// What a name stands for (section 2 of the semantics).
fn kind_of(name: &str) -> Result<Kind, String> {
    Ok(match name {
        "Bash" => Kind::Bash,
        "Read" | "Glob" | "Grep" | "LS" => Kind::Read,
        "Edit" | "Write" | "NotebookEdit" | "MultiEdit" => Kind::Edit,
        "Delete" => Kind::Delete,
        "WebFetch" => Kind::WebFetch,
        "WebSearch" => Kind::WebSearch,
        "Agent" | "Task" => Kind::Agent,
        "Tool" => Kind::Tool,
        "" => return Err("a rule is empty; write `Bash(git push *)`, `Read(.env)` and so on".to_owned()),
        name if TOOLS.contains(&name) => {
            return Err(format!("`{name}` is a tool and no kind of action; write `Tool({name})`"));
        }
        name => {
            let hint = did_you_mean(name, NAMES.iter().copied());
            let hint = if hint.is_empty() { format!("; a tool is written `Tool({name})`") } else { hint };
            return Err(format!("unknown rule name `{name}`{hint}"));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, list: List) -> Result<Rule, String> {
        let registry = Registry::empty().with(&crate::policy::testing::INVENTED);
        parse(text, 0, list, Vocabulary(&registry))
    }

    #[test]
    fn r1_names_and_aliases() {
        for (text, kind) in [
            ("Bash", Some(Kind::Bash)),
            (" Bash( git push * ) ", Some(Kind::Bash)),
            ("Bash(*)", Some(Kind::Bash)),
            ("Write(a)", Some(Kind::Edit)),
            ("NotebookEdit(a)", Some(Kind::Edit)),
            ("Glob(a)", Some(Kind::Read)),
            ("Task", Some(Kind::Agent)),
            ("Bash(echo (a))", Some(Kind::Bash)),
            ("mcp__x__y", Some(Kind::Mcp)),
            ("Tool(skill*)", Some(Kind::Tool)),
            ("*", None),
        ] {
            assert_eq!(read(text, List::Deny).unwrap().kind, kind, "{text}");
        }
        for (text, says) in [
            ("Bsh", "unknown rule name `Bsh`; did you mean `Bash`?"),
            ("bash(x)", "unknown rule name `bash`; did you mean `Bash`?"),
            ("Frob", "unknown rule name `Frob`; a tool is written `Tool(Frob)`"),
            ("Skill(x)", "`Skill` is a tool and no kind of action; write `Tool(Skill)`"),
            ("Bash()", "`Bash()` is empty inside; write `Bash`"),
            ("Bash(x", "`Bash(x` has no closing `)` at its end; add it"),
            ("WebFetch(x.org)", "`WebFetch(x.org)` has no `domain:`; write `WebFetch(domain:x.org)`"),
            ("WebSearch(x)", "`WebSearch(x)` takes nothing inside; write `WebSearch`"),
        ] {
            assert_eq!(read(text, List::Deny).unwrap_err(), says, "{text}");
        }
    }

    #[test]
    fn r2_arguments_are_rules_of_deny_and_ask() {
        for (text, is_param) in [
            ("Bash(run_in_background:true)", true),
            ("Bash(run_in_background : true)", true),
            ("Agent(model:*)", true),
            ("Bash(ls:*)", false),
            ("Bash(git:* push)", false),
            ("Bash(npm run test:unit)", false),
            ("Bash(command:*)", false),
            ("Read(C:/x)", false),
            ("WebFetch(domain:x.org)", false),
        ] {
            let rule = read(text, List::Deny).unwrap();
            assert_eq!(matches!(rule.limit(), Limit::Param { .. }), is_param, "{text}");
        }
        assert_eq!(
            read("Bash(command:rm *)", List::Deny).unwrap_err(),
            "`Bash(command:rm *)`: `command` is judged by its own syntax; write `Bash(rm *)`"
        );
        assert!(read("Bash(run_in_background:true)", List::Allow).is_err());
    }

    #[test]
    fn r3_in_allow_the_name_is_literal() {
        for text in ["*", "mcp__*", "mcp__git*__x", "Tool", "Tool(*)", "Tool(*x)"] {
            assert!(read(text, List::Allow).is_err(), "{text}");
            assert!(read(text, List::Deny).is_ok(), "{text}");
        }
        for text in ["mcp__git__*", "mcp__git__get_*", "Tool(frob*)", "Bash", "Edit"] {
            assert!(read(text, List::Allow).is_ok(), "{text}");
        }
    }
}
