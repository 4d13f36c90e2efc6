//! Tables of programs that run code from an argument or from their input (B1, B3).

use std::collections::HashSet;

use super::awk::only_prints;
use super::builtins::{exported, jobs, names, number, printf, set, test};
use super::by_name::by_name;
use super::devices::is_input;
use super::options::{Opt, given, hides, long, short};
use super::programs::{
    CLIENTS, FED, INTERPRETERS, Interpreter, MODULES, NAMED, NEVER, OPTIONS, RUNNERS, RUNNING_SUBCOMMANDS, family,
};
use super::words::{Expands, Word};
use super::{base_name, find, git, sed};

/// The code that a command runs beside its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InlineCode {
    Plain,
    /// Code in an argument; only a rule that contains the whole command can allow it.
    Opaque(String),
    /// The command cannot be analysed.
    Not(String),
}

/// Programs whose code cannot be seen, by family.
const OPAQUE: &[(&[&str],)] = &[(RUNNERS,), (NEVER,)];

/// Classifies the code that a command runs. `fed` is true if its input comes from another command.
pub(super) fn form(words: &[Word], fed: bool) -> InlineCode {
    let Some((program, arguments)) = words.split_first() else { return InlineCode::Plain };
    let name = base_name(&program.value);
    let odd = (program.glob && !matches!(name, "[" | "[["))
        || !program.spans.is_empty()
        || program.brace
        || name.is_empty()
        // In zsh a number is the name of a parameter, and so are letters that other shells reject.
        || program.value.contains('=');
    if odd || (program.value.contains('/') && (is_input(&program.value) || name == "exe")) {
        return InlineCode::Not(format!("`{}`", if program.unseen { "…" } else { program.value.as_str() }));
    }
    // On Windows, and in WSL, programs have an extension and names are case-insensitive.
    let windows = name.len().checked_sub(4).and_then(|at| name.split_at_checked(at));
    let windows =
        windows.filter(|(_, end)| end.eq_ignore_ascii_case(".exe")).map(|(name, _)| name.to_ascii_lowercase());
    let known = family(windows.as_deref().unwrap_or(name));
    let opaque = by_name!(OPAQUE, 0);
    let runs = opaque.row(name).is_some() || opaque.row(known) == Some(0) || (fed && FED.contains(&known));
    if runs || name.starts_with("ld-linux") || name.starts_with("ld-musl") {
        return InlineCode::Not(format!("`{}`", program.value));
    }
    let says = |form: Result<Option<&Word>, &Word>| match form {
        Ok(None) => InlineCode::Plain,
        Ok(Some(word)) => InlineCode::Opaque(format!("`{name} {}`", word.value)),
        Err(word) => not(name, word),
    };
    match known {
        "find" => find::read(arguments).form(),
        "awk" | "gawk" | "mawk" | "nawk" => says(awk(arguments)),
        "sed" => says(sed::code(arguments)),
        "git" => says(git::code(arguments)),
        "tar" | "bsdtar" => says(tar(arguments)),
        "test" | "[" | "[[" => test(name, arguments),
        "make" => says(make(arguments)),
        "less" => says(Ok(arguments.iter().find(|word| keys(&word.value)))),
        "printf" => printf(arguments),
        "read" | "getln" | "unset" | "wait" => names(name, arguments),
        "export" | "readonly" => exported(name, arguments),
        "set" => set(arguments),
        "exit" | "bye" | "logout" | "return" | "shift" | "break" | "continue" => number(name, arguments),
        "ulimit" | "kill" | "jobs" | "fg" | "bg" => jobs(name, arguments),
        _ => {
            let row = by_name!(INTERPRETERS, names).row(known).and_then(|row| INTERPRETERS.get(row));
            if let Some(row) = row {
                return interpreter(row, name, arguments, fed);
            }
            if let Some((_, marks)) = by_name!(CLIENTS, 0).row(known).and_then(|row| CLIENTS.get(row)) {
                return says(Ok(client(known, arguments, marks)));
            }
            if let Some(word) = named_program(known, arguments) {
                return says(Ok(Some(word)));
            }
            match by_name!(OPTIONS, 0).row(known).and_then(|row| OPTIONS.get(row)) {
                Some((_, letters, longs)) => {
                    says(options(known, arguments, letters, longs, known.contains("vi") || known == "ex"))
                }
                None => InlineCode::Plain,
            }
        }
    }
}

