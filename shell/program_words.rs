//! Words that may name a program that a command runs (B13). This is any word of any program that is not known only to
//! read, unless the word is known to be text or a subcommand.

use super::path_words::{only_reads, texts};
use super::programs::family;
use super::text_words;
use super::words::Word;
use super::{Touch, base_name};

/// Programs whose first operand is a subcommand.
#[rustfmt::skip]
const WITH_SUBCOMMANDS: &[&str] = &[
    "git", "docker", "podman", "npm", "pnpm", "yarn", "cargo", "rustup", "go", "pip", "pip3", "pipx", "uv", "poetry", "kubectl",
    "helm", "apt", "apt-get", "brew", "dnf", "yum", "gh", "glab", "systemctl", "terraform", "tofu", "aws", "gcloud", "az",
    "conda", "mvn", "gradle", "make", "just", "composer", "bundle", "gem", "dotnet", "deno", "bun",
];

/// Programs that only transfer, copy, move, remove or describe what their operands name.
#[rustfmt::skip]
const FILE_PROGRAMS: &[&str] = &[
    "cp", "mv", "rm", "rmdir", "ln", "touch", "chmod", "chown", "chgrp", "install", "tee", "truncate", "shred", "mktemp",
    "curl",
];

/// Subcommands whose operands are names of packages, tests, branches or services, which are not run: the programs, the
/// subcommands, options without a value, and options whose value is text.
type Naming = (&'static [&'static str], &'static [&'static str], &'static [&'static str], &'static [&'static str]);
#[rustfmt::skip]
const NAMINGS: &[Naming] = &[
    (
        &["npm", "pnpm", "yarn", "bun"],
        &["install", "i", "add", "uninstall", "remove", "rm", "update", "outdated", "ls", "list", "why", "view", "info", "search"],
        &["-D", "-d", "-g", "-E", "--dev", "--global", "--save", "--save-dev", "--save-exact", "--no-audit", "--no-fund"],
        &[],
    ),
    (
        &["pip"],
        &["install", "uninstall", "show", "download", "search"],
        &["-U", "-q", "-y", "--upgrade", "--user", "--quiet", "--yes", "--pre"],
        &[],
    ),
    (&["uv", "poetry"], &["add", "remove"], &["--dev", "-D"], &["--group", "-G"]),
    (&["pipx"], &["install", "uninstall"], &[], &[]),
    (&["gem", "bundle", "composer"], &["install", "add", "require", "update", "info"], &["--dev"], &[]),
    (
        &["apt", "apt-get", "apt-cache", "dnf", "yum", "brew", "apk"],
        &["install", "remove", "purge", "add", "del", "upgrade", "reinstall", "uninstall", "show", "info", "search", "policy", "list"],
        &["-y", "-q", "-qq", "--yes", "--no-install-recommends", "--installed", "--no-cache", "--cask", "--formula", "--versions"],
        &[],
    ),
    (
        &["cargo"],
        &["add", "remove", "search", "install", "update", "tree", "test", "t", "bench", "build", "b", "check", "c", "doc"],
        &["--lib", "--workspace", "--release", "--all-features", "--locked", "--no-deps", "--dev", "-q"],
        &["-p", "--package", "--test", "--bin", "--example", "--bench", "-F", "--features"],
    ),
    (
        &["go"],
        &["build", "test", "vet", "get", "install", "list", "doc", "fmt", "mod"],
        &["-v", "-u", "-m", "-race", "-short", "-benchmem"],
        &["-run", "-bench", "-count", "-tags", "-timeout"],
    ),
    (
        &["docker", "podman"],
        &["logs", "stop", "start", "restart", "inspect", "pull", "images", "ps", "stats", "top"],
        &["-f", "--follow", "-a", "-q", "--no-stream"],
        &["-n", "--tail"],
    ),
    (
        &["kubectl"],
        &["get", "describe", "logs", "rollout", "scale", "explain", "top"],
        &["-A", "-w", "-f"],
        &["-n", "--namespace", "-l", "-o", "-c"],
    ),
    (
        &["git"],
        &["checkout", "switch", "merge", "cherry-pick", "restore", "pull"],
        &["-b", "-B", "-c", "-C", "-d", "-D", "-m", "-M", "-u", "-a", "-l", "--set-upstream", "--delete", "--list", "--no-ff"],
        &[],
    ),
    (
        &["git"],
        &["commit"],
        &["-a", "-s", "-q", "-v", "--all", "--amend", "--signoff", "--allow-empty", "--no-edit", "--quiet"],
        &["-m", "-am", "-sm", "-asm", "--message"],
    ),
];

