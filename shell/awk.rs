//! Checks whether an `awk` program only computes and prints.

use std::iter::Peekable;
use std::str::Chars;

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
pub(super) fn only_prints(program: &str) -> bool {
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
