//! Parses rules (G1-G4).

use std::borrow::Cow;

use snaphook_adapters::model::EventKind;

use super::late::Late;
use super::plain::{PlainShape, Specifier, split_at, trimmed};
use super::{DomainPattern, HeldWords, Matcher, McpPattern, Rule, RuleKind, SkillPattern, host_of};
use crate::command::CommandPattern;
use crate::fault::did_you_mean_or;
use crate::list::{List, Side};
use crate::path::PathPattern;
use crate::wildcard::Wildcard;

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "Bash", "Read", "Edit", "Write", "Delete", "WebFetch", "WebSearch", "Agent", "Task", "Skill", "PowerShell", "Tool",
];

/// Tools of Claude Code that are no kind of action; their names are short for `Tool(NAME)`.
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "AskUserQuestion", "BashOutput", "Cd", "CronCreate", "CronDelete", "CronList", "EnterPlanMode", "EnterWorktree",
    "ExitPlanMode", "ExitWorktree", "KillBash", "KillShell", "LSP", "ListMcpResourcesTool", "Monitor",
    "ReadMcpResourceTool", "SendMessage", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate",
    "TeamCreate", "TeamDelete", "TodoRead", "TodoWrite", "ToolSearch",
];

/// The names that the policies of a program may use: agents, and arguments of their tools.
pub trait Vocabulary {
    /// The ids of the agents.
    fn agents(&self) -> Vec<&str>;

    /// The events of an agent, of which those that a handler for this agent gets are named.
    fn events(&self, agent: &str) -> Vec<AgentEvent<'_>>;

    /// What the argument of this name holds for some tool; `None` for any other argument. Rules speak of commands, paths
    /// and addresses by other names.
    fn slot(&self, argument: &str) -> Option<ArgumentSlot>;
}

/// An event of an agent.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "a program names the events of its agents")]
pub struct AgentEvent<'a> {
    /// The name in a message.
    pub name: &'a str,
    /// The name in a registration, which may be another one.
    pub registered_name: &'a str,
    /// The kind of event.
    pub kind: EventKind,
}

impl AgentEvent<'_> {
    /// Returns true if this is one of its names.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name == name || self.registered_name == name
    }
}

/// What an argument of a tool holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentSlot {
    /// A command.
    Command,
    /// The path of a file or folder that is read.
    ReadPath,
    /// The path of a file that is changed.
    WrittenPath,
    /// The address of a page.
    Url,
}

/// No agents, and no tools with known arguments.
impl Vocabulary for () {
    fn agents(&self) -> Vec<&str> {
        Vec::new()
    }

    fn events(&self, _: &str) -> Vec<AgentEvent<'_>> {
        Vec::new()
    }

    fn slot(&self, _: &str) -> Option<ArgumentSlot> {
        None
    }
}

/// Parses a rule. `Err` is a message without its location.
pub(crate) fn parse(text: &str, at: usize, list: List, vocabulary: &dyn Vocabulary) -> Result<Rule, String> {
    let text = trimmed(text);
    let (kind, limit) = Parser { text, list, vocabulary }.parse()?;
    Ok(Rule { text: Cow::Owned(text.to_owned()), at, words: HeldWords::default(), kind, limit })
}

/// The matcher of a deny or ask rule that has been parsed before. If it had an error, it would match everything.
pub(super) fn matcher(text: &str) -> Matcher {
    match (Parser { text, list: List::Deny, vocabulary: &() }).parse() {
        Ok((_, late)) => late.into_matcher(text),
        Err(_) => Matcher::None,
    }
}

/// Returns the error of a rule in a list (`deny`, `ask`, `allow`); `None` if the rule is valid there.
pub fn rule_fault(text: &str, list: List, vocabulary: &dyn Vocabulary) -> Option<String> {
    parse(text, 0, list, vocabulary).err()
}

/// What a deny or ask rule about commands covers besides its own spelling, in words; `None` for other rules.
pub fn covers_more(text: &str) -> Option<String> {
    match parse(text, 0, List::Deny, &()).ok()?.limit() {
        Matcher::Command(pattern) => pattern.covers_more(),
        _ => None,
    }
}

