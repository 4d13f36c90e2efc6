//! Programs that run code from an argument or from their input (B1, B3), by table.

use super::builtins::{exported, names, numbers, printf, set, test};
use super::programs::{FED, INTERPRETERS, Interpreter, MODULES, NEVER, OPTIONS, RUNNERS, family, is_test};
use super::unwrap::is_device;
use super::words::Word;
use super::{base_name, sed};

/// Says what a command runs beside its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// Code in an argument: allowed only by a rule that has all of it.
    Opaque(String),
    /// Nobody knows.
    Not(String),
}

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
    let known = family(name);
    let runs = RUNNERS.contains(&name) || RUNNERS.contains(&known) || (fed && FED.contains(&known));
    if runs || NEVER.contains(&name) || name.starts_with("ld-linux") || name.starts_with("ld-musl") {
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
            if let Some(row) = INTERPRETERS.iter().find(|row| row.names.contains(&known)) {
                return interpreter(row, name, arguments, fed);
            }
            if known == "sqlite" {
                let shell =
                    |word: &&Word| word.value.starts_with('.') || word.value.contains("\n.") || word.is_dynamic();
                return says(Ok(arguments.iter().find(shell)));
            }
            match OPTIONS.iter().find(|(names, ..)| names.contains(&name) || names.contains(&known)) {
                Some((_, letters, longs)) => {
                    says(options(arguments, letters, longs, known.contains("vi") || known == "ex"))
                }
                None => Form::Plain,
            }
        }
    }
}

pub(super) fn not(name: &str, word: &Word) -> Form {
    Form::Not(format!("`{name} {}`", if word.unseen { "…" } else { word.value.as_str() }))
}

pub(super) fn is_shell(name: &str) -> bool {
    let known = [
        "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "yash", "rzsh", "rksh", "lksh", "posh", "hush",
        "rmksh",
    ];
    known.contains(&family(name))
}

pub(super) fn is_command_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|flags| {
        flags.contains('c') && flags.bytes().all(|b| matches!(b, b'c' | b'l' | b'i' | b'e' | b'u' | b'x'))
    })
}

/// Whether a program runs the code in a file that is named to it.
pub(super) fn runs_files(name: &str) -> bool {
    let family = family(name);
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
                let given = value.get(at + letter.len_utf8()..).unwrap_or_default();
                let given = if last { rest.next().map(|word| word.value.as_str()) } else { Some(given) };
                return match given {
                    Some(module) if letter == 'm' && MODULES.contains(&module) => {
                        Form::Not(format!("`{name} -m {module}`"))
                    }
                    Some(_) => Form::Plain,
                    None => Form::Not(format!("`{name}`")),
                };
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
    if let Some(word) = words.iter().find(|word| word.value.contains("ext::")) {
        return Ok(Some(word));
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
        "bisect" | "submodule" => ("", &[]),
        "config" => return config(rest.as_slice()),
        "remote-ext" | "remote-fd" | "shell" | "daemon" | "http-backend" => return Ok(words.first()),
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
            _ => short(value, letters) || long(value, longs),
        };
        if runs {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Settings that change how things look or who is named, not what later calls run.
fn config(words: &[Word]) -> Found<'_> {
    const PLAIN: &[&str] = &[
        "user.",
        "color.",
        "init.defaultbranch",
        "pull.rebase",
        "pull.ff",
        "push.default",
        "core.autocrlf",
        "advice.",
    ];
    if let Some(word) = words.iter().find(|word| word.may_be_option()) {
        return Err(word);
    }
    if let Some(word) = words.iter().find(|word| short(&word.value, "e") || long(&word.value, &["edit"])) {
        return Ok(Some(word));
    }
    let mut operands = words.iter().filter(|word| !word.value.starts_with('-'));
    let key = match operands.next() {
        Some(word) if matches!(word.value.as_str(), "get" | "list" | "unset") => return Ok(None),
        Some(word) if word.value == "set" => operands.next(),
        word => word,
    };
    let Some(key) = key.filter(|_| operands.next().is_some()) else { return Ok(None) };
    let name = key.value.to_ascii_lowercase();
    let plain = !key.is_dynamic() && PLAIN.iter().any(|plain| name.starts_with(plain));
    Ok(Some(key).filter(|_| !plain))
}

/// Whether a cluster of short options has one of some letters.
pub(super) fn short(word: &str, letters: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(|c| letters.contains(c)))
}

/// Whether a word is one of some long options, or an abbreviation that may stand for it.
pub(super) fn long(word: &str, names: &[&str]) -> bool {
    let Some(given) = word.strip_prefix("--") else { return false };
    let given = given.split('=').next().unwrap_or(given);
    !given.is_empty() && names.iter().any(|name| name.starts_with(given))
}
