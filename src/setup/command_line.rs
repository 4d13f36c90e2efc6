//! The command line of snaphook: written into entries, and parsed from the entries of any file.

use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::{Agent, Entry, FailureAnswer, Reader, Role};

use super::edit::Format;
use super::guard;
use crate::policy::Places;

/// The absolute paths in a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPaths {
    pub(crate) program: String,
    /// The policy, and files with further rules; empty for the default policy.
    pub(crate) policies: Vec<String>,
    /// The audit log.
    pub(crate) audit: Option<String>,
    /// The trust store.
    pub(crate) trust: Option<String>,
}

impl CommandPaths {
    pub(crate) fn new(program: impl Into<String>) -> Self {
        Self { program: program.into(), policies: Vec::new(), audit: None, trust: None }
    }

    #[cfg(test)]
    #[must_use]
    pub(crate) fn policy(mut self, path: impl Into<String>) -> Self {
        self.policies = vec![path.into()];
        self
    }
}

const EVENT: &str = "--event";
const POLICY: &str = "--policy";
const AUDIT: &str = "--audit";
const TRUST: &str = "--trust";

/// Returns the program and its arguments.
pub(crate) fn words<'a>(agent: &'a Agent, entry: &'a Entry, paths: &'a CommandPaths) -> Vec<&'a str> {
    with_flags(&[POLICY, AUDIT, TRUST, EVENT], agent, entry, paths)
}

/// Returns the command line as a text for the shell that the agent uses, with the guard that the entry needs.
///
/// The order of the flags differs by format and must stay, since users have to approve a changed line again.
pub(crate) fn shell_text(format: Format, agent: &Agent, entry: &Entry, paths: &CommandPaths) -> String {
    let is_yaml = matches!(format, Format::Yaml | Format::Own);
    let flags: &[_] = if is_yaml { &[POLICY, TRUST, AUDIT, EVENT] } else { &[EVENT, POLICY] };
    let words = with_flags(flags, agent, entry, paths);
    let is_nested = agent.registration.shell != Reader::Sh;
    let line = if is_nested { guard::nested_line(words) } else { guard::line(words) };
    let script = match entry.failure {
        FailureAnswer::Exit2 => {
            let quoted = if is_nested { guard::nested_word } else { guard::word };
            guard::exit_2(&line, &quoted(&paths.program))
        }
        FailureAnswer::Document(document) => guard::document(&line, &paths.program, document),
        FailureAnswer::None if is_yaml => guard::exec(&line),
        FailureAnswer::None => line,
    };
    if is_nested { guard::sh(&script) } else { script }
}

fn with_flags<'a>(flags: &[&'static str], agent: &'a Agent, entry: &'a Entry, paths: &'a CommandPaths) -> Vec<&'a str> {
    let mut words = vec![paths.program.as_str(), "hook", agent.id];
    for flag in flags {
        let value = match (*flag, entry.events) {
            (POLICY, _) => {
                words.extend(paths.policies.iter().flat_map(|policy| [POLICY, policy.as_str()]));
                continue;
            }
            (AUDIT, _) => paths.audit.as_deref(),
            (TRUST, _) => paths.trust.as_deref(),
            (_, [event]) => Some(name_in_messages(agent, event)),
            // Each message contains the name of its event.
            _ => None,
        };
        words.extend(value.into_iter().flat_map(|value| [*flag, value]));
    }
    words.extend(entry.role.flag());
    words
}

/// The options that name policies in a command that a person copies, each after a space.
pub(crate) fn policy_options<'a>(policies: impl IntoIterator<Item = &'a PathBuf>, places: &Places) -> String {
    let option = |policy: &PathBuf| format!(" {POLICY} {}", argument(policy, places));
    policies.into_iter().map(option).collect::<Vec<_>>().concat()
}

/// Formats a path as an argument in a command that a person copies.
pub(crate) fn argument(path: &Path, places: &Places) -> String {
    let shown = places.shown(path);
    match shown.strip_prefix("~/") {
        Some(rest) => format!("~/{}", guard::word(rest)),
        None => guard::word(&shown),
    }
}

/// The name that messages have for an event of an entry.
fn name_in_messages<'a>(agent: &'a Agent, event: &'a str) -> &'a str {
    if agent.events.iter().any(|row| row.native == event) {
        return event;
    }
    agent.events.iter().find(|row| row.registered_name() == event).map_or(event, |row| row.native)
}

/// The words of a registered command, of snaphook or of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine(Vec<String>);

impl CommandLine {
    /// Creates a command line from its words.
    pub(crate) fn of_words(words: Vec<String>) -> Self {
        Self(words)
    }

    /// Parses a shell text. The words of a text from [`shell_text`] are restored exactly. Of any other text, the first
    /// words are parsed, which suffice to decide if it calls snaphook.
    pub(crate) fn of_shell_text(text: &str) -> Self {
        Self(words_of(text, false))
    }

    /// The value after a flag.
    pub(crate) fn flag(&self, name: &str) -> Option<&str> {
        self.flags(name).next()
    }

    /// The values after each occurrence of a flag.
    fn flags(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.windows(2).filter_map(move |pair| match pair {
            [flag, value] if flag == name => Some(value.as_str()),
            _ => None,
        })
    }

    /// The event that it names.
    pub(crate) fn event(&self) -> Option<&str> {
        self.flag(EVENT)
    }

