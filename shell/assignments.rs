//! Assignments of variables: those that a command must not make, and those that affect display only.

use super::words::Word;

/// Returns true for variables that affect display only (B7).
pub(super) fn is_harmless(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CI", "NODE_ENV",
        "RUST_BACKTRACE", "PYTHONUNBUFFERED",
    ];
    NAMES.contains(&name) || name.starts_with("LC_") || name.starts_with("CLICOLOR")
}

/// Returns true for variables that decide which program a command runs or where its paths lead (B1).
pub fn is_forbidden(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "PATH", "IFS", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "GLOBIGNORE", "CDPATH",
        "HOME", "PWD", "OLDPWD", "FPATH", "ZDOTDIR", "NULLCMD", "READNULLCMD", "POSIXLY_CORRECT", "path", "cdpath",
        "fpath", "module_path", "histchars", "HISTCHARS", "SHELL",
    ];
    NAMES.contains(&name) || ["LD_", "DYLD_", "BASH_"].iter().any(|start| name.starts_with(start))
}

/// Returns true for variables that decide how a shell reads the bytes of a text.
pub(super) fn is_encoding(name: &str) -> bool {
    matches!(name, "LANG" | "LC_ALL" | "LC_CTYPE")
}

/// Returns true if the encoding of a locale never takes an ASCII character for a part of another one, as GBK and
/// Big5 do.
pub(super) fn keeps_ascii(locale: &str) -> bool {
    let encoding = locale.split_once('.').map(|(_, encoding)| encoding.to_ascii_lowercase());
    matches!(locale, "" | "C" | "POSIX") || matches!(encoding.as_deref(), Some("utf-8" | "utf8"))
}

/// Returns true for variables whose values some shells evaluate as arithmetic.
pub(super) fn is_counted(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "SECONDS", "RANDOM", "SRANDOM", "OPTIND", "HISTCMD", "LINENO", "FUNCNEST", "HISTSIZE", "HISTFILESIZE",
        "SAVEHIST", "COLUMNS", "LINES", "SHLVL", "TTYIDLE", "BAUD", "KEYTIMEOUT", "LISTMAX", "MAILCHECK", "TMOUT",
        "UID", "EUID", "GID", "EGID", "PPID", "ERRNO", "EPOCHSECONDS", "BASHPID", "LOGCHECK", "DIRSTACKSIZE",
        "REPORTTIME", "REPORTMEMORY", "TRY_BLOCK_ERROR", "TRY_BLOCK_INTERRUPT",
    ];
    NAMES.contains(&name)
}

/// Finds a variable among the assignments that a command must not set.
pub(super) fn forbidden(word: &Word) -> Option<String> {
    let (name, value) = word.value.split_once('=')?;
    let odd = name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    // Some shells evaluate the value as arithmetic, which may run a command in a subscript.
    let counts = is_counted(name) && (word.is_dynamic() || !value.bytes().all(|b| b.is_ascii_digit()));
    let encodes = is_encoding(name) && (word.is_dynamic() || !keeps_ascii(value));
    (odd || counts || encodes || is_forbidden(name)).then(|| format!("`{name}=`"))
}