pub(super) fn not(name: &str, word: &Word) -> InlineCode {
    InlineCode::Not(format!("`{name} {}`", if word.unseen { "…" } else { word.value.as_str() }))
}

/// Returns true for the name of a shell whose text is read as that of a POSIX shell.
pub(super) fn is_shell(name: &str) -> bool {
    let known = [
        "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "yash", "rzsh", "rksh", "lksh", "posh", "hush",
        "rmksh",
    ];
    known.contains(&family(name))
}

/// Returns true for an option of a shell after which a text follows, such as `-c` or `-lc`.
pub(super) fn is_command_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|flags| {
        flags.contains('c') && flags.bytes().all(|b| matches!(b, b'c' | b'l' | b'i' | b'e' | b'u' | b'x'))
    })
}

/// Returns true for `source FILE` with a known file. The file may do anything, so that a rule has to name it.
pub(super) fn runs_named_file(words: &[Word]) -> bool {
    let [program, file, ..] = words else { return false };
    let known =
        !file.is_dynamic() && !file.brace && !file.tilde && !file.value.starts_with('-') && !is_input(&file.value);
    matches!(program.value.as_str(), "source" | ".") && known && !file.value.is_empty()
}

/// Returns true for an interpreter that runs its input, such as `python3 -`.
pub(super) fn runs_input(words: &[Word]) -> bool {
    let Some((program, words)) = words.split_first() else { return false };
    let reads = words.first().is_none_or(|word| word.value == "-") && !words.iter().any(Word::is_dynamic);
    reads && !program.is_dynamic() && by_name!(INTERPRETERS, names).row(family(base_name(&program.value))).is_some()
}

/// Returns true if a program runs the code in a file named as an argument.
pub(super) fn runs_files(name: &str) -> bool {
    let family = family(name);
    is_shell(name)
        || matches!(name, "." | "source" | "run-parts")
        || matches!(family, "awk" | "gawk" | "mawk" | "nawk" | "make")
        || by_name!(INTERPRETERS, names).row(family).is_some()
}

/// The word that contains code, if any. `Err` is a word that could expand to anything.
pub(super) type Found<'w> = Result<Option<&'w Word>, &'w Word>;

/// Finds an option that names a program or contains code. `Err` is a word that may expand to such an option.
fn options<'w>(name: &str, words: &'w [Word], letters: &str, longs: &[&str], plus: bool) -> Found<'w> {
    let given = given(name, words);
    if let Some(word) = given.unsure {
        return Err(word);
    }
    let runs = |option: &&Opt<'_>| {
        letters.chars().any(|letter| option.is(letter, "")) || longs.iter().any(|long| option.is(' ', long))
    };
    let pressed = given.operands.iter().copied().find(|word| plus && word.value.starts_with('+'));
    Ok(given.all().find(runs).map(|option| option.word).or(pressed))
}

/// Key presses for a pager, or a file that defines them.
fn keys(word: &str) -> bool {
    let names = ["lesskey-src", "lesskey-content", "lesskey-file"];
    (word.starts_with('+') && word.contains(['!', '|', '#'])) || long(word, &names) || short(word, "k")
}

/// Finds the word that makes a database client run a program or write a file.
fn client<'w>(name: &str, words: &'w [Word], marks: &[&str]) -> Option<&'w Word> {
    words.iter().find(|word| {
        let text = word.value.to_ascii_lowercase();
        let dots = name == "sqlite" && (text.starts_with('.') || text.contains("\n.") || word.is_dynamic());
        dots || marks.iter().any(|mark| has_name(&text, mark))
    })
}

/// Returns true if a text contains a name that is not part of a longer name.
fn has_name(text: &str, name: &str) -> bool {
    let named = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let edge = |c: Option<char>| !c.is_some_and(named);
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (text.get(..at), text.get(at + name.len()..));
        let (first, last) = (name.chars().next(), name.chars().next_back());
        let begins = edge(first) || edge(before.and_then(|before| before.chars().next_back()));
        begins && (edge(last) || edge(behind.and_then(|behind| behind.chars().next())))
    })
}

