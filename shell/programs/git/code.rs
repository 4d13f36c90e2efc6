//! The code that `git` runs.

use super::super::code::Found;
use super::call::{GLOBAL, GitCall, PLAIN, call, options};
use crate::options::{Opt, given, hides, long, short};
use crate::words::Word;

/// Finds the word that makes `git` run code.
pub(super) fn code(words: &[Word]) -> Found<'_> {
    let GitCall { runs, command, rest, .. } = call(words)?;
    if let Some(word) = runs.or_else(|| words.iter().find(|word| word.value.contains("ext::"))) {
        return Ok(Some(word));
    }
    let (letters, longs): (&str, &[&str]) = match command {
        "rebase" => ("x", &["exec"]),
        "grep" => ("O", &["open-files-in-pager"]),
        "clone" => ("cu", &["config", "upload-pack", "template"]),
        "init" => ("", &["template"]),
        "fetch" | "pull" | "ls-remote" | "fetch-pack" => ("", &["upload-pack", "exec"]),
        "push" | "send-pack" => ("", &["receive-pack", "exec"]),
        "archive" => ("", &["exec"]),
        "difftool" => ("x", &["extcmd"]),
        "instaweb" => ("d", &["httpd"]),
        "send-email" => ("", &["sendmail-cmd", "smtp-server", "to-cmd", "cc-cmd", "header-cmd"]),
        "filter-branch" => (
            "",
            &[
                "tree-filter",
                "index-filter",
                "msg-filter",
                "env-filter",
                "parent-filter",
                "commit-filter",
                "tag-name-filter",
                "setup",
            ],
        ),
        "bisect" | "submodule" => ("", &[]),
        "config" => return config(rest),
        "remote-ext" | "remote-fd" | "shell" | "daemon" | "http-backend" | "merge-index" | "for-each-repo" => {
            return Ok(words.first());
        }
        _ => return Ok(None),
    };
    for word in rest {
        let value = word.value.as_str();
        if word.may_be_option() || hides(&GLOBAL, word) {
            return Err(word);
        }
        let runs = match command {
            "bisect" => value == "run",
            "submodule" => value == "foreach",
            _ => short(value, letters) || long(value, longs),
        };
        if runs {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Finds the setting that `git config` writes, unless later calls run the same code as before.
fn config(words: &[Word]) -> Found<'_> {
    let given = given(&options("config"), words);
    if let Some(word) = given.unsure {
        return Err(word);
    }
    let odd = |option: &&Opt<'_>| option.is('e', "edit") || option.is(' ', "rename-section");
    if let Some(option) = given.options.iter().find(odd) {
        return Ok(Some(option.word));
    }
    let mut operands = given.operands.iter().copied();
    let key = match operands.next() {
        Some(word) => match word.value.as_str() {
            "get" | "list" | "unset" | "remove-section" => return Ok(None),
            "edit" | "rename-section" => return Ok(Some(word)),
            "set" => operands.next(),
            _ => Some(word),
        },
        None => None,
    };
    let Some(key) = key.filter(|_| operands.next().is_some()) else { return Ok(None) };
    let name = key.value.to_ascii_lowercase();
    let plain = !key.is_dynamic() && PLAIN.iter().any(|plain| name.starts_with(plain));
    Ok(Some(key).filter(|_| !plain))
}
