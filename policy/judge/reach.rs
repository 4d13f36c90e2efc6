//! Finds rules that other rules make void: each of some sample calls of the rule is decided by a stricter one.

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, McpName, ShellKind, VerdictKind};

use crate::list::List;
use crate::path::Folders;
use crate::rule::{Matcher, Rule, RuleKind};
use crate::{Cause, Policy, PolicyCall};

/// Replaces a star in a sample. No rule is about such a word.
const WORD: &str = "q7zw";

/// A call that a rule matches.
struct SampleCall {
    tool: String,
    action: Action,
}

impl Policy {
    /// The stricter rule that decides everything that a rule of a list matches; `None` if there is no such rule, or if it is
    /// not evident.
    pub fn outweighing(&self, rule: &Rule, list: List, agent: &str, folders: Folders<'_>) -> Option<Cause> {
        let is_void = |cause: &Cause| match cause.verdict {
            VerdictKind::Deny => list != List::Deny,
            VerdictKind::Ask => list == List::Allow,
            _ => false,
        };
        let mut first = None;
        for SampleCall { tool, action } in samples(rule, list) {
            let input = Raw::document("{}");
            let actions = [action];
            let call = PolicyCall::new(agent, &tool, &input, &actions);
            let facts = self.facts(folders);
            let cause = facts.judging(true).verdict(&call).causes.into_iter().next().filter(is_void)?;
            first.get_or_insert(cause);
        }
        first
    }
}

/// Calls that a rule matches, which together show its reach. Empty for rules of which no such calls are known.
fn samples(rule: &Rule, list: List) -> Vec<SampleCall> {
    let Some(kind) = rule.kind else { return Vec::new() };
    let specifier = rule.text.split_once('(').and_then(|(_, rest)| rest.trim_end().strip_suffix(')'));
    let specifier = specifier.map_or("", str::trim);
    if rule.param().is_some() || specifier.contains(['\\', '[', '{', '<']) {
        return Vec::new();
    }
    let filled = specifier.replace('*', WORD);
    let is_bare = matches!(rule.limit(), Matcher::None);
    let actions = match kind {
        RuleKind::Bash => commands(if is_bare { "*" } else { specifier }),
        RuleKind::Read | RuleKind::Edit | RuleKind::Delete => paths(kind, list, if is_bare { "**" } else { specifier }),
        RuleKind::WebFetch => match specifier.strip_prefix("domain:") {
            Some(_) => vec![fetch(filled.trim_start_matches("domain:").trim())],
            None if is_bare => vec![fetch(&format!("{WORD}.example"))],
            None => Vec::new(),
        },
        RuleKind::WebSearch => vec![Action::WebSearch { query: WORD.to_owned() }],
        RuleKind::Agent if is_bare => vec![Action::Subagent { name: Some(WORD.to_owned()) }],
        RuleKind::Agent => vec![Action::Subagent { name: Some(filled) }],
        RuleKind::Mcp => mcp(&rule.text).into_iter().collect(),
        RuleKind::Tool if !is_bare && rule.text.starts_with("Tool(") => {
            return vec![SampleCall { tool: filled, action: Action::Other }];
        }
        RuleKind::Tool | RuleKind::Skill | RuleKind::PowerShell => Vec::new(),
    };
    actions.into_iter().map(|action| SampleCall { tool: WORD.to_owned(), action }).collect()
}

fn commands(pattern: &str) -> Vec<Action> {
    let tail = [" *", ":*", "*"].into_iter().find(|tail| pattern.ends_with(tail)).unwrap_or_default();
    let start = pattern.strip_suffix(tail).unwrap_or(pattern).replace('*', WORD);
    let ends = match tail {
        "" => &[""][..],
        "*" if start.is_empty() => &[WORD],
        "*" => &["", WORD],
        _ => &["", " q7zw", " q7zw q7zx"],
    };
    let shell = |text: String| Action::Shell { command: text.into(), cwd: None, shell: ShellKind::Posix };
    ends.iter().map(|end| shell(format!("{start}{end}"))).collect()
}