/// Finds an option, with one or two dashes, or another word that names a program.
fn named_program<'w>(known: &str, words: &'w [Word]) -> Option<&'w Word> {
    let (_, options, marks) = by_name!(NAMED, 0).row(known).and_then(|row| NAMED.get(row))?;
    let is_option = |word: &&Word, options: &[&str]| {
        let double = long(&word.value, options);
        let single = word.value.strip_prefix('-').and_then(|option| option.split('=').next());
        double || single.is_some_and(|option| options.contains(&option))
    };
    let own = || words.iter().take_while(|word| word.value != "--");
    let marked = |word: &&Word| marks.iter().any(|mark| word.value.contains(mark));
    // More options may be in a response file, and programs in a folder.
    let compiles = options.contains(&"wrapper") || known == "rustc" || known == "rustdoc";
    let listed = |word: &&Word| compiles && (word.value.starts_with('@') || word.value.starts_with("-B"));
    let found = own().find(|word| is_option(word, options) || listed(word)).or_else(|| words.iter().find(marked));
    found.or_else(|| {
        let manages = options.contains(&"script-shell");
        let named = |word: &&Word| manages && !word.value.starts_with('-');
        // After an option, the first word may be the value of that option.
        let first = words.first().filter(named);
        let commands = if first.is_some() { 1 } else { words.len() };
        let mut searched = [false; RUNNING_SUBCOMMANDS.len()];
        words.iter().enumerate().filter(|(_, word)| named(word)).take(commands).find_map(|(at, command)| {
            let name = command.value.as_str();
            let is = |known: &&str| *known == name || (name.len() > 1 && known.starts_with(name));
            let row = RUNNING_SUBCOMMANDS.iter().position(|(commands, ..)| commands.iter().any(is))?;
            let (_, options, keys) = RUNNING_SUBCOMMANDS.get(row)?;
            // A condition that failed for an earlier word also fails for this one.
            if std::mem::replace(searched.get_mut(row)?, true) {
                return None;
            }
            let names_program = |word: &&Word| {
                keys.is_empty() && options.is_empty()
                    || keys.contains(&word.value.split('=').next().unwrap_or_default())
            };
            let mut behind = words.iter().skip(at + 1).filter(named);
            let open = |word: &&Word| {
                let expands = word.spans.first().is_some_and(|span| span.start == 0 && span.what == Expands::Other);
                expands && !word.given
            };
            let mut after = own().skip(at + 1);
            behind
                .find(names_program)
                .or_else(|| own().find(|word| is_option(word, options)))
                .or_else(|| after.find(open))
        })
    })
}

/// Parses the options of an interpreter up to its program. Without a program it reads its input.
fn interpreter(row: &Interpreter, name: &str, words: &[Word], fed: bool) -> InlineCode {
    let mut rest = words.iter();
    let (mut perhaps, mut named) = (false, false);
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() || hides(name, word) {
            return not(name, word);
        }
        if value == "--" {
            return if rest.next().is_some() { InlineCode::Plain } else { InlineCode::Not(format!("`{name}`")) };
        }
        if value == "-" || !value.starts_with('-') {
            if is_input(value) {
                return InlineCode::Not(format!("`{name} {value}`"));
            }
            if perhaps {
                (perhaps, named) = (false, true);
                continue;
            }
            return InlineCode::Plain;
        }
        if let Some(given) = value.strip_prefix("--") {
            if long(value, row.code_long) {
                return InlineCode::Opaque(format!("`{name} {value}`"));
            }
            if matches!(given, "version" | "help") {
                return InlineCode::Plain;
            }
            if row.asks_long.contains(&given) {
                return InlineCode::Not(format!("`{name} {value}`"));
            }
            // An address may contain the code.
            let is_code = |value: &str| {
                let plain = value.chars().filter(|c| *c > ' ').take(5);
                plain.map(|c| c.to_ascii_lowercase()).eq("data:".chars())
            };
            let own = given.split_once('=').map(|(_, own)| own);
            let next = rest.as_slice().first().map(|word| word.value.as_str());
            if own.or(next).is_some_and(is_code) {
                return InlineCode::Opaque(format!("`{name} {value}`"));
            }
            if row.valued_long.contains(&given) {
                rest.next();
            } else {
                // It may have a value.
                perhaps = !given.contains('=');
            }
            continue;
        }
        if words.len() == 1 && matches!(value, "-V" | "-v" | "-h") && !fed && row.names != ["python", "pypy"]
            || (words.len() == 1 && matches!(value, "-V" | "-h"))
        {
            return InlineCode::Plain;
        }
        let mut inside = false;
        for (at, letter) in value.char_indices().skip(1) {
            inside |= row.glued.contains(letter);
            if row.asks.contains(letter) {
                return InlineCode::Not(format!("`{name} {value}`"));
            }
            if row.code.contains(letter) {
                return InlineCode::Opaque(format!("`{name} {value}`"));
            }
            let last = at + letter.len_utf8() == value.len();
            if row.program.contains(letter) {
                let given = value.get(at + letter.len_utf8()..).unwrap_or_default();
                let given = if last { rest.next().map(|word| word.value.as_str()) } else { Some(given) };
                return match given {
                    // It is the same program.
                    Some("pip") if letter == 'm' => match named_program("pip", rest.as_slice()) {
                        Some(word) => InlineCode::Opaque(format!("`{name} {}`", word.value)),
                        None => InlineCode::Plain,
                    },
                    Some(module) if letter == 'm' && MODULES.contains(&module.split('.').next().unwrap_or(module)) => {
                        InlineCode::Not(format!("`{name} -m {module}`"))
                    }
                    Some(_) => InlineCode::Plain,
                    None => InlineCode::Not(format!("`{name}`")),
                };
            }
            // A letter inside the value of another option is not an option.
            if row.valued.contains(letter) && !inside {
                if last {
                    rest.next();
                }
                break;
            }
        }
    }
    // The word is the program or the value of an option.
    if (perhaps || named) && !fed && words.len() > 1 {
        return InlineCode::Plain;
    }
    InlineCode::Not(format!("`{name}`"))
}

