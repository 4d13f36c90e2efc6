//! `sed`: its files, and a check that its scripts only print and replace.

use std::iter::Peekable;
use std::str::Chars;

use super::code::Found;
use super::copy::suffixes;
use super::program::{Program, TextWords};
use crate::effects::{Extent, FileEffect, Touch, all, concat};
use crate::options::{Given, OptionSpec};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program {
    options: OptionSpec::new("efl", &["expression", "file", "line-length"], &["in-place"]).glued("i"),
    code: |call| call.says(code(call.given())),
    reads: &[('f', "file")],
    touches: |call| written(call.given()),
    texts: |_| &TextWords {
        first: Some(&[('e', "expression"), ('f', "file")]),
        options: &[('e', "expression")],
        ..TextWords::NONE
    },
    ..Program::reader(&["sed"])
}];

/// The operands that are files, and the number of operands before them that are scripts.
fn files<'w>(given: &Given<'w>) -> (usize, Vec<&'w Word>) {
    let named = given.has('e', "expression") || given.has('f', "file");
    // If `-i` has its suffix as a separate word, the script follows it.
    let empty = given.operands.first().is_some_and(|word| word.value.is_empty());
    let scripts = if named { 0 } else { 1 + usize::from(empty) };
    (scripts, given.operands.iter().copied().skip(usize::from(!named)).collect())
}

/// The files that it edits in place, and their backups.
fn written(given: &Given<'_>) -> Vec<FileEffect> {
    let (_, files) = files(given);
    let writes = given.has('i', "in-place") || given.operands.iter().any(|word| word.unseen);
    let written: Vec<_> = all(Touch::Write, files.iter().copied().filter(|_| writes)).collect();
    let kept = |word: &Word, suffix: &Word| {
        if suffix.value.contains(['*', '/']) { Word::somewhere() } else { concat(word, suffix) }
    };
    let kept: Vec<_> = match suffixes(given.values('i', "in-place")) {
        Some(suffixes) => suffixes.iter().flat_map(|suffix| files.iter().map(|word| kept(word, suffix))).collect(),
        None => vec![Word::somewhere()],
    };
    let kept: Vec<_> = kept.into_iter().map(|word| (Touch::Write, word, Extent::Perhaps)).collect();
    written.into_iter().chain(kept).collect()
}

/// Finds the word whose script may run a command or write a file. `Err` is a word that may expand to anything.
fn code<'g>(given: &'g Given<'_>) -> Found<'g> {
    let (scripts, _) = files(given);
    let odd = |word: &&Word| word.may_be_option() && !word.spans.is_empty();
    if let Some(word) = given.operands.iter().copied().find(odd) {
        return Err(word);
    }
    let mut read: Vec<(&Word, &Word)> = given.operands.iter().take(scripts).map(|word| (*word, *word)).collect();
    for option in &given.options {
        if option.is('f', "file") {
            return Ok(Some(option.word));
        }
        if option.is('e', "expression") {
            read.extend(option.value.as_ref().map(|script| (option.word, script)));
        }
    }
    for (word, script) in read {
        if !script.spans.is_empty() || script.glob {
            return Err(word);
        }
        if !is_harmless(&script.value) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Returns true if no command of a script runs a program or reads or writes a file.
fn is_harmless(script: &str) -> bool {
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if " \t\n;0123456789,$!{}~+pdqQnNgGhHxDP=lI".contains(c) => {}
            '/' => {
                if !expression(&mut chars, '/') {
                    return false;
                }
            }
            's' | 'y' => {
                let Some(edge) = chars.next().filter(|edge| !edge.is_alphanumeric() && *edge != '\n') else {
                    return false;
                };
                if !expression(&mut chars, edge) || !text(&mut chars, edge) {
                    return false;
                }
                while chars.next_if(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9')).is_some() {}
                if !chars.peek().is_none_or(|c| matches!(c, ' ' | ';' | '\n' | '}')) {
                    return false;
                }
            }
            'a' | 'i' | 'c' => {
                if !inserted(&mut chars) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

/// Skips an inserted text of one line. Returns false if implementations disagree about its end.
fn inserted(chars: &mut Peekable<Chars<'_>>) -> bool {
    while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    if chars.next_if_eq(&'\\').is_some() && chars.next() != Some('\n') {
        return false;
    }
    let mut any = false;
    for c in chars.by_ref().take_while(|c| *c != '\n') {
        if c == '\\' {
            return false;
        }
        any |= c != ' ' && c != '\t';
    }
    any
}

/// Skips to after the next delimiter. Returns false if there is none on this line.
fn text(chars: &mut Peekable<Chars<'_>>, edge: char) -> bool {
    loop {
        match chars.next() {
            Some('\\') => drop(chars.next()),
            Some(c) if c == edge => return true,
            Some('\n') | None => return false,
            Some(_) => {}
        }
    }
}

/// The same for a regular expression, in which a bracket expression may contain the delimiter. Returns false if
/// the end is uncertain.
fn expression(chars: &mut Peekable<Chars<'_>>, edge: char) -> bool {
    loop {
        match chars.next() {
            Some('\\') => drop(chars.next()),
            Some(c) if c == edge => return true,
            Some('\n') | None => return false,
            Some('[') if !set(chars, edge) => return false,
            Some(_) => {}
        }
    }
}

/// Skips a bracket expression. Implementations disagree about its end if it contains the delimiter or ends in a
/// backslash.
fn set(chars: &mut Peekable<Chars<'_>>, edge: char) -> bool {
    chars.next_if_eq(&'^');
    let mut first = true;
    loop {
        match chars.next() {
            Some(c) if c == edge => return false,
            Some(']') if !first => return true,
            Some('[') => {
                if let Some(kind) = chars.next_if(|c| matches!(c, ':' | '.' | '=')) {
                    let ended = loop {
                        match chars.next() {
                            Some(c) if c == kind && chars.peek() == Some(&']') => break true,
                            Some(c) if c == edge || c == '\n' => break false,
                            None => break false,
                            Some(_) => {}
                        }
                    };
                    if !ended {
                        return false;
                    }
                    chars.next();
                }
            }
            Some('\\') => {
                if chars.next_if(|c| *c != ']').is_none() {
                    return false;
                }
            }
            Some('\n') | None => return false,
            Some(_) => {}
        }
        first = false;
    }
}
