//! Tables of programs that run code from an argument or from their input (B1, B3).

use super::by_name::by_name;

/// Programs that cannot be analysed.
#[rustfmt::skip]
pub(super) const NEVER: &[&str] = &[
    // They change the meaning of later words, or run text.
    "eval", "source", ".", "trap", "alias", "coproc", "function", "select", "let", "declare", "typeset", "local",
    "integer", "float", "nameref", "mapfile", "readarray", "getopts", "enable", "disable", "hash", "bind",
    "complete", "compgen", "compopt", "fc", "shopt", "setopt", "unsetopt", "emulate", "autoload", "zmodload",
    "functions", "sched", "zstyle", "zformat", "zparseopts", "zregexparse", "zpty", "zle", "vared", "print", "bindkey", "zcompile", "rehash",
    "private",
    // Reserved words of some shell.
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "!", "{", "}",
    "repeat", "foreach", "end", "nocorrect", "-", "always",
];

/// Programs that run a command in a way that no table covers, or that read code from elsewhere.
#[rustfmt::skip]
pub(super) const RUNNERS: &[&str] = &[
    "parallel", "at", "batch", "crontab", "su", "runuser", "pkexec", "systemd-run", "setarch", "linux32", "linux64",
    "numactl", "prlimit", "ltrace", "valgrind", "perf", "unbuffer", "script", "entr", "fakeroot", "xvfb-run",
    "uclampset", "sg", "newgrp", "dbus-run-session", "run-parts", "choom", "ld.so", "ssh-agent", "gdb", "lldb", "msgexec", "msgfilter", "chronic", "start-stop-daemon",
    "daemonize", "capsh", "setpriv", "proot", "firejail", "bwrap", "expect", "tclsh", "wish", "m4", "ed", "dc",
    "fish", "csh", "tcsh", "pwsh", "nu", "elvish", "xonsh", "rc", "es", "osascript", "rlwrap", "caffeinate",
    "openvt", "udhcpc", "udhcpc6", "ifplugd", "zcip", "telnetd", "tcpsvd", "udpsvd", "inetd", "runsvdir", "crond",
    "torsocks", "proxychains", "tmux", "screen", "byobu", "dtach", "abduco", "cttyhack", "setuidgid", "softlimit", "chpst",
    "powershell", "cmd", "wsl", "envdir", "envuidgid", "socat", "runsv", "inotifyd", "i386", "i486", "i586", "i686", "x86_64", "uname26", "sem", "ts",
];

/// An interpreter whose options come before its program.
pub(super) struct Interpreter {
    pub(super) names: &'static [&'static str],
    /// Options whose value is code.
    pub(super) code: &'static str,
    pub(super) code_long: &'static [&'static str],
    /// Options with another value.
    pub(super) valued: &'static str,
    pub(super) valued_long: &'static [&'static str],
    /// Options that use the rest of the same word as their value.
    pub(super) glued: &'static str,
    /// Options whose value is the program.
    pub(super) program: &'static str,
    /// Options that make it read its input although it has a program.
    pub(super) asks: &'static str,
    pub(super) asks_long: &'static [&'static str],
}

const NONE: Interpreter = Interpreter {
    names: &[],
    code: "",
    code_long: &[],
    valued: "",
    valued_long: &[],
    glued: "",
    program: "",
    asks: "",
    asks_long: &[],
};

pub(super) const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["python", "pypy"],
        code: "c",
        valued: "WXQ",
        valued_long: &["check-hash-based-pycs"],
        program: "m",
        asks: "i",
        ..NONE
    },
    // `-F` takes code, and the debugger reads commands.
    Interpreter { names: &["perl"], code: "eEMmFd", valued: "I", glued: "CDVix", ..NONE },
    Interpreter { names: &["ruby"], code: "e", valued: "IrCEX", glued: "Fix", ..NONE },
    Interpreter {
        names: &["node", "nodejs", "bun"],
        code: "ep",
        code_long: &["eval", "print"],
        valued: "rC",
        valued_long: &["require", "import", "loader", "conditions", "env-file"],
        asks: "i",
        asks_long: &["interactive"],
        ..NONE
    },
    Interpreter {
        names: &["php"],
        code: "rBRE",
        code_long: &["run", "process-begin", "process-code", "process-end"],
        valued: "dczt",
        valued_long: &["define", "php-ini", "docroot"],
        program: "fFS",
        asks: "a",
        asks_long: &["interactive"],
        ..NONE
    },
    Interpreter { names: &["lua", "luajit"], code: "e", valued: "l", asks: "i", ..NONE },
    Interpreter {
        names: &["Rscript", "julia"],
        code: "eE",
        code_long: &["eval", "print"],
        valued: "LJ",
        valued_long: &["load", "project"],
        asks: "i",
        ..NONE
    },
];

