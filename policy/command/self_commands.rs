//! Commands of snaphook itself.

use snaphook_shell::{Word, base_name, only_reads};

/// The program's name.
const NAME: &str = "snaphook";

/// Subcommands that change no file that affects later calls.
const HARMLESS: &[&str] = &[
    "hook",
    "run",
    "try",
    "agents",
    "status",
    "doctor",
    "log",
    "why",
    "stats",
    "replay",
    "drift",
    "check",
    "policy",
    "schema",
    "completions",
    "man",
    "help",
    "--help",
    "-h",
    "--version",
    "-V",
];

/// Subcommands that change such a file.
const CHANGES: &[&str] =
    &["trust", "install", "uninstall", "init", "import", "adopt", "unadopt", "pause", "allow-once"];

/// Returns true if a command calls snaphook to change its protection, or may do so because the subcommand is
/// unknown. `is_ours` returns true if another program name resolves to this program.
pub(crate) fn changes_protection(words: &[Word], is_ours: &dyn Fn(&str) -> bool) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let name = base_name(&program.value);
    let is_named = name == NAME || name.eq_ignore_ascii_case("snaphook.exe");
    let Some(command) = rest.first() else { return false };
    if !(is_named || (!program.is_dynamic() && is_ours(&program.value))) {
        return is_run_by(words);
    }
    let only_shows = || {
        let options = rest.iter().take_while(|word| word.value != "--");
        let shows = |word: &Word| match word.value.as_str() {
            "--help" | "-h" => true,
            // `trust` and `init` have no such option.
            "--dry-run" => {
                matches!(command.value.as_str(), "install" | "uninstall" | "import" | "adopt" | "unadopt")
            }
            _ => false,
        };
        !rest.iter().any(Word::is_dynamic) && options.skip(1).any(shows)
    };
    // It notes what was sent, and another policy may name another collector.
    let sends = || command.value == "log" && rest.iter().any(|word| word.is_dynamic() || word.value == "--send");
    command.is_dynamic() || sends() || !(HARMLESS.contains(&command.value.as_str()) || only_shows())
}

/// Returns true if an unlisted program, such as `ssh`, is given such a command as arguments. `make -C snaphook
/// install` also has these words.
fn is_run_by(words: &[Word]) -> bool {
    let words_after = |at: usize| words.iter().skip(at + 1).map(|word| word.value.as_str());
    let runs = words.iter().enumerate().skip(1).any(|(at, program)| {
        let command = (base_name(&program.value) == NAME).then(|| subcommand(words_after(at))).flatten();
        command.is_some_and(|command| CHANGES.contains(&command) && !["install", "init"].contains(&command))
    });
    runs && !only_reads(words)
}

/// Returns false for a text without the name, whatever quotes, backslashes and line breaks are removed from it. Most texts
/// need not be split then.
fn may_name(text: &str) -> bool {
    let spells = |rest: &str| {
        let mut letters = rest.chars().filter(|c| !matches!(c, '\'' | '"' | '\\' | '\n'));
        NAME.chars().all(|wanted| letters.next() == Some(wanted))
    };
    let first = NAME.chars().take(1).flat_map(|first| text.match_indices(first));
    first.filter_map(|(at, _)| text.get(at..)).any(spells)
}

/// Returns true if a text that is not understood contains the words of such a command next to each other.
pub(crate) fn names_change(text: &str) -> bool {
    if !may_name(text) {
        return false;
    }
    let bare: String = text.replace("\\\n", "").replace(['\'', '"', '\\'], "");
    let words = bare.split(|c: char| !(c.is_ascii_alphanumeric() || "_./-".contains(c)));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, program)| {
        let command = (base_name(program) == NAME).then(|| subcommand(words.iter().skip(at + 1).copied())).flatten();
        command.is_some_and(|command| CHANGES.contains(&command))
    })
}

/// The subcommand among the words after the program's name: the first that is neither an option nor a value of `--color`.
fn subcommand<'w>(mut words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    words.find(|word| !word.starts_with('-') && !["auto", "always", "never"].contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_change_protection_are_distinguished_from_those_that_only_show() {
        let says = |line: &str| {
            let words: Vec<_> = line.split(' ').map(Word::literal).collect();
            changes_protection(&words, &|name| name == "./copy")
        };
        for line in [
            "snaphook trust",
            "snaphook trust --yes .",
            "snaphook log --send",
            "snaphook log --policy x.toml --send",
            "snaphook trust --revoke",
            "snaphook trust --list --revoke .",
            "/opt/bin/snaphook uninstall",
            "snaphook uninstall --purge --yes",
            "snaphook install --policy x",
            "snaphook install --policy x -- --dry-run",
            "snaphook init",
            "snaphook import",
            "snaphook adopt",
            "snaphook unadopt codex",
            "snaphook pause 10m",
            "snaphook pause --stop",
            "snaphook allow-once last",
            "ssh -tt localhost snaphook allow-once k3f9abc",
            "snaphook --color never pause 1h",
            "snaphook later",
            "snaphook.exe trust",
            "./copy trust",
            "ssh -tt localhost snaphook trust",
            "ssh -tt localhost snaphook --color never trust",
        ] {
            assert!(says(line), "{line}");
        }
        for line in [
            "snaphook",
            "snaphook try trust",
            "snaphook status",
            "snaphook log --json",
            "snaphook hook codex",
            "snaphook run -- ls",
            "snaphook install --dry-run",
            "snaphook trust --help",
            "snaphooks trust",
            "./other trust",
            "echo snaphook trust",
            "make -C snaphook install",
        ] {
            assert!(!says(line), "{line}");
        }
    }

    #[test]
    fn code_that_names_such_a_command_is_recognised() {
        for (text, named) in [
            ("echo snaphook trust --yes | sh", true),
            ("os.system('snaphook trust')", true),
            ("run([\"/x/snaphook\", \"uninstall\"])", true),
            ("snap\"\"hook trust", true),
            ("os.system('snaphook --color never pause 1h')", true),
            ("run(['snaphook', '--color=always', 'trust'])", true),
            ("cd snaphook && npm install", false),
            ("snaphook status; trust", false),
        ] {
            assert_eq!(names_change(text), named, "{text}");
        }
    }
}
