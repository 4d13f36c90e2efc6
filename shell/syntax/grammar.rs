//! The grammar of commands: recursive descent over the tokens, within the nesting limit.
//!
//! It accepts the syntax that bash, dash and zsh share. Anything else is a syntax error.

use super::super::words::{Word, is_name};
use super::shell_command::{ShellCommand, reserved};
use super::token::{Op, RedirectKind, Token};
use crate::ScriptLimits;

/// The maximum nesting of compound commands, whatever the limit of the policy, because the parser is recursive.
const DEEPEST: usize = 200;

/// The commands of a script, in the order of the text.
pub(super) struct CommandTree {
    pub(super) commands: Vec<ShellCommand>,
    /// The first construct that is not understood.
    pub(super) blame: Option<String>,
}

/// Parses the commands of a script. `Err` names the cause of a syntax error.
///
/// `pipes` is the number of pipelines of the text so far.
pub(super) fn tree(tokens: &[Token], pipes: &mut usize, limits: &ScriptLimits) -> Result<CommandTree, String> {
    let limit = limits.depth.min(DEEPEST);
    let mut parser =
        GrammarParser { tokens, at: 0, found: Vec::new(), pipes, empty: false, depth: 0, limit, blame: None };
    parser.script().map_err(|why| odd_word(tokens).unwrap_or(why))?;
    Ok(CommandTree { commands: parser.found, blame: parser.blame })
}

/// The first word that begins a compound command outside POSIX, as the likely cause of a syntax error.
fn odd_word(tokens: &[Token]) -> Option<String> {
    const ODD: &[&str] = &["[[", "function", "select", "coproc", "time", "repeat", "foreach"];
    tokens.iter().find_map(|token| match token {
        Token::Word(word) if word.is_bare() => ODD.iter().find(|odd| **odd == word.value).map(|odd| format!("`{odd}`")),
        _ => None,
    })
}

/// Returns true for `&>`.
fn is_all(token: &Token) -> bool {
    matches!(token, Token::Redirect(redirect) if redirect.kind == RedirectKind::All)
}

/// The kind of the commands in a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Members {
    /// One simple command without `!`.
    One,
    Simple,
    /// At least one is a compound command, which may end before its last command has run.
    Compound,
}

struct GrammarParser<'t, 'p> {
    tokens: &'t [Token],
    at: usize,
    found: Vec<ShellCommand>,
    pipes: &'p mut usize,
    /// True if the last command has no program.
    empty: bool,
    depth: usize,
    limit: usize,
    blame: Option<String>,
}