/// Options of other programs whose value is code or names a program: letters, long names.
pub(super) const OPTIONS: &[(&[&str], &str, &[&str])] = &[
    (&["rsync"], "e", &["rsh", "rsync-path"]),
    (&["ssh"], "oF", &[]),
    (&["scp", "sftp"], "oFSD", &[]),
    (&["sort"], "", &["compress-program"]),
    (&["split"], "", &["filter"]),
    (&["rg"], "", &["pre", "hostname-bin"]),
    (&["fd", "fdfind"], "xX", &["exec", "exec-batch"]),
    (&["man"], "PH", &["pager", "html"]),
    (&["nc", "ncat", "netcat"], "ec", &["exec", "sh-exec", "lua-exec"]),
    (&["sdiff", "diff3"], "", &["diff-program"]),
    (&["pandoc"], "F", &["filter", "lua-filter", "pdf-engine"]),
    (&["install"], "", &["strip-program"]),
    (&["cmake"], "EP", &[]),
    (&["dpkg-architecture"], "c", &["command"]),
    (&["prove"], "e", &["exec", "source", "formatter", "harness"]),
    (&["groff", "troff", "gtroff", "nroff", "pic", "gpic"], "UF", &[]),
    (&["ctags"], "", &["options"]),
    (&["zip"], "T", &["unzip-command"]),
    (&["wget"], "e", &["execute", "use-askpass"]),
    (&["vi", "vim", "nvim", "ex", "view", "vimdiff"], "cSsuwW", &["cmd"]),
];

/// Long options, with one or two dashes, that name a program or contain code, for programs that run a project's
/// code anyway. They are compared literally. The last column has texts in other words that do the same, also
/// after `--`.
pub(super) const NAMED: &[(&[&str], &[&str], &[&str])] = &[
    (&["go"], &["exec", "toolexec", "vettool", "w"], &["-extld"]),
    (&["cargo"], &["config"], &["linker=", "codegen-backend", "--runtool", "--test-runtool", "--test-builder"]),
    (&["rustc", "rustdoc"], &["test-runtool", "runtool", "test-builder"], &["linker=", "codegen-backend"]),
    (&["npm", "pnpm", "yarn"], &["script-shell", "editor", "shell", "viewer", "node-gyp"], &[]),
    (&["gcc", "g++", "cc", "c++", "c89", "c99", "clang", "clang++"], &["wrapper", "specs", "fplugin"], &[]),
    (&["protoc"], &["plugin"], &[]),
    (&["pip", "pipx"], &["python", "editor"], &[]),
    (&["dpkg"], &["pre-invoke", "post-invoke", "status-logger"], &[]),
    (&["apt", "apt-get", "aptitude"], &["config-file", "c"], &["nvoke", "Dir::", "dir::"]),
    (
        &["gpg", "gpg2"],
        &["agent-program", "dirmngr-program", "keyboxd-program", "exec-path", "photo-viewer", "options"],
        &[],
    ),
    (&["service"], &[], &["/"]),
    (&["xdg-user-dir"], &[], &["$", "`", ";", "|", "&", "(", "\n", "<", ">"]),
    (&["emacs"], &["eval", "execute", "funcall", "batch", "f", "l", "load", "script", "x"], &[]),
];

/// Subcommands of package managers that run a program: their options, and words that follow.
pub(super) const RUNNING_SUBCOMMANDS: &[(&[&str], &[&str], &[&str])] = &[
    (&["exec", "x"], &["c", "call"], &[]),
    (&["explore"], &[], &[]),
    (
        &["config", "c", "set"],
        &[],
        &["script-shell", "editor", "shell", "viewer", "git", "node-gyp", "node-options", "browser"],
    ),
];

/// Database clients, and the texts that make them run programs or write files.
pub(super) const CLIENTS: &[(&[&str], &[&str])] = &[
    (&["sqlite"], &["writefile", "readfile", "fsdir", "load_extension", "edit", "-init"]),
    (&["psql"], &["\\", "program"]),
    (&["mysql", "mariadb"], &["\\", "system", "pager", "tee", "source", "edit", "outfile", "dumpfile"]),
];

/// Tests of `find` that take a value.
#[rustfmt::skip]
pub(super) const TESTS: &[&str] = &[
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
    "-type", "-xtype", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-newer", "-anewer",
    "-cnewer", "-user", "-group", "-uid", "-gid", "-perm", "-maxdepth", "-mindepth", "-links", "-inum", "-samefile",
    "-fstype", "-used", "-printf", "-regextype", "-context",
];

