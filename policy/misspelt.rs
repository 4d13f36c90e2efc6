//! Rules that are valid and can never match as they are written, or match more than they say.

use std::rc::Rc;

use snaphook_adapters::model::{Command, ShellKind};
use snaphook_shell::{Budget, Part, Script};

use super::PolicyLimits;
use super::command::analyse;
use super::rule::{Matcher, Rule, RuleKind};
use crate::list::List;

/// Folders at the root of a file system that a project hardly has.
#[rustfmt::skip]
const ROOTS: &[&str] = &[
    "Applications", "Library", "System", "Users", "Volumes", "boot", "etc", "home", "mnt", "opt", "private", "proc", "root",
    "sys", "usr", "var",
];

/// What is wrong with the spelling of a rule and what to write instead; `None` if nothing is.
pub fn misspelt(rule: &Rule, list: List, limits: &PolicyLimits) -> Option<String> {
    let (name, specifier) = rule.text.split_once('(').unwrap_or((&rule.text, ""));
    let (name, specifier) = (name.trim(), specifier.trim_end().strip_suffix(')').unwrap_or_default().trim());
    match (rule.kind?, rule.limit()) {
        (RuleKind::Read | RuleKind::Edit | RuleKind::Delete, Matcher::Path(_)) => path(name, specifier),
        (RuleKind::Bash, Matcher::Command(_)) if list == List::Allow => command(specifier, limits),
        (RuleKind::PowerShell, _) if list == List::Allow => {
            Some("never allows, because commands for PowerShell are not analysed; remove the rule".to_owned())
        }
        (RuleKind::WebFetch, Matcher::AnyCall(_)) => {
            Some("never allows, because only hosts can be allowed; write `WebFetch(domain:HOST)`".to_owned())
        }
        (RuleKind::WebFetch, Matcher::Domain(_)) if !specifier.starts_with("domain:") => {
            Some("matches every page of the host; write `WebFetch(domain:HOST)`".to_owned())
        }
        (RuleKind::Tool, Matcher::AnyCall(_)) if list == List::Allow => {
            Some(format!("never allows, because `{specifier}` is not compared; write `{name}` to allow every call"))
        }
        (RuleKind::Tool, Matcher::AnyCall(_)) => {
            Some(format!("matches every call of {name}, because `{specifier}` is not compared; write `{name}`"))
        }
        _ => None,
    }
}

fn path(name: &str, pattern: &str) -> Option<String> {
    let plain = pattern.trim_start_matches(['/', '.']);
    if let Some(rest) = ["$HOME", "${HOME}", "%USERPROFILE%"].iter().find_map(|home| plain.strip_prefix(home)) {
        return Some(format!("never matches, because variables are not expanded; write `{name}(~{rest})`"));
    }
    if plain.starts_with('$') {
        return Some("never matches, because variables are not expanded; write the path".to_owned());
    }
    if let Some(each) = alternatives(pattern) {
        let each: Vec<_> = each.iter().map(|one| format!("`{name}({one})`")).collect();
        return Some(format!("never matches, because braces are not expanded; write {}", each.join(", ")));
    }
    let first = pattern.strip_prefix('/')?.split('/').next()?;
    ROOTS.contains(&first).then(|| {
        format!("matches only files below the root of the project; write `{name}(/{pattern})` for the absolute path")
    })
}

/// The patterns that `{a,b}` stands for in a shell.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (before, rest) = pattern.split_once('{')?;
    let (inside, behind) = rest.split_once('}')?;
    let each = inside.contains(',').then(|| inside.split(','))?;
    Some(each.map(|one| format!("{before}{}{behind}", one.trim())).collect())
}

