//! Programs that run code from an argument or from their input (B1, B3), by table.

use super::unwrap::is_device;
use super::words::Word;
use super::{base_name, is_forbidden, sed};

/// Says what a command runs beside its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// Code in an argument: allowed only by a rule that has all of it.
    Opaque(String),
    /// Nobody knows.
    Not(String),
}

/// Programs of which nobody can say what they run.
#[rustfmt::skip]
const NEVER: &[&str] = &[
    // They change what later words mean, or run text.
    "eval", "source", ".", "trap", "alias", "coproc", "function", "select", "let", "declare", "typeset", "local",
    "integer", "float", "nameref", "mapfile", "readarray", "getopts", "enable", "disable", "hash", "bind",
    "complete", "compgen", "compopt", "fc", "shopt", "setopt", "unsetopt", "emulate", "autoload", "zmodload",
    "functions", "sched", "zle", "vared", "print", "bindkey", "zcompile", "rehash", "pushd", "popd", "[[[",
    // Reserved in some shell.
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "!", "{", "}",
    "repeat", "foreach", "end", "nocorrect", "-", "always",
    // They run a command in a way that no table here follows.
    "parallel", "at", "batch", "crontab", "su", "runuser", "pkexec", "systemd-run", "setarch", "linux32", "linux64",
    "numactl", "prlimit", "ltrace", "valgrind", "perf", "unbuffer", "script", "entr", "fakeroot", "xvfb-run",
    "dbus-run-session", "run-parts", "choom", "ld.so", "ssh-agent", "gdb", "lldb", "chronic", "start-stop-daemon",
    "daemonize", "capsh", "setpriv", "proot", "firejail", "bwrap", "expect", "tclsh", "wish", "m4", "ed", "dc",
    "fish", "csh", "tcsh", "pwsh", "nu", "elvish", "xonsh", "rc", "es", "osascript", "rlwrap", "caffeinate",
    "torsocks", "proxychains", "proxychains4",
];

/// Describes an interpreter whose options come before its program.
struct Interpreter {
    names: &'static [&'static str],
    /// Options that have code as their value.
    code: &'static str,
    code_long: &'static [&'static str],
    /// Options with another value.
    valued: &'static str,
    valued_long: &'static [&'static str],
    /// Options whose value is the program.
    program: &'static str,
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["python", "pypy"],
        code: "c",
        code_long: &[],
        valued: "WXQ",
        valued_long: &["check-hash-based-pycs"],
        program: "m",
    },
    Interpreter { names: &["perl"], code: "eEMm", code_long: &[], valued: "I", valued_long: &[], program: "" },
    Interpreter { names: &["ruby"], code: "e", code_long: &[], valued: "IrCEK", valued_long: &[], program: "S" },
    Interpreter {
        names: &["node", "nodejs", "bun"],
        code: "ep",
        code_long: &["eval", "print"],
        valued: "rC",
        valued_long: &["require", "import", "loader", "conditions", "env-file"],
        program: "",
    },
    Interpreter {
        names: &["php"],
        code: "rBRE",
        code_long: &["run", "process-begin", "process-code", "process-end"],
        valued: "dczt",
        valued_long: &["define", "php-ini", "docroot"],
        program: "fFS",
    },
    Interpreter { names: &["lua", "luajit"], code: "e", code_long: &[], valued: "l", valued_long: &[], program: "" },
    Interpreter {
        names: &["Rscript", "julia"],
        code: "eE",
        code_long: &["eval", "print"],
        valued: "LJ",
        valued_long: &["load", "project"],
        program: "",
    },
];

