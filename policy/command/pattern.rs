//! `Bash(P)`: patterns for commands (B4-B6, B9).

use std::rc::Rc;
use std::sync::OnceLock;

use super::argument_pattern::ArgumentPattern;
use super::assigned::NamedAssignments;
use super::net::Net;
use snaphook_shell::{Budget, Part, TextElement, Word, base_name, intersects, is_quote, is_special, printed};

use crate::list::Side;
use crate::wildcard::Wildcard;

/// A pattern that matches commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    /// The assignments before the program that an allow rule names.
    assigned: NamedAssignments,
    /// The members of a pipeline pattern, in order; one for a simple pattern.
    members: Vec<PipelineMember>,
    /// The pattern without trailing stars; source of the fallback search.
    body: String,
    /// The fallback search for commands that are not understood; built on first use.
    net: OnceLock<Net>,
    /// True if the pattern has a `:*` that is not at the end, where it is literal.
    pub(crate) odd_colon: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PipelineMember {
    text: Wildcard,
    /// The same pattern with a space and any text appended. A trailing ` *` or `:*` also matches nothing.
    longer: Option<Wildcard>,
    /// True if the pattern names the program with its folder.
    folder: bool,
    /// The pattern by its arguments, for deny and ask; built on first use.
    arguments: OnceLock<Option<ArgumentPattern>>,
}

impl CommandPattern {
    /// Parses a pattern. `Err` is the end of a message that starts with the rule.
    pub(crate) fn read(pattern: &str, side: Side) -> Result<Self, String> {
        let (assigned, pattern) = match side {
            Side::Grant => NamedAssignments::split(pattern),
            Side::Guard => (NamedAssignments::default(), pattern),
        };
        let net = OnceLock::new();
        if pattern.is_empty() && !assigned.is_empty() {
            return Ok(Self { assigned, members: Vec::new(), body: String::new(), net, odd_colon: false });
        }
        if let Some(members) = plain(pattern, side) {
            return Ok(Self { assigned, members, body: pattern.to_owned(), net, odd_colon: false });
        }
        let mut reader = PatternReader { side, members: Vec::new(), odd_colon: false };
        let members = reader.split(pattern)?;
        for member in &members {
            reader.member(member)?;
        }
        let body = members.join(" | ");
        Ok(Self { assigned, members: reader.members, body, net, odd_colon: reader.odd_colon })
    }

    /// Returns true if a simple command matches. `spelled` has its other spellings, for deny and ask rules.
    pub(crate) fn matches(&self, side: Side, part: &Part, spelled: &[String]) -> bool {
        let [member] = self.members.as_slice() else {
            return self.members.is_empty() && part.words.is_empty();
        };
        match side {
            Side::Grant if part.opaque.is_some() => member.is_exact() && member.matches(&part.text),
            Side::Grant => member.matches(&part.text),
            Side::Guard => {
                member.guards(part)
                    || spelled.iter().any(|text| member.matches(text))
                    || (part.opaque.is_some() && self.catches(part.text_words().iter()))
            }
        }
    }

    /// Returns true if a command makes the assignments that the pattern names, and no other of those in `to_name` (B7).
    pub(crate) fn allows_assignments(&self, part: &Part, to_name: &[String]) -> bool {
        // `export NAME=value` has its assignments among its words.
        let exported = |name: &str| {
            let is = |word: &str| word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
            !part.words.is_empty() && self.body.split(' ').skip(1).any(is)
        };
        self.assigned.are_made_by(part) && to_name.iter().all(|name| self.assigned.names(name) || exported(name))
    }

    /// Returns true if it could match a simple command for some value of its unknown parts.
    pub(crate) fn could_match(&self, part: &Part, steps: &Budget) -> bool {
        let [member] = self.members.as_slice() else { return false };
        part.partial_texts().iter().any(|(name, text)| member.intersects_text(name, text, steps))
            || !steps.spend(part.words.len())
            || (part.words.iter().any(Word::is_dynamic) && member.by_arguments(part, ArgumentPattern::could_match))
    }

    /// What a deny or ask rule covers besides its own spelling, in words (B12).
    pub(crate) fn covers_more(&self) -> Option<String> {
        let [member] = self.members.as_slice() else { return None };
        let text = member.text.written();
        let (program, words) = text.split_once(' ')?;
        let program = base_name(program);
        Some(ArgumentPattern::read(program, words, member.longer.is_some())?.covers(program))
    }