/// Other arguments of `find`.
#[rustfmt::skip]
pub(super) const ACTIONS: &[&str] = &[
    "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-ls", "-print", "-print0", "-prune", "-quit",
    "-depth", "-d", "-mount", "-xdev", "-follow", "-empty", "-executable", "-readable", "-writable", "-nouser",
    "-nogroup", "-true", "-false", "-not", "-o", "-or", "-a", "-and", "-daystart", "-noleaf", "-warn", "-nowarn",
    "-H", "-L", "-P", "-ignore_readdir_race",
];

/// Returns true if an argument of `find` takes the next one as its value.
pub(super) fn is_test(word: &str) -> bool {
    TESTS.contains(&word) || (word.starts_with("-newer") && word.len() == 8)
}

/// Python modules that take code from an argument or their input, or that run another module.
#[rustfmt::skip]
pub(super) const MODULES: &[&str] = &[
    "code", "timeit", "pdb", "bdb", "asyncio", "trace", "IPython", "ptpython", "bpython", "cProfile", "profile",
    "runpy", "idlelib", "imaplib", "pickle", "smtpd",
];

/// The extensions of files that an interpreter loads by itself.
pub(super) const MODULE_ENDS: &[(&[&str], &[&str])] = &[
    (&["python", "pypy"], &[".py", ".pth"]),
    (&["node", "nodejs", "bun"], &[".js", ".mjs", ".cjs"]),
    (&["perl"], &[".pm", ".pl"]),
    (&["ruby"], &[".rb"]),
    (&["lua", "luajit"], &[".lua"]),
];

/// Files that programs run without being told to.
pub(super) const START: &[(&[&str], &[&str])] = &[
    (&["make"], &["Makefile", "makefile", "GNUmakefile"]),
    (&["git"], &["config", ".gitconfig", "config.worktree", "hooks"]),
    (&["git"], HOOKS),
    (&["vi", "vim", "nvim", "ex", "view", "vimdiff"], &[".vimrc", "vimrc", ".exrc", "init.vim", "init.lua"]),
    (&["perl"], &[".perldb"]),
    (&["node", "nodejs", "bun"], &["package.json"]),
    (&["sh", "bash", "dash", "ksh", "ash"], &[".profile", ".bashrc", ".bash_profile"]),
    (&["zsh"], &[".zshenv", ".zshrc", ".zprofile"]),
];

/// Git hooks, which git runs from the folder `hooks` of its repository.
#[rustfmt::skip]
const HOOKS: &[&str] = &[
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
    "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
    "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
    "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist",
    "p4-post-changelist", "p4-pre-submit", "post-index-change",
];

/// Programs whose input may be code.
pub(super) const FED: &[&str] = &[
    "sqlite", "psql", "mysql", "mariadb", "ex", "vi", "vim", "nvim", "view", "sftp", "ftp", "gnuplot", "octave", "R",
    "ghci", "irb", "bc", "telnet", "gforth", "guile", "clisp", "sbcl", "swipl", "scala", "jshell", "groovysh", "erl",
    "iex", "ocaml",
];

/// Names in which a digit is not a version.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "base32", "base64", "c89", "c99", "bzip2", "bunzip2", "diff3", "gpg2", "b2sum", "md5", "md5sum", "sha1sum", "sha224sum",
    "sha256sum", "sha384sum", "sha512sum",
];

/// Programs with a `g` prefix on systems whose own versions are not GNU.
#[rustfmt::skip]
const GNU: &[(&[&str],)] = &[(&[
    "awk", "base64", "cat", "chroot", "cmp", "cp", "csplit", "cut", "dd", "diff", "egrep", "env", "fgrep", "find",
    "grep", "head", "install", "link", "ln", "ls", "make", "mkdir", "mv", "nice", "nl", "nohup", "od", "patch",
    "rm", "rmdir", "sdiff", "sed", "shred", "shuf", "sort", "split", "stat", "stdbuf", "tac", "tail", "tar",
    "tee", "timeout", "touch", "truncate", "uniq", "unlink", "wc", "xargs",
],)];

/// The program that a name is a version, build or alias of: `python3.12`, `vim.basic`, `gfind`.
pub(super) fn family(name: &str) -> &str {
    // Most names consist of letters, and this function is called several times per name.
    let name = if name.bytes().all(|byte| byte.is_ascii_lowercase()) { name } else { unversioned(name) };
    let gnu = name.strip_prefix("gnu").or_else(|| name.strip_prefix('g'));
    match gnu.filter(|name| by_name!(GNU, 0).row(name).is_some()).unwrap_or(name) {
        "original-awk" => "awk",
        "editor" | "sensible-editor" => "vi",
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