    /// The policy that it names, and files with further rules.
    pub(crate) fn policies(&self) -> impl Iterator<Item = &str> {
        self.flags(POLICY)
    }

    /// The trust store that it names.
    pub(crate) fn trust(&self) -> Option<&str> {
        self.flag(TRUST)
    }

    /// The program that runs as the hook of an agent.
    fn program(&self, agent: &str) -> Option<&str> {
        // If another word precedes the program, such as `echo`, that word is the program that runs.
        let starts_another = |word: &&String| {
            ["exec", "command", "env", "nice", "nohup", "timeout"].contains(&word.as_str())
                || word.contains('=')
                || word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        };
        let at = self.0.iter().take_while(starts_another).count();
        match self.0.get(at..)? {
            [program, hook, whose, ..] if hook == "hook" && whose == agent => Some(program),
            _ => None,
        }
    }

    /// Returns true if the command runs snaphook for an agent. A program with another name is accepted only if another
    /// word names snaphook, such as the path of the policy.
    pub(crate) fn calls(&self, agent: &str) -> bool {
        self.program(agent).is_some_and(|program| {
            let name = program.rsplit('/').next().unwrap_or(program);
            let rest = name.strip_prefix("snaphook");
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', '.']))
                || self.0.iter().any(|word| word != program && word.contains("snaphook"))
        })
    }

    /// The paths in it, if it runs a hook for an agent.
    pub(crate) fn paths(&self, agent: &str) -> Option<CommandPaths> {
        let path = |flag| self.flag(flag).map(str::to_owned);
        let program = self.program(agent)?.to_owned();
        let policies = self.policies().map(str::to_owned).collect();
        Some(CommandPaths { program, policies, audit: path(AUDIT), trust: path(TRUST) })
    }

    /// The role of its gate, for an event with several gates.
    pub(crate) fn role(&self) -> Role {
        Role::stated_by(&self.0)
    }
}

/// The words of a shell text, or of the script that it passes to another shell.
fn words_of(text: &str, is_nested: bool) -> Vec<String> {
    let line = guard::unguarded(text);
    let plain = if is_nested { guard::unnested(line) } else { line.to_owned() };
    let words = shlex::split(&plain).unwrap_or_default();
    if let [_, flag, script] = words.as_slice()
        && flag == "-c"
    {
        return words_of(script, true);
    }
    let quoted = if is_nested { guard::nested_line } else { guard::line };
    if quoted(words.iter().map(String::as_str)) == line {
        return words;
    }
    let bare = |word: &String| word.strip_prefix("out=$(").unwrap_or(word).trim_end_matches([')', ';']).to_owned();
    words.iter().map(bare).collect()
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::protocol::HookProtocol;
    use snaphook_adapters::registry::Registry;

    use super::*;

    #[test]
    fn a_written_command_line_is_read_back() {
        let odd = "/h o'm\"e/$HOME/`id`/\\x\\\\y/!/*/é/--event x) && printf %s \"$out\" ; (a);)";
        let plain = CommandPaths::new("/usr/bin/snaphook");
        let all = CommandPaths {
            policies: vec![odd.to_owned(), "/more.toml".to_owned()],
            audit: Some("/a;".to_owned()),
            trust: Some("/t)".to_owned()),
            ..CommandPaths::new(format!("{odd}/snaphook"))
        };
        for agent in Registry::standard().iter().map(HookProtocol::agent) {
            for entry in agent.registration.blocks.iter().flat_map(|block| block.entries) {
                for paths in [&plain, &all, &plain.clone().policy("/p.toml")] {
                    let same = |line: &CommandLine, paths: &CommandPaths| {
                        assert_eq!(line.paths(agent.id).as_ref(), Some(paths), "{line:?}");
                        assert_eq!(line.role(), entry.role, "{line:?}");
                        match (entry.events, line.flag(EVENT)) {
                            // The name in messages of the event that is registered.
                            ([event], Some(named)) => assert!(
                                agent.events.iter().any(|row| row.native == named && row.registered_name() == *event),
                                "{line:?}"
                            ),
                            (_, named) => assert_eq!(named, None, "{line:?}"),
                        }
                        assert!(line.calls(agent.id), "{line:?}");
                    };
                    let written = words(agent, entry, paths);
                    same(&CommandLine::of_words(written.into_iter().map(str::to_owned).collect()), paths);
                    same(&CommandLine::of_shell_text(&shell_text(Format::Yaml, agent, entry, paths)), paths);
                    let without = CommandPaths { audit: None, trust: None, ..paths.clone() };
                    same(&CommandLine::of_shell_text(&shell_text(Format::Json, agent, entry, paths)), &without);
                }
            }
        }
    }

    #[test]
    fn only_a_command_line_that_runs_our_hook_counts_as_ours() {
        for (line, calls) in [
            ("snaphook hook codex", true),
            ("exec nice -n 5 /opt/snaphook-0.2 hook codex; true", true),
            ("/bin/bash -c 'A=1 snaphook hook codex'", true),
            ("out=$(snaphook hook codex) && echo $out", true),
            ("/opt/hooks hook codex --policy /etc/snaphook.toml", true),
            ("/opt/hooks hook codex", false),
            ("echo snaphook hook codex", false),
            ("snaphook hook claude-code", false),
            ("snaphook 'hook codex", false),
        ] {
            assert_eq!(CommandLine::of_shell_text(line).calls("codex"), calls, "{line}");
        }
    }
}