    /// Returns true if the words that may name a program contain those of the pattern (B13).
    pub(crate) fn may_run_in(&self, part: &Part, steps: &Budget) -> bool {
        let (words, partial) = (part.program_words(), part.partial_program_words());
        steps.spend(words.len());
        !self.is_pipeline()
            && !self.body.starts_with('*')
            && !words.is_empty()
            && (self.catches(words.iter().map(String::as_str))
                || (!partial.is_empty() && self.net().may_catch(words, partial, steps)))
    }

    /// The members of the pattern; absent if it has quotes or expansions, so that a matching command may be spelled
    /// differently.
    pub(crate) fn literals(&self) -> Option<impl Iterator<Item = &Wildcard>> {
        let is_plain = !self.body.contains(['\'', '"', '\\', '$', '`']);
        is_plain.then(|| self.members.iter().map(|member| &member.text))
    }

    /// Returns true if members of a pipeline match in this order, with any others in between (B9). A program
    /// that cannot be analysed is compared by its words.
    pub(crate) fn runs_through(&self, pipeline: &[Vec<Rc<Part>>]) -> bool {
        let mut rest = pipeline.iter();
        let odd = |part: &Part| part.words.first().is_some_and(|word| word.is_dynamic() || word.brace);
        let meant = |body: &str, part: &Part| Net::of(body).catches(part.text_words().iter());
        self.members.len() > 1
            && self.members.iter().zip(self.body.split(" | ")).all(|(want, body)| {
                let is = |part: &Rc<Part>| want.guards(part) || (odd(part) && meant(without_tail(body).0, part));
                rest.any(|parts| parts.iter().any(is))
            })
    }

    /// Returns true if the pattern describes a pipeline.
    pub(crate) fn is_pipeline(&self) -> bool {
        self.members.len() > 1
    }

    /// Returns true if the raw text of a command that is not understood is matched by the fallback search (deny
    /// and ask only).
    pub(crate) fn catches<'w>(&self, words: impl Iterator<Item = &'w str>) -> bool {
        self.net().catches(words)
    }

    fn net(&self) -> &Net {
        self.net.get_or_init(|| {
            let bodies: Vec<_> = self.body.split(" | ").map(|member| without_tail(member).0).collect();
            Net::of(&bodies.join(" "))
        })
    }
}

impl PipelineMember {
    fn new(text: Wildcard, longer: Option<Wildcard>, folder: bool) -> Self {
        Self { text, longer, folder, arguments: OnceLock::new() }
    }

    fn intersects_text(&self, program: &str, text: &[TextElement], steps: &Budget) -> bool {
        let head = self.text.head();
        if !head.starts_with(program) && !program.starts_with(head) {
            return false;
        }
        let pieces = |wild: &Wildcard| {
            let mut pieces = wild.elements();
            pieces.retain(|piece| !matches!(piece, TextElement::Char(c) if is_quote(*c)));
            pieces
        };
        std::iter::once(&self.text).chain(&self.longer).any(|wild| intersects(&pieces(wild), text, steps))
    }

    /// Returns true if the pattern has no `*`.
    fn is_exact(&self) -> bool {
        self.longer.is_none() && !self.text.has_star()
    }

    /// Returns true if it matches the text as written, by base name (B6), or by its arguments (B12).
    fn guards(&self, part: &Part) -> bool {
        self.matches(&part.text)
            || (!self.folder && part.based.as_deref().is_some_and(|text| self.matches(text)))
            || self.by_arguments(part, ArgumentPattern::matches)
    }

    /// Compares the arguments of a command of the same program.
    fn by_arguments(&self, part: &Part, compare: impl Fn(&ArgumentPattern, &str, &[Word]) -> bool) -> bool {
        let Some((program, words)) = part.words.split_first() else { return false };
        let name = base_name(&program.value);
        let Some((wanted, _)) = self.text.head().split_once(' ') else { return false };
        if wanted != if self.folder { &program.value } else { name } {
            return false;
        }
        let read = || {
            let text = self.text.written();
            let (_, words) = text.split_once(' ')?;
            ArgumentPattern::read(name, words, self.longer.is_some())
        };
        self.arguments.get_or_init(read).as_ref().is_some_and(|pattern| compare(pattern, name, words))
    }

