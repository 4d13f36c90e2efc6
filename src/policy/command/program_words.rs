//! Words that may name a program that a command runs (B13). This is any word of any program that is not known only to
//! read, unless the word is known to be text or a subcommand.

use super::net::net_words;
use super::path_words::{only_reads, texts};
use super::programs::family;
use super::words::Word;
use super::{Touch, base_name};

/// Programs whose first operand is a subcommand.
#[rustfmt::skip]
const WITH_SUBCOMMANDS: &[&str] = &[
    "git", "docker", "podman", "npm", "pnpm", "yarn", "cargo", "rustup", "go", "pip", "pip3", "pipx", "uv", "poetry", "kubectl",
    "helm", "apt", "apt-get", "brew", "dnf", "yum", "gh", "glab", "systemctl", "terraform", "tofu", "aws", "gcloud", "az",
    "conda", "mvn", "gradle", "make", "just", "composer", "bundle", "gem", "dotnet", "deno", "bun",
];

/// Programs that only copy, move, remove or describe what their operands name.
#[rustfmt::skip]
const FILE_PROGRAMS: &[&str] = &[
    "cp", "mv", "rm", "rmdir", "ln", "touch", "chmod", "chown", "chgrp", "install", "tee", "truncate", "shred", "mktemp",
];

/// Returns the words of a command that may name a program, with their parts, in order.
pub(super) fn program_words(words: &[Word]) -> Vec<String> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = family(base_name(&program.value));
    if rest.is_empty() || FILE_PROGRAMS.contains(&name) || only_reads(name, rest) {
        return Vec::new();
    }
    let text = texts(name, rest, Touch::Name);
    let is_text = |word: &Word| text.contains(&std::ptr::from_ref(word));
    let is_operand = |word: &&Word| !word.value.starts_with('-');
    let subcommand = rest.iter().find(is_operand).filter(|_| WITH_SUBCOMMANDS.contains(&name));
    let is_subcommand = |word: &Word| subcommand.is_some_and(|subcommand| std::ptr::eq(subcommand, word));
    let words = rest.iter().filter(|word| !is_text(word) && !is_subcommand(word));
    let parts = words.flat_map(|word| net_words(&word.value));
    parts.map(|part| part.trim_start_matches(['!', '@', '-']).to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b13_any_word_may_be_a_program_unless_it_is_text_or_a_subcommand() {
        for (command, expected) in [
            ("honcho run evil x", "run evil x"),
            ("npm i --git=evil", "git evil"),
            ("npm --loglevel x evil", "loglevel evil"),
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
