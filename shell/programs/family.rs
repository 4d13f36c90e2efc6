//! The program that a name is a version, build or alias of.

/// Names in which a digit is not a version.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "base32", "base64", "c89", "c99", "bzip2", "bunzip2", "diff3", "gpg2", "b2sum", "md5", "md5sum", "sha1sum", "sha224sum",
    "sha256sum", "sha384sum", "sha512sum",
];

/// Programs with a `g` prefix on systems whose own versions are not GNU.
#[rustfmt::skip]
const GNU: &[&str] = &[
    "awk", "base64", "cat", "chroot", "cmp", "cp", "csplit", "cut", "dd", "diff", "egrep", "env", "fgrep", "find",
    "grep", "head", "install", "link", "ln", "ls", "make", "mkdir", "mv", "nice", "nl", "nohup", "od", "patch",
    "rm", "rmdir", "sdiff", "sed", "shred", "shuf", "sort", "split", "stat", "stdbuf", "tac", "tail", "tar",
    "tee", "timeout", "touch", "truncate", "uniq", "unlink", "wc", "xargs",
];

/// The program that a name is a version, build or alias of: `python3.12`, `vim.basic`, `gfind`.
pub(super) fn family(name: &str) -> &str {
    let name = if name.bytes().all(|byte| byte.is_ascii_lowercase()) { name } else { unversioned(name) };
    let gnu = name.strip_prefix("gnu").or_else(|| name.strip_prefix('g'));
    match gnu.filter(|name| GNU.contains(name)).unwrap_or(name) {
        "original-awk" => "awk",
        "editor" | "sensible-editor" => "vi",
        name if name.starts_with("ld-linux") || name.starts_with("ld-musl") => "ld.so",
        name => name,
    }
}

fn unversioned(name: &str) -> &str {
    // A cross compiler, perhaps with a version.
    let compiler = |part: &&str| matches!(*part, "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++");
    if let Some(compiler) = name.split('-').skip(1).find(compiler) {
        return compiler;
    }
    if WHOLE.contains(&name) {
        return name;
    }
    let name = match name.find(|c: char| c.is_ascii_digit()) {
        Some(at) => name.get(..at).unwrap_or(name).trim_end_matches(['.', '-']),
        None => name,
    };
    let builds = ["-static", ".basic", ".tiny", ".nox", ".gtk", ".athena", ".gnome"];
    builds.iter().find_map(|build| name.strip_suffix(build)).unwrap_or(name)
}
