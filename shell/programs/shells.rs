//! Shells whose text is read as that of a POSIX shell.

use super::inside::Inside;
use super::program::{Call, Loads, Program};
use super::set::is_plain_option;
use crate::devices::is_input;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        inside,
        is_shell: true,
        loads: Loads { names: &[".profile", ".bashrc", ".bash_profile"], ..LOADS },
        ..Program::of(&["sh", "bash", "dash", "ksh", "ash"])
    },
    Program {
        inside,
        is_shell: true,
        loads: Loads { names: &[".zshenv", ".zshrc", ".zprofile"], ..LOADS },
        ..Program::of(&["zsh"])
    },
    Program {
        inside,
        is_shell: true,
        loads: LOADS,
        ..Program::of(&["mksh", "rbash", "yash", "rzsh", "rksh", "lksh", "posh", "hush", "rmksh"])
    },
];

const LOADS: Loads = Loads {
    arguments: true,
    starts: &[".bash", ".z", ".profile", ".kshrc", ".mkshrc", ".shinit", ".env"],
    ..Loads::NOTHING
};

/// Returns true for an option of a shell after which a text follows, such as `-c` or `-lc`.
pub(crate) fn is_command_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|flags| {
        flags.contains('c') && flags.bytes().all(|b| matches!(b, b'c' | b'l' | b'i' | b'e' | b'u' | b'x'))
    })
}

/// `sh -c TEXT`. Without a text or a file, a shell reads commands from its input, which is unknown.
fn inside(call: &Call<'_>) -> Inside {
    let (name, words) = (call.name, call.words);
    let mut rest = words.iter().skip(1);
    let mut text = false;
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            return call.hides_commands(word);
        }
        if !value.starts_with(['-', '+']) || value == "--" || value == "-" {
            let word = if value.starts_with('-') { rest.next() } else { Some(word) };
            let Some(word) = word else { break };
            if !text {
                if is_input(&word.value) || word.is_dynamic() {
                    return call.hides_commands(word);
                }
                let from = words.iter().position(|other| std::ptr::eq(other, word)).unwrap_or_default();
                return Inside { watched: vec![words.get(from..).unwrap_or_default().to_vec()], ..Inside::default() };
            }
            if word.is_dynamic() {
                return call.hides_commands(word);
            }
            return Inside { texts: vec![word.value.clone()], ..Inside::default() };
        }
        if matches!(value, "--login" | "--norc" | "--noprofile" | "--posix") {
            continue;
        }
        if matches!(value, "--version" | "--help") && words.len() == 2 {
            return Inside::default();
        }
        let letters = value.trim_start_matches(['-', '+']);
        if value.starts_with("--") || letters.is_empty() || letters.contains(|c| !"ceuxlivon".contains(c)) {
            return call.hides_commands(word);
        }
        text |= letters.contains('c');
        for _ in letters.matches('o') {
            let option = rest.next();
            if !option.is_some_and(is_plain_option) {
                return call.hides_commands(word);
            }
        }
    }
    Inside { blame: Some(format!("`{name}`")), ..Inside::default() }
}