/// Options of other programs that have code as their value, or name a program: letters, long names.
const OPTIONS: &[(&[&str], &str, &[&str])] = &[
    (&["rsync"], "e", &["rsh", "rsync-path"]),
    (&["ssh"], "oF", &[]),
    (&["scp", "sftp"], "oFSD", &[]),
    (&["sort"], "", &["compress-program"]),
    (&["split"], "", &["filter"]),
    (&["rg"], "", &["pre", "hostname-bin"]),
    (&["fd", "fdfind"], "xX", &["exec", "exec-batch"]),
    (&["man"], "PH", &["pager", "html"]),
    (&["make", "gmake"], "", &["eval"]),
    (&["sqlite3"], "", &["cmd"]),
    (&["emacs"], "", &["eval", "execute", "funcall", "batch"]),
    (&["ctags"], "", &["options"]),
    (&["zip"], "T", &["unzip-command"]),
    (&["wget"], "e", &["execute", "use-askpass"]),
    (&["vi", "vim", "nvim", "ex", "view", "vimdiff"], "cSsu", &["cmd"]),
];

/// Says what a command runs beside its program. `fed`: its input comes from another command.
pub(super) fn form(words: &[Word], fed: bool) -> Form {
    let Some((program, arguments)) = words.split_first() else { return Form::Plain };
    let name = base_name(&program.value);
    let odd = (program.glob && !matches!(name, "[" | "[["))
        || !program.spans.is_empty()
        || program.brace
        || name.is_empty()
        || (!program.quoted && (program.value.starts_with('=') || program.value.contains("]=")));
    if odd {
        return Form::Not(format!("`{}`", if program.unseen { "…" } else { program.value.as_str() }));
    }
    if NEVER.contains(&name) || name.starts_with("ld-linux") || name.starts_with("ld-musl") {
        return Form::Not(format!("`{}`", program.value));
    }
    let says = |form: Result<Option<&Word>, &Word>| match form {
        Ok(None) => Form::Plain,
        Ok(Some(word)) => Form::Opaque(format!("`{name} {}`", word.value)),
        Err(word) => not(name, word),
    };
    match name {
        "find" => find(arguments),
        "awk" | "gawk" | "mawk" | "nawk" => says(awk(arguments)),
        "sed" | "gsed" => says(sed::code(arguments)),
        "git" => says(git(arguments)),
        "tar" | "gtar" | "bsdtar" => says(tar(arguments)),
        "test" | "[" | "[[" => test(name, arguments),
        "make" | "gmake" if arguments.iter().any(|w| is_device(w.value.trim_start_matches("-f"))) => {
            Form::Not(format!("`{name}`"))
        }
        "printf" => printf(arguments),
        "read" | "unset" | "wait" => names(name, arguments),
        "export" | "readonly" => exported(name, arguments),
        "set" => set(arguments),
        "exit" | "return" | "shift" | "break" | "continue" | "ulimit" | "kill" | "jobs" | "fg" | "bg" => {
            numbers(name, arguments)
        }
        _ => {
            let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            if let Some(row) = INTERPRETERS.iter().find(|row| row.names.contains(&family)) {
                return interpreter(row, name, arguments, fed);
            }
            match OPTIONS.iter().find(|(names, ..)| names.contains(&name)) {
                Some((_, letters, longs)) => {
                    says(options(arguments, letters, longs, name.contains("vi") || name == "ex"))
                }
                None => Form::Plain,
            }
        }
    }
}

fn not(name: &str, word: &Word) -> Form {
    Form::Not(format!("`{name} {}`", if word.unseen { "…" } else { word.value.as_str() }))
}

pub(super) fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "mksh" | "rbash" | "yash")
}

pub(super) fn is_command_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|flags| {
        flags.contains('c') && flags.bytes().all(|b| matches!(b, b'c' | b'l' | b'i' | b'e' | b'u' | b'x'))
    })
}

/// Whether a program runs the code in a file that is named to it.
pub(super) fn runs_files(name: &str) -> bool {
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    is_shell(name)
        || matches!(name, "." | "source" | "awk" | "gawk" | "mawk" | "nawk" | "make" | "gmake" | "run-parts")
        || INTERPRETERS.iter().any(|row| row.names.contains(&family))
}

type Found<'w> = Result<Option<&'w Word>, &'w Word>;