fn awk(words: &[Word]) -> Found<'_> {
    let given = given("awk", words);
    for option in given.all() {
        // A gawk library can write its files in place. `-W` introduces an option under another name, and the
        // debugger runs the commands that it reads.
        let runs = option.is('l', "load") || option.is('W', "") || option.is('D', "debug");
        if option.is('i', "include") || runs {
            return Ok(Some(option.word));
        }
        let file = option.is('f', "file") || option.is('E', "exec");
        if file && option.value.as_ref().is_none_or(|file| file.is_dynamic() || is_input(&file.value)) {
            return Err(option.word);
        }
    }
    let options: HashSet<*const Word> = given.options.iter().map(|option| std::ptr::from_ref(option.word)).collect();
    let mut before = "";
    let mut program = true;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if program && (word.may_be_option() || (word.is_dynamic() && !matches!(before, "-v" | "-F"))) {
            return Err(word);
        }
        // The field separator, or the value of a variable.
        let sets = value.starts_with("-F") || value.starts_with("-v");
        if sets && options.contains(&std::ptr::from_ref(word)) {
            if let Some(given) = rest.as_slice().first().filter(|_| value.len() == 2) {
                if given.may_be_option() {
                    return Err(given);
                }
                rest.next();
            }
            continue;
        }
        if value.contains("system") || (value.contains(['|', '>', '@']) && !only_prints(value)) {
            return Ok(Some(word));
        }
        program &= value.starts_with('-') || matches!(before, "-v" | "-F" | "-f" | "--assign" | "--file");
        before = value;
    }
    Ok(None)
}

/// Finds the code that `make` runs: a makefile on standard input, or the value of `--eval`.
fn make(words: &[Word]) -> Found<'_> {
    let given = given("make", words);
    if let Some(word) = given.unsure {
        return Err(word);
    }
    for option in given.all() {
        if option.is('E', "eval") {
            return Ok(Some(option.word));
        }
        let file = option.is('f', "file") || option.is('f', "makefile");
        if file && option.value.as_ref().is_none_or(|file| file.is_dynamic() || is_input(&file.value)) {
            return Err(option.word);
        }
    }
    // The makefile decides which variables are run as commands or contain function calls.
    let runs = |word: &&&Word| {
        let Some((name, value)) = word.value.split_once('=') else { return false };
        let set = name.trim_end_matches([':', '?', '+', ' ', '\t']).trim_start().trim_start_matches("override ").trim();
        // Spans are in order, and a nested span ends with its outer span.
        let mut spans = word.spans.iter().peekable();
        let mut own = |at: usize| {
            while spans.next_if(|span| span.end <= at).is_some() {}
            spans.peek().is_none_or(|span| span.start > at)
        };
        let called = value.match_indices(['$', '`']).any(|(at, _)| own(name.len() + 1 + at));
        called
            || name.ends_with('!')
            || name.contains('!')
            || matches!(set, "SHELL" | ".SHELLFLAGS" | "MAKEFLAGS" | "GNUMAKEFLAGS" | "MAKEFILES")
    };
    Ok(given.operands.iter().find(runs).copied())
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
        if word.may_be_option() || hides("tar", word) {
            return Err(word);
        }
        let old = at == 0 && !value.starts_with('-') && value.contains(['I', 'F']);
        if old || short(value, "IF") || long(value, LONG) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}
