//! `awk`: its files, and a check that its program only computes and prints.

use std::collections::HashSet;
use std::iter::Peekable;
use std::str::Chars;

use super::code::Found;
use super::program::{Call, Loads, Program, TextWords};
use crate::devices::is_input;
use crate::effects::{Extent, FileEffect, Touch, read_somewhere};
use crate::options::{Given, OptionSpec};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program {
    options: OptionSpec::new(
        "vfFeilEW",
        &["assign", "file", "field-separator", "source", "include", "load", "exec"],
        &["dump-variables", "debug", "lint", "pretty-print", "profile"],
    )
    .glued("dDLop"),
    code: |call| call.says(code(call)),
    reads: &[('f', "file")],
    writes: &[('d', "dump-variables"), ('o', "pretty-print"), ('p', "profile")],
    touches: |call| dumps(call.given()).into_iter().chain(opened(call.arguments)).collect(),
    texts: |_| &TextWords { first: Some(&[('e', "source"), ('f', "file")]), ..TextWords::NONE },
    loads: Loads { arguments: true, ..Loads::NOTHING },
    ..Program::reader(&["awk", "gawk", "mawk", "nawk"])
}];

/// Finds the word with code that may do more than print, or an option that names such code.
fn code<'w>(call: &Call<'w>) -> Found<'w> {
    let (given, words) = (call.given(), call.arguments);
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

/// The files that an awk program opens itself.
fn opened(words: &[Word]) -> Option<FileEffect> {
    let opens =
        |word: &Word| (word.value.contains("getline") && word.value.contains('<')) || word.value.contains("ARGV");
    words.iter().any(opens).then(read_somewhere)
}

/// The files in which gawk dumps its program and variables, if no name is given.
fn dumps(given: &Given<'_>) -> Vec<FileEffect> {
    let options =
        [('d', "dump-variables", "awkvars.out"), ('o', "pretty-print", "awkprof.out"), ('p', "profile", "awkprof.out")];
    let is_bare = |(letter, long, _): &(char, &str, &str)| {
        given.has(*letter, long) && given.values(*letter, long).next().is_none()
    };
    let file = |(.., file): (char, &str, &str)| (Touch::Write, Word::literal(file), Extent::Itself);
    options.into_iter().filter(is_bare).map(file).collect()
}

/// The meaning of a `/` at the current position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slash {
    Expression,
    Division,
    /// Implementations differ.
    Unsure,
}

/// Returns true if a program contains no pipe and no redirection, and no call by a computed name: every `|`,
/// `>` and `@` is in a string, in a regular expression or part of a comparison. Returns false if that is
/// uncertain.
fn only_prints(program: &str) -> bool {
    let mut chars = program.chars().peekable();
    let mut slash = Slash::Expression;
    // True between a `print` and the end of its statement.
    let mut prints = false;
    while let Some(c) = chars.next() {
        slash = match c {
            ' ' | '\t' => slash,
            '"' if string(&mut chars) => Slash::Unsure,
            '/' if slash == Slash::Expression && expression(&mut chars) => Slash::Unsure,
            '/' if slash == Slash::Division => Slash::Unsure,
            '"' | '/' | '@' | '\\' => return false,
            '|' => match chars.next_if_eq(&'|') {
                Some(_) => Slash::Expression,
                None => return false,
            },
            '>' if prints || chars.peek() == Some(&'>') => return false,
            '#' => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                Slash::Unsure
            }
            '{' | '}' | ';' => {
                prints = false;
                Slash::Expression
            }
            '\n' | '(' | ',' | '!' | '~' | '&' | '=' => Slash::Expression,
            ']' | '0'..='9' => Slash::Division,
            c if c.is_ascii_alphabetic() || c == '_' => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                prints |= matches!(word.as_str(), "print" | "printf");
                let operator =
                    ["print", "printf", "return", "in", "exit", "case", "else", "do", "getline", "delete", "length"];
                if operator.contains(&word.as_str()) { Slash::Unsure } else { Slash::Division }
            }
            _ => Slash::Unsure,
        };
    }
    true
}

/// Skips the rest of a string. Returns false if it does not end on its line.
fn string(chars: &mut Peekable<Chars<'_>>) -> bool {
    loop {
        match chars.next() {
            Some('"') => return true,
            Some('\\') if chars.next_if(|c| *c != '\n').is_some() => {}
            Some('\\' | '\n') | None => return false,
            Some(_) => {}
        }
    }
}

/// Skips the rest of a regular expression. Returns false if implementations disagree about its end: some treat
/// a `/` inside a bracket expression as the end and others do not.
fn expression(chars: &mut Peekable<Chars<'_>>) -> bool {
    let mut open = 0_usize;
    loop {
        match chars.next() {
            Some('/') => return open == 0,
            Some('[') => {
                chars.next_if_eq(&'^');
                if chars.peek() == Some(&']') {
                    return false;
                }
                open += 1;
            }
            Some(']') => match open.checked_sub(1) {
                Some(left) => open = left,
                None => return false,
            },
            Some('\\') if chars.next_if(|c| *c != '\n').is_some() => {}
            Some('\\' | '\n') | None => return false,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_scripts_that_only_print_are_distinguished_from_those_that_run_or_write() {
        for program in [
            "$3 > 10",
            "$3 > 10 { print $1 }",
            "NR>=2",
            "/a|b/",
            "/[|>]/ { n++ } END { print n/2 }",
            "$1 ~ /^[^|]+$/ || $2 == \"|\"",
            "{printf \"%s|%s\\n\", $1, $2}",
            "{ print $1; if ($2 > 3) n++ }",
            "BEGIN { x = 4/2; y = \"a\\\"|b\" } # a | b",
            "!/>/",
            "{ split($0, a, \"@\"); print a[1] }",
        ] {
            assert!(only_prints(program), "{program}");
        }
        for program in [
            "{ print > \"f\" }",
            "{ print >> \"f\" }",
            "{ print $1 >= 2 }",
            "{ print($1) > $2 }",
            "1{printf\"a\">\"f\"}",
            "1print>\"f\"",
            "{ print | \"sh\" }",
            "{ print ||| \"sh\" }",
            "{ \"sh\" | getline }",
            "{ print |& \"sh\" }",
            "{ print \"a\" \"|\" > \"f\" }",
            "{ print a, b\n > \"f\" }",
            "@include \"f\"",
            "{ @f(1) }",
            "BEGIN { if (1) /\"/ ; print | \"sh #\" }",
            "BEGIN { print length /\"/ 1 | \"sh\" }",
            "BEGIN { print /\"/ ; \"sh\" | getline }",
            "BEGIN { x++ /\"/ 1; \"sh\" | getline }",
            "/[/]/ { print | \"sh\" } #/",
            "/[]/]/ { print | \"sh\" } #/",
            "/][/]/ { print | \"sh\" } #/",
            "/[[:alpha:]/]/ { print | \"sh\" } #/",
            "/a\n/ { print | \"sh\" }",
            "\"a\n | \"",
            "x \\\n| \"sh\"",
        ] {
            assert!(!only_prints(program), "{program}");
        }
    }
}