    fn matches(&self, text: &str) -> bool {
        self.text.matches(text) || self.longer.as_ref().is_some_and(|longer| longer.matches(text))
    }
}

/// The pattern with a space and any text appended.
fn with_any_arguments(text: &Wildcard) -> Wildcard {
    let mut longer = text.clone();
    longer.push(' ');
    longer.star();
    longer
}

/// Parses a pattern without quotes and without operators other than ` | `. This is the fast path for most
/// patterns. Returns `None` if the full parser is needed.
fn plain(pattern: &str, side: Side) -> Option<Vec<PipelineMember>> {
    let special = |b: u8| matches!(b, b'\'' | b'"' | b'\\' | b'&' | b';' | b'<' | b'>' | b'\n' | b'\t');
    if pattern.bytes().any(special) {
        return None;
    }
    let member = |text: &str| {
        let (body, tail) = without_tail(text);
        let mut before = b' ';
        let odd = body.bytes().any(|b| {
            let odd = b == b'|' || matches!((before, b), (b' ', b' ') | (b':', b'*'));
            before = b;
            odd
        });
        if odd || body.is_empty() {
            return None;
        }
        let folder = body.bytes().take_while(|b| *b != b' ').any(|b| b == b'/');
        let text = Wildcard::plain(body);
        let longer = tail.then(|| with_any_arguments(&text));
        Some(PipelineMember::new(text, longer, folder))
    };
    if side == Side::Grant {
        return Some(vec![member(pattern)?]);
    }
    pattern.split(" | ").map(member).collect()
}

struct PatternReader {
    side: Side,
    members: Vec<PipelineMember>,
    odd_colon: bool,
}

impl PatternReader {
    /// Splits at ` | ` outside quotes. Any other operator makes a pattern that can never match.
    fn split(&self, pattern: &str) -> Result<Vec<String>, String> {
        let mut members = vec![String::new()];
        let mut quote = None;
        let mut chars = pattern.chars().peekable();
        while let Some(c) = chars.next() {
            let last = members.last().map_or("", String::as_str);
            match (quote, c) {
                (None, '|') if last.ends_with(' ') && chars.peek() == Some(&' ') => {
                    if self.side == Side::Grant {
                        return Err(self.never(pattern, "|"));
                    }
                    members.push(String::new());
                    continue;
                }
                (None, '|' | '&' | ';' | '<' | '>' | '\n') => {
                    let twice = chars.peek() == Some(&c) && matches!(c, '|' | '&');
                    return Err(self.never(pattern, if twice { if c == '&' { "&&" } else { "||" } } else { one(c) }));
                }
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                _ => {}
            }
            if let Some(last) = members.last_mut() {
                last.push(c);
                if c == '\\' && quote != Some('\'') {
                    last.extend(chars.next());
                }
            }
        }
        if quote.is_some() {
            return Err("has an unclosed quote".to_owned());
        }
        Ok(members)
    }

    fn never(&self, pattern: &str, operator: &str) -> String {
        let what = "can never match: a rule matches one command";
        match operator {
            "<" | ">" if pattern.contains(">&") => format!("{what}; leave out the redirection"),
            "<" | ">" => format!("{what}; write the file as `Read(…)` or `Edit(…)`"),
            "|" if self.side == Side::Guard => {
                format!("{what}; write one rule for each command, or a blank on both sides of `|` for a pipeline")
            }
            "\n" => format!("{what}; write one rule for each line"),
            operator => {
                let commands = || pattern.split(operator).map(str::trim).filter(|command| !command.is_empty());
                let named: Vec<_> =
                    commands().filter(|command| *command != "*").map(|command| format!("`Bash({command})`")).collect();
                let others = match (named.is_empty(), commands().any(|command| command == "*")) {
                    (true, _) => "a rule for each command",
                    (false, true) => " and a rule for each other command",
                    (false, false) => "",
                };
                format!("{what}; write {}{others}", named.join(" and "))
            }
        }
    }

