//! Rules that are valid and can never match as they are written, or match more than they say.

use std::rc::Rc;

use snaphook_adapters::model::{Command, ShellKind};
use snaphook_shell::{Budget, Part, Script, is_name};

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

/// Programs that a rule may mean without arguments: they print variables, or stop the machine.
#[rustfmt::skip]
const ALONE: &[&str] = &[
    "alias", "declare", "env", "export", "halt", "history", "logout", "poweroff", "printenv", "reboot", "set", "shutdown", "typeset",
];

/// Programs that run a command or, with an option, only say something about it: `command -v x`.
const SHOWING: &[&str] = &["command"];

/// Arguments that some program accepts, to see whether a rule ever allows.
const EXAMPLES: [&str; 7] = [" 1 x", " x", " --version", " 1", " -e", " x ]", " x ]]"];

/// What is wrong with the spelling of a rule and what to write instead; `None` if nothing is.
pub fn misspelt(rule: &Rule, list: List, limits: &PolicyLimits) -> Option<String> {
    let (name, specifier) = rule.text.split_once('(').unwrap_or((&rule.text, ""));
    let (name, specifier) = (name.trim(), specifier.trim_end().strip_suffix(')').unwrap_or_default().trim());
    let kind = rule.kind?;
    if matches!(kind, RuleKind::Bash | RuleKind::Read | RuleKind::Edit | RuleKind::Delete)
        && let Some(fault) = quoted(name, specifier)
            .or_else(|| regular_expression(name, specifier))
            .or_else(|| list_in_one(name, specifier, kind))
    {
        return Some(fault);
    }
    if kind == RuleKind::Bash
        && let Some(fault) = typographic(specifier).or_else(|| braces(specifier))
    {
        return Some(fault);
    }
    match (kind, rule.limit()) {
        (RuleKind::Read | RuleKind::Edit | RuleKind::Delete, Matcher::Path(_)) => path(name, specifier),
        (RuleKind::Bash, Matcher::Command(_)) if list == List::Allow => command(specifier, limits),
        (RuleKind::Bash, Matcher::Command(_)) => guard(specifier),
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

/// A pattern in quotes, as in a shell.
fn quoted(name: &str, pattern: &str) -> Option<String> {
    let inside = ['\'', '"', '`']
        .into_iter()
        .find_map(|quote| pattern.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)))?;
    let is_whole = !inside.is_empty() && !inside.contains(['\'', '"', '`']);
    is_whole.then(|| format!("never matches, because the quotes belong to the pattern; write `{name}({inside})`"))
}

/// A regular expression in place of a pattern.
fn regular_expression(name: &str, pattern: &str) -> Option<String> {
    let is_one =
        pattern.starts_with('^') || pattern.contains(".*\\") || pattern.contains("\\s") || pattern.ends_with(".*$");
    let plain = pattern.trim_start_matches('^').trim_end_matches('$');
    let plain =
        plain.replace("\\s+", " ").replace("\\s*", " ").replace("\\s", " ").replace(".*", "*").replace("\\.", ".");
    is_one.then(|| format!("is read as a pattern in which only `*` is special; write `{name}({plain})`"))
}

/// Several patterns in one rule.
fn list_in_one(name: &str, pattern: &str, kind: RuleKind) -> Option<String> {
    let each: Vec<_> = pattern.split(", ").map(str::trim).collect();
    let is_one = |one: &&str| match kind {
        RuleKind::Bash => one.ends_with('*') && one.starts_with(|first: char| first.is_ascii_alphanumeric()),
        _ => !one.is_empty() && !one.contains(' '),
    };
    let is_list = each.len() > 1 && each.iter().all(is_one) && !pattern.contains(['\'', '"', '\\']);
    let each = each.iter().map(|one| format!("`{name}({one})`")).collect::<Vec<_>>().join(", ");
    is_list.then(|| format!("is one pattern with a comma; write {each}"))
}

/// A pattern with characters that an editor or a web page puts in place of those of a shell.
fn typographic(pattern: &str) -> Option<String> {
    let plain: String = pattern
        .chars()
        .map(|c| match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{a0}' | '\u{202f}' => ' ',
            c => c,
        })
        .collect();
    (plain != pattern)
        .then(|| format!("has a typographic dash, quote or blank, which commands do not have; write `Bash({plain})`"))
}