/// An allow rule that no command can satisfy, whatever its stars stand for.
fn command(pattern: &str, limits: &PolicyLimits) -> Option<String> {
    let tail = [" *", ":*", "*"].into_iter().find(|tail| pattern.ends_with(tail)).unwrap_or_default();
    let text = pattern.strip_suffix(tail).unwrap_or(pattern);
    if text.contains(['*', '\'', '"', '\\', '$', '`']) {
        return None;
    }
    let understood = |text: &str| {
        let command = Command::from(text);
        analyse(&command, ShellKind::Posix, limits, &|_| false, &Budget::default())
    };
    let examples: &[&str] = if tail.is_empty() { &[""] } else { &[" 1 x", " x", " --version"] };
    let mut readings = Vec::new();
    for example in examples.iter().map(|words| format!("{text}{words}")) {
        let Script { parts, not_understood, .. } = understood(&example);
        readings.push((example, parts, not_understood));
    }
    if let [(.., Some(word)), rest @ ..] = readings.as_slice()
        && rest.iter().all(|(.., not_understood)| not_understood.is_some())
    {
        return Some(format!("never allows, because {word} is not understood; remove the rule"));
    }
    let (example, parts, _) = readings.into_iter().next()?;
    let own = |part: &&Rc<Part>| part.text == example;
    let wrapper = parts.iter().find(own)?;
    if wrapper.watch_only {
        let inner = understood(text).parts;
        let is_inside = |part: &&Rc<Part>| !part.watch_only && part.text != text;
        let inner: Vec<_> = inner.iter().filter(is_inside).map(|part| part.text.as_str()).collect();
        let what = match inner.as_slice() {
            [] => "write rules on the commands that it runs".to_owned(),
            inner => {
                let each: Vec<_> = inner.iter().map(|text| format!("`Bash({text}{tail})`")).collect();
                format!("write {}", each.join(", "))
            }
        };
        return Some(format!("never allows, because the command inside is judged alone; {what}"));
    }
    (wrapper.opaque.is_some() && !tail.is_empty()).then(|| {
        "never allows, because code in an argument is allowed only by a rule that contains all of it; leave out the `*`"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::parse;
    use crate::testing::InventedTools;

    fn says(text: &str, list: List) -> String {
        let rule = parse(text, 0, list, &InventedTools).unwrap();
        misspelt(&rule, list, &PolicyLimits::default()).unwrap_or_default()
    }

    #[test]
    fn a_path_that_no_file_has_is_said_with_the_right_spelling() {
        for (rule, hint) in [
            ("Read(/etc/passwd)", "`Read(//etc/passwd)` for the absolute path"),
            ("Write(/home/u/x)", "`Write(//home/u/x)` for the absolute path"),
            ("Read($HOME/.ssh/**)", "write `Read(~/.ssh/**)`"),
            ("Edit(${HOME}/x)", "write `Edit(~/x)`"),
            ("Read($SECRETS/x)", "write the path"),
            ("Read(*.{key,pem})", "write `Read(*.key)`, `Read(*.pem)`"),
        ] {
            let found = says(rule, List::Deny);
            assert!(found.ends_with(hint), "{rule}: {found}");
        }
        for rule in ["Read(//etc/passwd)", "Read(/src/**)", "Read(etc/x)", "Read(.env)", "Read(a{b}c)", "Read(cost$)"] {
            assert_eq!(says(rule, List::Deny), "", "{rule}");
        }
    }

    #[test]
    fn an_allow_rule_that_no_command_satisfies_is_said_with_the_right_spelling() {
        for (rule, hint) in [
            ("Bash(timeout 5 npm test)", "write `Bash(npm test)`"),
            ("Bash(timeout 5 npm run *)", "write `Bash(npm run *)`"),
            ("Bash(nice cargo build:*)", "write `Bash(cargo build:*)`"),
            ("Bash(timeout *)", "write rules on the commands that it runs"),
            ("Bash(eval *)", "`eval` is not understood; remove the rule"),
            ("Bash(python3 -c *)", "leave out the `*`"),
        ] {
            let found = says(rule, List::Allow);
            assert!(found.ends_with(hint), "{rule}: {found}");
            assert_eq!(says(rule, List::Deny), "", "{rule}");
        }
        for rule in ["Bash(npm *)", "Bash(npm test)", "Bash(git log --format=*)", "Bash(python3 *)"] {
            assert_eq!(says(rule, List::Allow), "", "{rule}");
        }
    }

    #[test]
    fn a_rule_that_is_compared_in_part_says_so() {
        for (rule, list, hint) in [
            (
                "KillShell(x)",
                List::Deny,
                "matches every call of KillShell, because `x` is not compared; write `KillShell`",
            ),
            (
                "KillShell(x)",
                List::Allow,
                "never allows, because `x` is not compared; write `KillShell` to allow every call",
            ),
            ("PowerShell(ls)", List::Allow, "not analysed; remove the rule"),
            (
                "WebFetch(https://x.org/a/*)",
                List::Deny,
                "matches every page of the host; write `WebFetch(domain:HOST)`",
            ),
            ("WebFetch(https://x.org/a/*)", List::Allow, "write `WebFetch(domain:HOST)`"),
        ] {
            let found = says(rule, list);
            assert!(found.ends_with(hint), "{rule}: {found}");
        }
        for rule in ["TodoWrite", "Skill(deploy *)", "PowerShell(ls)", "WebFetch(domain:x.org)"] {
            assert_eq!(says(rule, List::Ask), "", "{rule}");
        }
    }
}