impl<'t> GrammarParser<'t, '_> {
    // Tokens.

    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn op(&self) -> Option<Op> {
        if let Some(Token::Op(op)) = self.peek() { Some(*op) } else { None }
    }

    fn reserved(&self) -> Option<&'static str> {
        self.peek().and_then(reserved)
    }

    fn take_op(&mut self, op: Op) -> bool {
        let found = self.op() == Some(op);
        self.at += usize::from(found);
        found
    }

    fn take_reserved(&mut self, word: &str) -> bool {
        let found = self.reserved() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn newlines(&mut self) {
        while self.take_op(Op::Newline) {}
    }

    /// Takes the reserved word that continues or ends a compound command.
    fn expect(&mut self, word: &str, opener: &str) -> Result<(), String> {
        if self.take_reserved(word) { Ok(()) } else { Err(self.not_closed(opener)) }
    }

    fn expect_op(&mut self, op: Op, opener: &str) -> Result<(), String> {
        if self.take_op(op) { Ok(()) } else { Err(self.not_closed(opener)) }
    }

    /// The cause if a compound command does not continue with the current token.
    fn not_closed(&self, opener: &str) -> String {
        if self.peek().is_some() { self.unexpected() } else { format!("`{opener}`") }
    }

    /// The cause if the current token is not valid here.
    fn unexpected(&self) -> String {
        let (token, end) = match self.peek() {
            Some(token) => (Some(token), ""),
            None => (self.tokens.last(), " at the end"),
        };
        match token {
            Some(Token::Op(Op::Newline)) => format!("a line break{end}"),
            Some(Token::Op(op)) => format!("`{}`{end}", op.text()),
            Some(Token::Word(word)) => format!("`{}`{end}", word.value),
            Some(Token::Redirect(_)) => format!("a redirection{end}"),
            None => "no command".to_owned(),
        }
    }

    // Lists.

    fn script(&mut self) -> Result<(), String> {
        self.newlines();
        if self.peek().is_some() {
            self.list(false)?;
        }
        if self.peek().is_some() { Err(self.unexpected()) } else { Ok(()) }
    }

    /// Parses commands up to a token that cannot begin one.
    fn list(&mut self, repeats: bool) -> Result<(), String> {
        self.newlines();
        loop {
            self.and_or(repeats)?;
            // zsh does not run a command without a program in the background.
            if self.op() == Some(Op::Amp) && self.empty {
                return Err(self.unexpected());
            }
            if !(self.take_op(Op::Semi) || self.take_op(Op::Amp) || self.op() == Some(Op::Newline)) {
                return Ok(());
            }
            self.newlines();
            let ends = matches!(self.reserved(), Some("}" | "do" | "done" | "elif" | "else" | "esac" | "fi" | "then"));
            if ends || matches!(self.op(), Some(Op::Close | Op::DoubleSemi)) || self.peek().is_none() {
                return Ok(());
            }
        }
    }

    fn and_or(&mut self, repeats: bool) -> Result<(), String> {
        let (mut after, mut or) = (false, false);
        loop {
            let first = self.found.len();
            let members = self.pipeline(after, repeats)?;
            let Some(op @ (Op::AndIf | Op::OrIf)) = self.op() else { return Ok(()) };
            self.at += 1;
            self.newlines();
            let sure = op == Op::AndIf && !or && members == Members::One;
            if let Some(command) = self.found.get_mut(first).filter(|_| sure) {
                command.sure = true;
            }
            or = op == Op::OrIf;
            after = !or && members != Members::Compound;
        }
    }

    fn pipeline(&mut self, after: bool, repeats: bool) -> Result<Members, String> {
        let negated = self.take_reserved("!");
        let first = self.found.len();
        let mut members = self.command(after, repeats)?;
        let mut starts = Vec::new();
        while matches!(self.op(), Some(Op::Pipe | Op::PipeBoth)) {
            self.at += 1;
            self.newlines();
            // bash rejects it there, behind line breaks.
            if self
                .peek()
                .is_some_and(|token| matches!(token, Token::Word(word) if word.is_bare() && word.value == "time"))
            {
                return Err("`time`".to_owned());
            }
            starts.push(self.found.len());
            members = members.max(self.command(after, repeats)?);
        }
        if !starts.is_empty() {
            let mut member = 0;
            for at in first..self.found.len() {
                member += usize::from(starts.get(member) == Some(&at));
                self.pipe(at, member);
            }
            *self.pipes += 1;
        }
        Ok(if negated || !starts.is_empty() { members.max(Members::Simple) } else { members })
    }

    /// Puts a command into the current pipeline.
    fn pipe(&mut self, at: usize, member: usize) {
        let id = *self.pipes;
        if let Some(command) = self.found.get_mut(at) {
            command.pipes.push((id, member));
        }
    }

    // Commands.

    fn command(&mut self, after: bool, repeats: bool) -> Result<Members, String> {
        if self.op() == Some(Op::Open) || self.reserved().is_some() {
            return self.compound(repeats).map(|()| Members::Compound);
        }
        let mut items = Vec::new();
        let mut words = 0;
        let mut program: Option<&Word> = None;
        let (first, mut behind) = (self.at, false);
        while let Some(token @ (Token::Word(_) | Token::Redirect(_))) = self.peek() {
            if let Token::Word(word) = token {
                words += 1;
                if program.is_none() && word.assigned.is_none() {
                    // zsh also accepts a compound command behind redirections.
                    if reserved(token).is_some() {
                        return Err(self.unexpected());
                    }
                    program = Some(word);
                    behind = self.at > first;
                }
            } else if program.is_none() && is_all(token) {
                // dash reads a `&` and a redirection.
                return Err(self.unexpected());
            }
            items.push(self.at);
            self.at += 1;
        }
        match program {
            // Its arguments are unknown, and so are the commands that it replaces. Deny and ask rules check its
            // body.
            Some(name) if self.op() == Some(Op::Open) && words == 1 && items.len() == 1 => {
                self.at += 1;
                self.expect_op(Op::Close, "(")?;
                self.newlines();
                self.blame.get_or_insert_with(|| format!("`{}()`", name.value));
                return self.compound(true).map(|()| Members::Compound);
            }
            _ if items.is_empty() => return Err(self.unexpected()),
            // Reserved words in bash and zsh, and words that zsh does not redirect alone, as `|&` does.
            Some(name)
                if name.is_bare()
                    && match name.value.as_str() {
                        "]]" => true,
                        "time" => behind || words == 1,
                        "command" | "builtin" | "noglob" => words == 1,
                        _ => false,
                    } =>
            {
                return Err(format!("`{}`", name.value));
            }
            _ => {}
        }
        self.empty = program.is_none();
        self.found.push(ShellCommand { items, after, repeats, ..ShellCommand::default() });
        Ok(Members::One)
    }

    /// Parses a compound command and its redirections.
    fn compound(&mut self, repeats: bool) -> Result<(), String> {
        self.depth += 1;
        if self.depth > self.limit {
            return Err(format!("nesting over {}", self.limit));
        }
        let first = self.found.len();
        if self.take_op(Op::Open) {
            self.list(repeats)?;
            self.expect_op(Op::Close, "(")?;
        } else {
            match self.reserved() {
                Some("{") => self.group(repeats)?,
                Some("if") => self.conditional(repeats)?,
                Some("for") => self.each()?,
                Some("case") => self.case(repeats)?,
                Some(opener @ ("while" | "until")) => {
                    self.at += 1;
                    self.list(true)?;
                    self.body(opener)?;
                }
                _ => return Err(self.unexpected()),
            }
        }
        self.depth -= 1;
        self.empty = false;
        // Behind these, zsh expects a separator.
        let ended = matches!(self.tokens.get(self.at - 1).and_then(reserved), Some("done" | "fi"));
        if ended && self.reserved().is_some_and(|word| word != "}") {
            return Err(self.unexpected());
        }
        self.redirects(first)
    }

    fn group(&mut self, repeats: bool) -> Result<(), String> {
        self.at += 1;
        self.list(repeats)?;
        self.expect("}", "{")
    }

    fn conditional(&mut self, repeats: bool) -> Result<(), String> {
        self.at += 1;
        self.list(repeats)?;
        self.expect("then", "if")?;
        self.list(repeats)?;
        while self.take_reserved("elif") {
            self.list(repeats)?;
            self.expect("then", "if")?;
            self.list(repeats)?;
        }
        if self.take_reserved("else") {
            self.list(repeats)?;
        }
        self.expect("fi", "if")
    }

    /// `for NAME in WORD…; do …`
    fn each(&mut self) -> Result<(), String> {
        self.at += 1;
        match self.peek() {
            Some(Token::Word(word)) if word.is_bare() && is_name(&word.value) && self.reserved().is_none() => {}
            Some(Token::Word(word)) => return Err(format!("`for {}`", word.value)),
            _ => return Err(self.not_closed("for")),
        }
        let mut items = vec![self.at];
        self.at += 1;
        // Inside `case`, bash does not accept a line break before `in`.
        if self.take_reserved("in") {
            while let Some(Token::Word(_)) = self.peek() {
                items.push(self.at);
                self.at += 1;
            }
            match self.op() {
                Some(Op::Semi) => self.at += 1,
                // dash reads no here-document at a line break here.
                Some(Op::Newline) if self.has_document() => return Err("a here-document before `for`".to_owned()),
                Some(Op::Newline) => {}
                _ => return Err(self.not_closed("for")),
            }
        } else {
            self.take_op(Op::Semi);
        }
        self.newlines();
        self.found.push(ShellCommand { items, is_auxiliary: true, sets: true, ..ShellCommand::default() });
        self.body("for")
    }

    /// Returns true if a here-document begins in the current line.
    fn has_document(&self) -> bool {
        let before = self.tokens.get(..self.at).unwrap_or_default().iter().rev();
        let document =
            |token: &Token| matches!(token, Token::Redirect(one) if matches!(one.kind, RedirectKind::HereDoc { .. }));
        before.take_while(|token| !matches!(token, Token::Op(Op::Newline))).any(document)
    }

    fn body(&mut self, opener: &str) -> Result<(), String> {
        self.expect("do", opener)?;
        self.list(true)?;
        self.expect("done", opener)
    }

    fn case(&mut self, repeats: bool) -> Result<(), String> {
        self.at += 1;
        let words = self.found.len();
        let mut items = vec![self.case_word()?];
        self.found.push(ShellCommand { is_auxiliary: true, ..ShellCommand::default() });
        self.newlines();
        self.expect("in", "case")?;
        self.newlines();
        while !self.take_reserved("esac") {
            let opened = self.take_op(Op::Open);
            if self.reserved() == Some("esac") {
                return Err(self.not_closed("case"));
            }
            items.push(self.case_word()?);
            while self.take_op(Op::Pipe) {
                items.push(self.case_word()?);
            }
            self.expect_op(Op::Close, "case")?;
            // zsh reads both parentheses as one pattern.
            if opened && self.op() == Some(Op::Open) {
                return Err("`(` after a pattern".to_owned());
            }
            self.newlines();
            if self.op() != Some(Op::DoubleSemi) && self.reserved() != Some("esac") {
                self.list(repeats)?;
            }
            if self.take_op(Op::DoubleSemi) {
                self.newlines();
            } else if self.reserved() != Some("esac") {
                return Err(self.not_closed("case"));
            }
        }
        if let Some(command) = self.found.get_mut(words) {
            command.items = items;
        }
        Ok(())
    }

    fn case_word(&mut self) -> Result<usize, String> {
        let Some(Token::Word(_)) = self.peek() else { return Err(self.not_closed("case")) };
        self.at += 1;
        Ok(self.at - 1)
    }

    /// Parses the redirections of the compound command whose commands are those from `first` on.
    fn redirects(&mut self, first: usize) -> Result<(), String> {
        let mut items = Vec::new();
        let mut feeds = false;
        while let Some(Token::Redirect(redirect)) = self.peek() {
            feeds |= redirect.kind.feeds();
            items.push(self.at);
            self.at += 1;
        }
        if items.is_empty() {
            return Ok(());
        }
        if let Some(Token::Word(_)) = self.peek() {
            return Err(self.unexpected());
        }
        // All commands inside share this input, as in a pipe.
        if feeds {
            (first..self.found.len()).for_each(|at| self.pipe(at, 1));
            *self.pipes += 1;
        }
        self.found.push(ShellCommand { items, is_auxiliary: true, ..ShellCommand::default() });
        Ok(())
    }
}