    fn member(&mut self, pattern: &str) -> Result<(), String> {
        let (body, tail) = without_tail(pattern);
        if body.is_empty() {
            if self.members.is_empty() && !tail {
                return Err("has an empty pipeline member; name a program".to_owned());
            }
            let mut any = Wildcard::default();
            any.star();
            self.members.push(PipelineMember::new(any, None, false));
            return Ok(());
        }
        let mut text = Wildcard::default();
        let mut folder = false;
        for (at, word) in self.words(body).into_iter().enumerate() {
            if at > 0 {
                text.push(' ');
            }
            folder |= at == 0 && word.contains(&PatternPiece::Char('/'));
            spell(&word, &mut text);
        }
        let longer = tail.then(|| with_any_arguments(&text));
        self.members.push(PipelineMember::new(text, longer, folder));
        Ok(())
    }

    /// The words of a pattern without quotes; a quoted special character is marked.
    fn words(&mut self, body: &str) -> Vec<Vec<PatternPiece>> {
        let mut words: Vec<Vec<PatternPiece>> = Vec::new();
        let mut word: Option<Vec<PatternPiece>> = None;
        let mut quote = None;
        let mut before = ' ';
        let mut chars = body.chars();
        while let Some(c) = chars.next() {
            match (quote, c) {
                (None, ' ' | '\t') => words.extend(word.take()),
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (Some(open), c) if open == c => {
                    quote = None;
                    word.get_or_insert_default().push(PatternPiece::Quoted);
                }
                (_, '*') if before == ':' && quote.is_none() => {
                    self.odd_colon = true;
                    word.get_or_insert_default().push(PatternPiece::Char('*'));
                }
                (_, '*') => {
                    word.get_or_insert_default()
                        .extend([PatternPiece::Star].into_iter().chain(quote.map(|_| PatternPiece::Quoted)));
                }
                (quote, '\\') if quote != Some('\'') => {
                    let next = chars.next().unwrap_or('\\');
                    word.get_or_insert_default().push(PatternPiece::Char(next));
                }
                (quote, c) => {
                    let word = word.get_or_insert_default();
                    word.push(PatternPiece::Char(c));
                    if quote.is_some() && is_special(c) {
                        word.push(PatternPiece::Special);
                    }
                }
            }
            before = c;
        }
        words.extend(word);
        words
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternPiece {
    Char(char),
    Star,
    /// Marks that the next character is a quoted glob character or `$`.
    Special,
    /// Marks quotes.
    Quoted,
}

/// Writes a word in the printed form of command words (B4).
fn spell(word: &[PatternPiece], into: &mut Wildcard) {
    let has = |piece| word.contains(&piece);
    let literal: String =
        word.iter().filter_map(|p| if let PatternPiece::Char(c) = p { Some(*c) } else { None }).collect();
    let special = has(PatternPiece::Special) || (has(PatternPiece::Star) && has(PatternPiece::Quoted));
    let bare = literal.is_empty() && has(PatternPiece::Star);
    let quotes = special || (!bare && printed(&literal, false) != literal);
    if quotes {
        into.push('\'');
    }
    for piece in word {
        match piece {
            PatternPiece::Char('\'') => into.push_str(r"'\''"),
            PatternPiece::Char(c) => into.push(*c),
            PatternPiece::Star => into.star(),
            PatternPiece::Special | PatternPiece::Quoted => {}
        }
    }
    if quotes {
        into.push('\'');
    }
}

/// Removes a trailing ` *` or `:*`, which also match nothing.
fn without_tail(pattern: &str) -> (&str, bool) {
    let pattern = pattern.trim();
    match pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")) {
        Some(body) => (body.trim_end(), true),
        None if pattern == "*" => ("", true),
        None => (pattern, false),
    }
}

fn one(c: char) -> &'static str {
    match c {
        '|' => "|",
        '&' => "&",
        ';' => ";",
        '<' => "<",
        '>' => ">",
        _ => "\n",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use snaphook_adapters::model::{Command, ShellKind};
    use snaphook_shell::RawWords;

    use super::*;
    use crate::command::analyse;

    fn matches(pattern: &str, side: Side, command: &str) -> bool {
        let pattern = CommandPattern::read(pattern, side).unwrap();
        let analysis = analyse(
            &Command::Text(command.into()),
            ShellKind::Posix,
            &crate::PolicyLimits::default(),
            &|_| false,
            &Budget::default(),
        );
        assert_eq!(analysis.not_understood, None, "{command}");
        pattern.matches(side, &analysis.parts[0], &[])
    }

    pub(in crate::command) fn matches_guard(pattern: &str, command: &str) -> bool {
        matches(pattern, Side::Guard, command)
    }

    #[test]
    fn b5_patterns_match_the_whole_text() {
        for (pattern, command, matched) in [
            ("git push *", "git push", true),
            ("git push *", "git push -f o main", true),
            ("git push:*", "git push -f", true),
            ("git push *", "git pushx", false),
            ("git push", "git push -f", false),
            ("npm run test:*", "npm run test:unit", false),
            ("npm run test*", "npm run test:unit", true),
            ("ls *", "lsof", false),
            ("ls*", "lsof", true),
            ("git:* push", "git push", false),
            ("git * push *", "git -C x push", true),
            ("git * push *", "git -C x push -f", true),
            ("git status", "git  \"status\"", true),
            ("git commit -m \"fix bug\"", "git commit -m 'fix bug'", true),
            ("git   commit", "git commit", true),
            ("git commit -m \"*\"", "git commit -m 'x y'", true),
            (r"ls \*", "ls *", true),
            (r"ls \*", "ls a", false),
            (r"ls a\\b", r"ls 'a\b'", true),
            ("Git push", "git push", false),
            ("evil *", "git commit -m 'stop evil x'", false),
        ] {
            assert_eq!(matches(pattern, Side::Grant, command), matched, "{pattern} on {command}");
        }
    }

    #[test]
    fn the_fast_path_and_the_full_parser_of_patterns_agree() {
        for pattern in ["git push *", "ls*", "ls:*", "/bin/ls *", "a * b", "curl * | sh *", "* x", "a $x [b] ?"] {
            let side = Side::Guard;
            let quick = plain(pattern, side).unwrap();
            let mut reader = PatternReader { side, members: Vec::new(), odd_colon: false };
            for member in reader.split(pattern).unwrap() {
                reader.member(&member).unwrap();
            }
            assert_eq!(quick, reader.members, "{pattern}");
        }
        for pattern in ["git:* push", "a  b", "a|b", "a 'b'", "*", "a | "] {
            assert_eq!(plain(pattern, Side::Guard), None, "{pattern}");
        }
    }

    #[test]
    fn b6_deny_and_ask_know_the_program_by_base_name() {
        assert!(matches("git *", Side::Guard, "/usr/bin/git log"));
        assert!(!matches("git *", Side::Grant, "/tmp/git log"));
        assert!(!matches("/bin/git *", Side::Guard, "/usr/bin/git log"));
        assert!(matches("git *", Side::Guard, "\\git log"));
    }

    #[test]
    fn b9_operators_can_never_match_and_pipelines_only_deny_or_ask() {
        for (pattern, side, says) in [
            ("a && b", Side::Grant, "write `Bash(a)` and `Bash(b)`"),
            ("a || b", Side::Guard, "write `Bash(a)` and `Bash(b)`"),
            ("a; b", Side::Guard, "write `Bash(a)` and `Bash(b)`"),
            ("a | b", Side::Grant, "write `Bash(a)` and `Bash(b)`"),
            ("a|b", Side::Guard, "blank on both sides"),
            ("cd * && *", Side::Grant, "write `Bash(cd *)` and a rule for each other command"),
            ("* | *", Side::Grant, "write a rule for each command"),
            ("a &", Side::Grant, "write `Bash(a)`"),
            ("a 2>&1", Side::Grant, "leave out the redirection"),
            ("a > f", Side::Guard, "Edit(…)"),
            ("a\nb", Side::Guard, "each line"),
            ("a 'b", Side::Guard, "unclosed quote"),
        ] {
            let error = CommandPattern::read(pattern, side).unwrap_err();
            assert!(error.contains(says), "{pattern}: {error}");
        }
        let pipeline = CommandPattern::read("curl * | sh *", Side::Guard).unwrap();
        assert!(pipeline.catches(RawWords::of("curl u | tee f | sudo sh".to_owned()).iter()));
        assert!(CommandPattern::read("find * -exec x \\;", Side::Guard).is_ok());
        assert!(CommandPattern::read("echo 'a && b'", Side::Grant).is_ok());
        assert!(CommandPattern::read("git:* push", Side::Grant).unwrap().odd_colon);
    }
}