/// An option that names a program or has code; `Err`: a word that may be one.
fn options<'w>(words: &'w [Word], letters: &str, longs: &[&str], plus: bool) -> Found<'w> {
    for word in words {
        let value = word.value.as_str();
        if value == "--" {
            break;
        }
        if word.may_be_option() {
            return Err(word);
        }
        if short(value, letters) || long(value, longs) || (plus && value.starts_with('+')) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// The options of an interpreter, up to its program. Without one it reads its input.
fn interpreter(row: &Interpreter, name: &str, words: &[Word], fed: bool) -> Form {
    let mut rest = words.iter();
    let mut perhaps = false;
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            return not(name, word);
        }
        if value == "--" {
            return if rest.next().is_some() { Form::Plain } else { Form::Not(format!("`{name}`")) };
        }
        if value == "-" || !value.starts_with('-') {
            if is_device(value) {
                return Form::Not(format!("`{name} {value}`"));
            }
            if perhaps {
                perhaps = false;
                continue;
            }
            return Form::Plain;
        }
        if let Some(given) = value.strip_prefix("--") {
            if long(value, row.code_long) {
                return Form::Opaque(format!("`{name} {value}`"));
            }
            if matches!(given, "version" | "help") {
                return Form::Plain;
            }
            if row.valued_long.contains(&given) {
                rest.next();
            } else {
                // It may have a value of its own.
                perhaps = !given.contains('=');
            }
            continue;
        }
        if words.len() == 1 && matches!(value, "-V" | "-v" | "-h") && !fed && row.names != ["python", "pypy"]
            || (words.len() == 1 && matches!(value, "-V" | "-h"))
        {
            return Form::Plain;
        }
        for (at, letter) in value.char_indices().skip(1) {
            if row.code.contains(letter) {
                return Form::Opaque(format!("`{name} {value}`"));
            }
            let last = at + letter.len_utf8() == value.len();
            if row.program.contains(letter) {
                return if !last || rest.next().is_some() { Form::Plain } else { Form::Not(format!("`{name}`")) };
            }
            if row.valued.contains(letter) {
                if last {
                    rest.next();
                }
                break;
            }
        }
    }
    if perhaps && !fed && words.len() > 1 {
        return Form::Plain;
    }
    Form::Not(format!("`{name}`"))
}

/// Tests of `find` that take the next word as a value.
#[rustfmt::skip]
pub(super) const TESTS: &[&str] = &[
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
    "-type", "-xtype", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-newer", "-anewer",
    "-cnewer", "-user", "-group", "-uid", "-gid", "-perm", "-maxdepth", "-mindepth", "-links", "-inum", "-samefile",
    "-fstype", "-used", "-printf", "-regextype", "-context",
];

/// What else may stand in a `find`.
#[rustfmt::skip]
pub(super) const ACTIONS: &[&str] = &[
    "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-ls", "-print", "-print0", "-prune", "-quit",
    "-depth", "-d", "-mount", "-xdev", "-follow", "-empty", "-executable", "-readable", "-writable", "-nouser",
    "-nogroup", "-true", "-false", "-not", "-o", "-or", "-a", "-and", "-daystart", "-noleaf", "-warn", "-nowarn",
    "-H", "-L", "-P", "-ignore_readdir_race",
];

/// Whether a word of `find` takes the next one as its value.
pub(super) fn is_test(word: &str) -> bool {
    TESTS.contains(&word) || (word.starts_with("-newer") && word.len() == 8)
}

fn find(words: &[Word]) -> Form {
    let mut rest = words.iter();
    let mut opaque = None;
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if is_test(value) && !word.is_dynamic() {
            match rest.next() {
                Some(word) if word.spans.iter().any(|span| !span.quoted) => return not("find", word),
                _ => continue,
            }
        }
        if word.may_be_option() {
            return not("find", word);
        }
        // What they run is looked at by itself.
        if matches!(value, "-exec" | "-execdir" | "-ok" | "-okdir") {
            while rest.next().is_some_and(|word| !matches!(word.value.as_str(), ";" | "+")) {}
            continue;
        }
        if matches!(value, "-delete" | "-fls") || value.starts_with("-fprint") {
            opaque.get_or_insert(value);
        }
    }
    opaque.map_or(Form::Plain, |value| Form::Opaque(format!("`find {value}`")))
}