/// A word whose meaning is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownWord {
    /// The name of a subcommand, a test, a package or the like, or an option without a value.
    Name,
    /// The value of an option.
    Value,
}

/// Returns the words at the beginning of the arguments that are names or values. The first word that is not known ends
/// the search, because it may change what the following words mean.
pub fn known_words<'w>(program: &str, words: &'w [Word]) -> Vec<(&'w Word, KnownWord)> {
    // Behind any other option the word may be its value.
    let subcommand = words.iter().map(|word| word.value.as_str()).find(|word| *word != "-y");
    let row = NAMINGS.iter().find(|(programs, subcommands, ..)| {
        programs.contains(&program) && subcommand.is_some_and(|word| subcommands.contains(&word))
    });
    let Some((.., flags, valued)) = row else { return Vec::new() };
    let (mut found, mut is_value) = (Vec::new(), false);
    for word in words {
        let text = word.value.as_str();
        if std::mem::replace(&mut is_value, !word.is_dynamic() && valued.contains(&text)) {
            is_value = false;
            // An expansion such as `"$@"` may be several words, of which the value is the first.
            if word.splits() || word.glob || (word.is_dynamic() && word.value.contains('@')) {
                break;
            }
            found.push((word, KnownWord::Value));
        } else if !word.is_dynamic() && (is_value || flags.contains(&text) || is_name(text)) {
            found.push((word, KnownWord::Name));
        } else {
            break;
        }
    }
    found
}

/// Returns true for a plain name or path, without a scheme, a setting or another inner structure.
fn is_name(text: &str) -> bool {
    !text.starts_with('-') && text.chars().all(|c| c.is_alphanumeric() || "-_./@^~".contains(c))
}

/// Returns the words of a command that may name a program, with their parts, in order.
pub(super) fn program_words(words: &[Word]) -> Vec<String> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = family(base_name(&program.value));
    if rest.is_empty() || FILE_PROGRAMS.contains(&name) || only_reads(name, rest) {
        return Vec::new();
    }
    let text = texts(name, rest, Touch::Name);
    let known = known_words(name, rest);
    let is_text = |word: &Word| {
        text.contains(&std::ptr::from_ref(word)) || known.iter().any(|(known, _)| std::ptr::eq(*known, word))
    };
    let is_operand = |word: &&Word| !word.value.starts_with('-');
    let subcommand = rest.iter().find(is_operand).filter(|_| WITH_SUBCOMMANDS.contains(&name));
    let is_subcommand = |word: &Word| subcommand.is_some_and(|subcommand| std::ptr::eq(subcommand, word));
    let words = rest.iter().filter(|word| !is_text(word) && !is_subcommand(word));
    let parts = words.flat_map(|word| text_words(&word.value)).filter(|part| !part.starts_with("--"));
    parts.map(|part| part.trim_start_matches(['!', '@', '-']).to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b13_any_word_may_be_a_program_unless_it_is_text_or_a_subcommand() {
        for (command, expected) in [
            ("honcho run evil x", "run evil x"),
            ("npm i --git=evil", "evil"),
            ("npm i --git evil", "evil"),
            ("npm i -D evil", ""),
            ("npm i -D evil --git evil", "evil"),
            ("npm run evil", "evil"),
            ("apt-get -y install evil", ""),
            ("apt-get -o x install evil", "o install evil"),
            ("cargo test -p x evil", ""),
            ("cargo test -- evil", "evil"),
            ("cargo run evil", "evil"),
            ("go test -run x ./evil", ""),
            ("go test -exec evil x", "exec evil x"),
            ("git checkout -b evil", ""),
            ("git pull ext::evil", "ext::evil"),
            ("git bisect run evil", "run evil"),
            ("git -C checkout bisect run evil", "C bisect run evil"),
            ("kubectl -n get exec x evil", "n exec x evil"),
            ("kubectl get evil", ""),
            ("kubectl exec x evil", "x evil"),
            ("curl x/evil", ""),
            ("frob --evil", ""),
            ("npm --loglevel x evil", "evil"),
            ("rustc -C link-arg=evil", "C link-arg evil"),
            ("lftp -c !evil", "c evil"),
            ("git rm evil", "evil"),
            ("git commit -m evil", ""),
            ("echo evil", ""),
            ("grep -r evil .", ""),
            ("which evil", ""),
            ("rm evil", ""),
            ("evil", ""),
        ] {
            let words: Vec<Word> = command.split(' ').map(Word::literal).collect();
            assert_eq!(program_words(&words).join(" "), expected, "{command}");
        }
    }
}