fn paths(kind: RuleKind, list: List, pattern: &str) -> Vec<Action> {
    let path = match pattern.strip_prefix("//") {
        Some(rest) => format!("/{rest}"),
        None => pattern.strip_prefix('/').unwrap_or(pattern).to_owned(),
    };
    let path = path.trim_end_matches('/').replace("**", WORD).replace(['*', '?'], WORD);
    let below = format!("{path}/{WORD}");
    let each = |action: fn(String) -> Action| [action(path.clone()), action(below.clone())];
    let mut actions = match kind {
        RuleKind::Read => each(|path| Action::Read { path }),
        RuleKind::Delete => each(|path| Action::Delete { path }),
        _ => each(|path| Action::Write { path }),
    }
    .to_vec();
    // An allow rule about changes also allows to read.
    if kind == RuleKind::Edit && list == List::Allow {
        actions.extend(each(|path| Action::Read { path }));
    }
    actions
}

fn fetch(host: &str) -> Action {
    Action::Fetch { url: format!("https://{host}/") }
}

fn mcp(rule: &str) -> Option<Action> {
    let name = rule.strip_prefix("mcp__")?.replace('*', WORD);
    let (server, tool) = name.split_once("__").unwrap_or((&name, WORD));
    Some(Action::Mcp(McpName::Split { server: server.to_owned(), tool: tool.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::tests::policy;

    fn outweighed(text: &str) -> Vec<String> {
        let policy = policy(&format!("[permissions]\n{text}"));
        let file = policy.files().next().unwrap();
        let all =
            [List::Ask, List::Allow].into_iter().flat_map(|list| file.lists.of(list).iter().map(move |r| (list, r)));
        let found = all.filter_map(|(list, rule)| {
            let cause = policy.outweighing(rule, list, "", Folders::at(Some("/w/app")))?;
            Some(format!("{} < {}", rule.text, cause.rule))
        });
        found.collect()
    }

    #[test]
    fn a_rule_that_stricter_rules_cover_is_outweighed() {
        for (rules, says) in [
            ("deny = ['Bash(git *)']\nallow = ['Bash(git push *)']", "Bash(git push *) < Bash(git *)"),
            ("deny = ['Bash(git *)']\nask = ['Bash(git push)']", "Bash(git push) < Bash(git *)"),
            ("ask = ['Bash']\nallow = ['Bash(ls*)']", "Bash(ls*) < Bash"),
            ("deny = ['*']\nallow = ['WebFetch(domain:*.x.org)']", "WebFetch(domain:*.x.org) < *"),
            ("deny = ['Read(secrets/**)']\nallow = ['Edit(secrets/a/**)']", "Edit(secrets/a/**) < Read(secrets/**)"),
            ("deny = ['Read(.env)']\nallow = ['Bash(cat .env)']", "Bash(cat .env) < Read(.env)"),
            ("deny = ['mcp__git']\nallow = ['mcp__git__get_*']", "mcp__git__get_* < mcp__git"),
            ("deny = ['Tool(frob*)']\nask = ['Tool(frobnicate)']", "Tool(frobnicate) < Tool(frob*)"),
            ("deny = ['Agent']\nallow = ['Agent(x)']", "Agent(x) < Agent"),
            ("deny = ['Delete(//data/**)']\nask = ['Delete(//data/x)']", "Delete(//data/x) < Delete(//data/**)"),
        ] {
            assert_eq!(outweighed(rules), [says], "{rules}");
        }
    }

    #[test]
    fn a_rule_with_calls_of_its_own_is_kept() {
        for rules in [
            "deny = ['Bash(git push --force *)']\nallow = ['Bash(git push *)']",
            "deny = ['Bash(git push)']\nallow = ['Bash(git push *)']",
            "deny = ['Edit(src/**)']\nallow = ['Edit(src/**)']",
            "deny = ['Read(src/gen/**)']\nallow = ['Read(src/**)']",
            "ask = ['Bash(rm *)']\nallow = ['Bash']",
            "deny = ['WebFetch(domain:a.x.org)']\nallow = ['WebFetch(domain:*.x.org)']",
            "deny = ['mcp__git__get_x']\nallow = ['mcp__git']",
            "deny = ['Bash(a)']\nask = ['Bash(b)']\nallow = ['Bash(c)', 'Read', 'WebSearch', 'Agent', 'Skill(x)']",
        ] {
            assert_eq!(outweighed(rules), Vec::<String>::new(), "{rules}");
        }
    }
}