struct Parser<'a> {
    text: &'a str,
    list: List,
    vocabulary: &'a dyn Vocabulary,
}

impl Parser<'_> {
    fn parse(&self) -> Result<(Option<RuleKind>, Late), String> {
        if self.text == "*" {
            return match self.list.side() {
                Side::Guard => Ok((None, Late::built(Matcher::None))),
                Side::Grant => Err("`*` cannot be allowed; list the kinds: Bash, Read, Edit, WebFetch, WebSearch, \
                                    Agent, mcp__SERVER, Tool(name)"
                    .to_owned()),
            };
        }
        // Most rules are about commands.
        let bash = self.text.strip_prefix("Bash(").map(|rest| ("Bash", rest));
        let (name, specifier) = match bash.or_else(|| split_at(self.text, b'(')) {
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(specifier) => (trimmed(name), Some(trimmed(specifier))),
                None => return Err(format!("`{}` does not end with `)`; add the closing parenthesis", self.text)),
            },
            None => (self.text, None),
        };
        if specifier == Some("") {
            return Err(format!("`{}` has empty parentheses; write `{name}`", self.text));
        }
        if name.starts_with("mcp__") {
            return self.mcp(name, specifier);
        }
        let kind = match kind_of(name) {
            Ok(kind) => kind,
            Err(_) if TOOLS.contains(&name) => {
                return Ok((Some(RuleKind::Tool), Late::built(self.tool(name, specifier))));
            }
            Err(fault) => return Err(fault),
        };
        let Some(specifier) = specifier.filter(|specifier| *specifier != "*") else {
            return match kind {
                RuleKind::Tool if self.list.side() == Side::Grant => {
                    Err(self.says("cannot be allowed without a name; write the name of the tool in parentheses"))
                }
                _ => Ok((Some(kind), Late::built(Matcher::None))),
            };
        };
        let (specifier, side) = (Specifier::new(specifier), self.list.side());
        if let Some(shape) = PlainShape::of(kind, self.text, specifier, side) {
            return Ok((Some(kind), Late::plain(shape, side)));
        }
        if kind != RuleKind::Skill
            && let Some(shape) = self.param(kind, specifier)?
        {
            return Ok((Some(kind), Late::plain(shape, side)));
        }
        self.limit(kind, specifier.text).map(|limit| (Some(kind), Late::built(limit)))
    }

    /// A tool by its name alone.
    fn tool(&self, name: &str, specifier: Option<&str>) -> Matcher {
        let name = tool_name(name, self.list.side());
        match specifier.filter(|specifier| *specifier != "*") {
            Some(_) => Matcher::AnyCall(name),
            None => Matcher::Name(name),
        }
    }

    /// The host of an address stands for all of its pages in deny and ask; in allow it would allow too much.
    fn host(&self, url: &str) -> Result<Matcher, String> {
        let host = host_of(url).ok_or_else(|| self.says("has no host; write `WebFetch(domain:HOST)`"))?;
        match self.list.side() {
            Side::Guard => DomainPattern::read(&host).map(Matcher::Domain).map_err(|error| self.says(&error)),
            Side::Grant => Ok(Matcher::AnyCall(Wildcard::default())),
        }
    }

    fn limit(&self, kind: RuleKind, specifier: &str) -> Result<Matcher, String> {
        match kind {
            RuleKind::Bash | RuleKind::PowerShell => CommandPattern::read(specifier, self.list.side())
                .map(Matcher::Command)
                .map_err(|error| self.says(&error)),
            RuleKind::Read | RuleKind::Edit | RuleKind::Delete => {
                PathPattern::read(specifier).map(Matcher::Path).map_err(|error| self.says(&error))
            }
            RuleKind::Skill => Ok(Matcher::Skill(SkillPattern::read(specifier, self.list.side()))),
            RuleKind::WebFetch => match specifier.strip_prefix("domain:") {
                Some(domain) => DomainPattern::read(domain).map(Matcher::Domain).map_err(|error| self.says(&error)),
                None if specifier.contains("://") => self.host(specifier),
                None => Err(self.says(&format!("needs the prefix `domain:`; write `WebFetch(domain:{specifier})`"))),
            },
            RuleKind::WebSearch => Err(self.says("accepts no parentheses; write `WebSearch`")),
            RuleKind::Agent => Ok(Matcher::Name(Wildcard::read(specifier))),
            RuleKind::Tool => {
                let literal = specifier.starts_with(|c: char| c.is_ascii_alphanumeric());
                if self.list.side() == Side::Grant && !literal {
                    return Err(self.says("cannot be allowed; the name must start with a letter or digit"));
                }
                Ok(Matcher::Name(tool_name(specifier, self.list.side())))
            }
            RuleKind::Mcp => Err(self.says("accepts no parentheses")),
        }
    }

    /// Parses `NAME(param:value)` (G2). Returns `None` for another kind of matcher.
    fn param(&self, kind: RuleKind, specifier: Specifier<'_>) -> Result<Option<PlainShape>, String> {
        let Some((name, value)) = specifier.argument() else { return Ok(None) };
        if kind == RuleKind::WebFetch && (name == "domain" || value.starts_with("//")) {
            return Ok(None);
        }
        let star = kind == RuleKind::Bash && value.starts_with('*');
        if let Some(slot) = self.vocabulary.slot(name).filter(|_| !star) {
            let file = value.strip_prefix("//").filter(|_| name == "file").map(|path| format!("/{path}"));
            let value = file.as_deref().unwrap_or(value);
            let rule = match slot {
                ArgumentSlot::Command => format!("Bash({value})"),
                ArgumentSlot::ReadPath => format!("Read({value})"),
                ArgumentSlot::WrittenPath if kind == RuleKind::Read => format!("Read({value})"),
                ArgumentSlot::WrittenPath => format!("Edit({value})"),
                ArgumentSlot::Url => format!("WebFetch(domain:{value})"),
            };
            return Err(format!("`{}`: `{name}` cannot be matched as an argument; write `{rule}`", self.text));
        }
        let has_blank = || !value.bytes().all(|byte| byte.is_ascii_graphic()) && value.contains(char::is_whitespace);
        if star || (kind == RuleKind::Bash && has_blank()) {
            return Ok(None);
        }
        if value.is_empty() {
            return Err(self.says("has no value after the colon; write `*` for any value"));
        }
        if self.list.side() == Side::Grant {
            return Err(self.says("matches an argument, which is supported only in deny and ask"));
        }
        Ok(Some(PlainShape::of_argument(self.text, specifier.text, name)))
    }

    fn mcp(&self, name: &str, specifier: Option<&str>) -> Result<(Option<RuleKind>, Late), String> {
        let side = self.list.side();
        if let Some(shape) = PlainShape::of_mcp(name, side).filter(|_| specifier.is_none()) {
            return Ok((Some(RuleKind::Mcp), Late::plain(shape, side)));
        }
        let parsed = match name {
            "mcp__*" => McpPattern::read("mcp__*"),
            name => McpPattern::read(name),
        };
        let Some(pattern) = parsed else {
            return Err(self.says("has no server name; write `mcp__SERVER` or `mcp__SERVER__TOOL`"));
        };
        if self.list.side() == Side::Grant && pattern.any_server() {
            return Err(
                self.says("cannot be allowed for all servers; write the name of the server, as in `mcp__SERVER__*`")
            );
        }
        let Some(specifier) = specifier.filter(|specifier| *specifier != "*") else {
            return Ok((Some(RuleKind::Mcp), Late::built(Matcher::Mcp(pattern))));
        };
        Err(self.says(&format!("accepts no `({specifier})`; write `{name}`")))
    }

    fn says(&self, what: &str) -> String {
        format!("`{}` {what}", self.text)
    }
}