/// Braces that stand for several words.
fn braces(pattern: &str) -> Option<String> {
    let each = alternatives(pattern).filter(|each| {
        !pattern.contains(['\'', '"', '$', '\\']) && each.iter().all(|one| !one.contains(['{', '}', ':']))
    })?;
    let each: Vec<_> = each.iter().map(|one| format!("`Bash({one})`")).collect();
    Some(format!("is compared with the braces as they are; write {}", each.join(", ")))
}

/// A deny or ask rule that matches less than it says.
fn guard(pattern: &str) -> Option<String> {
    let is_assignment = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let rest: Vec<_> = pattern.split(' ').skip_while(is_assignment).collect();
    if rest.len() < pattern.split(' ').count() {
        let rest = rest.join(" ");
        let what = "never matches, because deny and ask compare commands without their assignments";
        return Some(match rest.as_str() {
            "" | "*" => format!("{what}; write rules on the commands"),
            rest => format!("{what}; write `Bash({rest})`"),
        });
    }
    let is_program = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+/".contains(&byte);
    (!pattern.is_empty() && pattern.bytes().all(is_program) && !ALONE.contains(&pattern))
        .then(|| format!("matches `{pattern}` without arguments only; write `Bash({pattern} *)`"))
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
    let examples: &[&str] = if tail.is_empty() { &[""] } else { &EXAMPLES };
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
    if wrapper.watch_only && !SHOWING.contains(&text) {
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
        for rule in [
            "Bash(npm *)",
            "Bash(npm test)",
            "Bash(git log --format=*)",
            "Bash(python3 *)",
            "Bash([ *)",
            "Bash([:*)",
            "Bash([[ *)",
            "Bash(set *)",
            "Bash(exit *)",
            "Bash(break *)",
            "Bash(return *)",
            "Bash(command *)",
        ] {
            assert_eq!(says(rule, List::Allow), "", "{rule}");
        }
    }

    #[test]
    fn a_deny_rule_that_matches_less_than_it_says_is_said_with_the_right_spelling() {
        for (rule, hint) in [
            ("Bash(rm)", "matches `rm` without arguments only; write `Bash(rm *)`"),
            ("Bash(FOO=bar npm test)", "write `Bash(npm test)`"),
            ("Bash(AWS_PROFILE=prod *)", "write rules on the commands"),
            ("Bash(\"git push *\")", "write `Bash(git push *)`"),
            ("Read('.env')", "write `Read(.env)`"),
            ("Bash(^rm .*$)", "write `Bash(rm *)`"),
            ("Read(.*\\.pem)", "write `Read(*.pem)`"),
            ("Bash(rm *, sudo *)", "write `Bash(rm *)`, `Bash(sudo *)`"),
            ("Read(.env, *.pem)", "write `Read(.env)`, `Read(*.pem)`"),
            ("Bash(git {push,pull} *)", "write `Bash(git push *)`, `Bash(git pull *)`"),
            ("Bash(rm \u{2013}rf *)", "write `Bash(rm -rf *)`"),
            ("Bash(git\u{a0}push *)", "write `Bash(git push *)`"),
        ] {
            let found = says(rule, List::Deny);
            assert!(found.ends_with(hint), "{rule}: {found}");
            let (_, proposed) = found.rsplit_once("write `").unwrap_or_default();
            if let Some(proposed) = proposed.strip_suffix('`').filter(|proposed| !proposed.contains('`')) {
                assert_eq!(says(proposed, List::Deny), "", "{proposed}");
            }
        }
        for rule in [
            "Bash(echo a, b)",
            "Bash(git show HEAD@{1})",
            "Bash(x '{a,b}')",
            "Bash(export FOO=*)",
            "Bash(env)",
            "Bash(git push)",
            "Bash(echo 'a b')",
            "Bash(* 'x')",
            "Read(a'b)",
        ] {
            assert_eq!(says(rule, List::Deny), "", "{rule}");
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