fn awk(words: &[Word]) -> Found<'_> {
    let mut program = true;
    let mut before = "";
    for word in words {
        let value = word.value.as_str();
        let file = value.strip_prefix("--file=").or_else(|| value.strip_prefix("-f")).filter(|file| !file.is_empty());
        let file = file.or(matches!(before, "-f" | "--file").then_some(value));
        if program && file.is_some_and(is_device) {
            return Err(word);
        }
        if program && (word.may_be_option() || (word.is_dynamic() && !matches!(before, "-v" | "-F"))) {
            return Err(word);
        }
        if value.contains("system") || value.contains(['|', '>', '@']) {
            return Ok(Some(word));
        }
        program &= value.starts_with('-') || matches!(before, "-v" | "-F" | "-f" | "--assign" | "--file");
        before = value;
    }
    Ok(None)
}

fn tar(words: &[Word]) -> Found<'_> {
    const LONG: &[&str] = &[
        "use-compress-program",
        "to-command",
        "checkpoint-action",
        "info-script",
        "new-volume-script",
        "rsh-command",
        "rmt-command",
    ];
    for (at, word) in words.iter().enumerate() {
        let value = word.value.as_str();
        if word.may_be_option() {
            return Err(word);
        }
        let old = at == 0 && !value.starts_with('-') && value.contains(['I', 'F']);
        if old || short(value, "IF") || long(value, LONG) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

fn git(words: &[Word]) -> Found<'_> {
    const VALUED: &[&str] = &["-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix"];
    let mut rest = words.iter();
    let mut command = "";
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            return Err(word);
        }
        if (value.starts_with("-c") && !value.starts_with("--")) || long(value, &["exec-path", "config-env"]) {
            // On its own `--exec-path` only prints.
            return Ok(Some(word));
        }
        if VALUED.contains(&value) {
            rest.next();
        } else if !value.starts_with('-') {
            command = value;
            break;
        }
    }
    let (letters, longs): (&str, &[&str]) = match command {
        "rebase" => ("x", &["exec"]),
        "grep" => ("O", &["open-files-in-pager"]),
        "clone" => ("cu", &["config", "upload-pack"]),
        "fetch" | "pull" | "ls-remote" | "fetch-pack" => ("", &["upload-pack", "exec"]),
        "push" | "send-pack" => ("", &["receive-pack", "exec"]),
        "archive" => ("", &["exec"]),
        "difftool" => ("x", &["extcmd"]),
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
        "bisect" | "submodule" | "config" => ("", &[]),
        _ => return Ok(None),
    };
    for word in rest {
        let value = word.value.as_str();
        if word.may_be_option() {
            return Err(word);
        }
        let runs = match command {
            "bisect" => value == "run",
            "submodule" => value == "foreach",
            // It makes what later calls run.
            "config" => is_setting_that_runs(value),
            _ => short(value, letters) || long(value, longs),
        };
        if runs {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

fn is_setting_that_runs(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = [
        "pager",
        "editor",
        "cmd",
        "command",
        "helper",
        "hookspath",
        "fsmonitor",
        "sshcommand",
        "textconv",
        "driver",
        "clean",
        "smudge",
        "process",
        "program",
        "askpass",
    ];
    name.starts_with("alias.") || (name.contains('.') && ends.iter().any(|end| name.ends_with(end)))
}

/// Comparisons of numbers are arithmetic to some shells, which may run a command in a subscript.
fn test(name: &str, words: &[Word]) -> Form {
    let closing = if name == "[" { "]" } else { "]]" };
    let words = if name == "test" {
        words
    } else {
        match words.split_last() {
            Some((last, rest)) if last.value == closing => rest,
            _ => return Form::Not(format!("`{name}`")),
        }
    };
    let counts = words.iter().any(|word| {
        matches!(word.value.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R" | "-t") || word.unseen
    });
    let odd = |word: &&Word| word.is_dynamic() || word.value.contains(['[', '$', '`', '(']);
    match words.iter().find(odd).filter(|_| counts) {
        Some(word) => not(name, word),
        // Where a word splits into several, one of them may be such a comparison.
        None => match words.iter().find(|word| word.unseen || word.spans.iter().any(|span| !span.quoted)) {
            Some(word) if name != "[[" => not(name, word),
            _ => Form::Plain,
        },
    }
}

fn printf(words: &[Word]) -> Form {
    let Some((format, rest)) = words.split_first() else { return Form::Plain };
    let format = if format.value == "--" { rest.first().unwrap_or(format) } else { format };
    if format.may_be_option() || format.value.starts_with('-') {
        return not("printf", format);
    }
    let mut plain = true;
    let mut chars = format.value.chars();
    while let Some(c) = chars.next() {
        if c == '%' {
            let kind = chars.find(|c| !c.is_ascii_digit() && !"-+ #.".contains(*c));
            plain &= matches!(kind, Some('s' | '%' | 'b' | 'q' | 'c'));
        }
    }
    if plain && !format.is_dynamic() {
        return Form::Plain;
    }
    let odd = |word: &&Word| word.is_dynamic() || word.value.contains(['[', '$', '`', '(']);
    words.iter().find(odd).map_or(Form::Plain, |word| not("printf", word))
}

/// Every word is an option or a name that may be set.
fn names(name: &str, words: &[Word]) -> Form {
    let fine = |word: &&Word| {
        let value = word.value.as_str();
        let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-. :?>/".contains(&b));
        plain && !word.is_dynamic() && !is_forbidden(value) && (name != "unset" || !value.starts_with('-'))
    };
    words.iter().find(|word| !fine(word)).map_or(Form::Plain, |word| not(name, word))
}

fn exported(name: &str, words: &[Word]) -> Form {
    for word in words {
        let (variable, given) = word.value.split_once('=').map_or((word.value.as_str(), false), |(v, _)| (v, true));
        let plain = variable.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let begins = word.spans.iter().any(|span| span.start < variable.len() + usize::from(given));
        let splits = word.spans.iter().any(|span| !span.quoted);
        let option = matches!(variable, "-p" | "--");
        if begins || splits || word.glob || is_forbidden(variable) || !(plain || option) {
            return not(name, word);
        }
    }
    Form::Plain
}

/// Options of the shell that do not change what words mean.
fn set(words: &[Word]) -> Form {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let letters = value.trim_start_matches(['-', '+']);
        let fine =
            !word.is_dynamic() && value.starts_with(['-', '+']) && letters.bytes().all(|b| b"euxvCo".contains(&b));
        if !fine || letters.is_empty() {
            return not("set", word);
        }
        for _ in letters.matches('o') {
            let option = rest.next();
            if !option.is_some_and(|o| matches!(o.value.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace")) {
                return not("set", word);
            }
        }
    }
    Form::Plain
}

/// Numbers are arithmetic to some shells.
fn numbers(name: &str, words: &[Word]) -> Form {
    let expanded = |word: &Word| {
        let status = matches!(word.value.as_str(), "$?" | "$!" | "$$");
        !status && (word.is_dynamic() && name != "kill")
    };
    let odd = |word: &&Word| expanded(word) || (word.spans.is_empty() && word.value.contains(['[', '$', '`', '(']));
    words.iter().find(odd).map_or(Form::Plain, |word| not(name, word))
}

/// Whether a cluster of short options has one of some letters.
pub(super) fn short(word: &str, letters: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(|c| letters.contains(c)))
}

/// Whether a word is one of some long options, or an abbreviation that may stand for it.
pub(super) fn long(word: &str, names: &[&str]) -> bool {
    let Some(given) = word.strip_prefix("--") else { return false };
    let given = given.split('=').next().unwrap_or(given);
    given.len() > 1 && names.iter().any(|name| name.starts_with(given))
}