/// The pattern for the name of a tool. Deny and ask ignore case (N4).
pub(super) fn tool_name(name: &str, side: Side) -> Wildcard {
    match side {
        Side::Grant => Wildcard::read(name),
        Side::Guard => Wildcard::read(&name.to_lowercase()),
    }
}

/// The kind of rule for a name.
fn kind_of(name: &str) -> Result<RuleKind, String> {
    RuleKind::named(name).ok_or_else(|| {
        if name.is_empty() {
            return "empty rule; expected a rule such as `Bash(git push *)` or `Read(.env)`".to_owned();
        }
        let otherwise = || format!("to match a tool, write `Tool({name})`");
        let hint = did_you_mean_or(name, NAMES.iter().copied(), otherwise);
        format!("unknown rule name `{name}`{hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, list: List) -> Result<Rule, String> {
        parse(text, 0, list, &crate::testing::InventedTools)
    }

    #[test]
    fn g1_names_and_aliases() {
        for (text, kind) in [
            ("Bash", Some(RuleKind::Bash)),
            (" Bash( git push * ) ", Some(RuleKind::Bash)),
            ("Bash(*)", Some(RuleKind::Bash)),
            ("Write(a)", Some(RuleKind::Edit)),
            ("NotebookEdit(a)", Some(RuleKind::Edit)),
            ("Glob(a)", Some(RuleKind::Read)),
            ("Task", Some(RuleKind::Agent)),
            ("Bash(echo (a))", Some(RuleKind::Bash)),
            ("mcp__x__y", Some(RuleKind::Mcp)),
            ("Tool(skill*)", Some(RuleKind::Tool)),
            ("TodoWrite", Some(RuleKind::Tool)),
            ("KillShell(x)", Some(RuleKind::Tool)),
            ("Skill(deploy:*)", Some(RuleKind::Skill)),
            ("SlashCommand(/deploy)", Some(RuleKind::Skill)),
            ("PowerShell(Remove-Item *)", Some(RuleKind::PowerShell)),
            ("*", None),
        ] {
            assert_eq!(read(text, List::Deny).unwrap().kind, kind, "{text}");
        }
        for (text, says) in [
            ("Bsh", "unknown rule name `Bsh`; did you mean `Bash`?"),
            ("bash(x)", "unknown rule name `bash`; did you mean `Bash`?"),
            ("Frob", "unknown rule name `Frob`; to match a tool, write `Tool(Frob)`"),
            ("Bash()", "`Bash()` has empty parentheses; write `Bash`"),
            ("Bash(x", "`Bash(x` does not end with `)`; add the closing parenthesis"),
            ("WebFetch(x.org)", "`WebFetch(x.org)` needs the prefix `domain:`; write `WebFetch(domain:x.org)`"),
            ("WebSearch(x)", "`WebSearch(x)` accepts no parentheses; write `WebSearch`"),
        ] {
            assert_eq!(read(text, List::Deny).unwrap_err(), says, "{text}");
        }
    }

    #[test]
    fn g2_arguments_are_matched_only_in_deny_and_ask() {
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
            assert_eq!(matches!(rule.limit(), Matcher::Param { .. }), is_param, "{text}");
        }
        assert_eq!(
            read("Bash(command:rm *)", List::Deny).unwrap_err(),
            "`Bash(command:rm *)`: `command` cannot be matched as an argument; write `Bash(rm *)`"
        );
        assert!(read("Bash(run_in_background:true)", List::Allow).is_err());
    }

    #[test]
    fn g3_allow_rules_need_a_literal_name() {
        for text in ["*", "mcp__*", "mcp__git*__x", "Tool", "Tool(*)", "Tool(*x)"] {
            assert!(read(text, List::Allow).is_err(), "{text}");
            assert!(read(text, List::Deny).is_ok(), "{text}");
        }
        for text in ["mcp__git__*", "mcp__git__get_*", "Tool(frob*)", "Bash", "Edit"] {
            assert!(read(text, List::Allow).is_ok(), "{text}");
        }
    }
}
