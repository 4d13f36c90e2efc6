//! Compound commands, parsed by the grammar of `brush-parser`.
//!
//! The parser gets our tokens and never text. Words are replaced by placeholders, so that it does not parse
//! them again, and nesting is limited to what its recursion can handle. Its only remaining exponential rule is
//! that of `case`, which is limited separately.

use std::sync::Arc;

use brush_parser::ast::CommandPrefixOrSuffixItem as Item;
use brush_parser::ast::{
    AndOr, Command as Ast, CompoundCommand, CompoundList, IoFileRedirectTarget, IoRedirect, Pipeline, RedirectList,
    SimpleCommand, Word as AstWord,
};
use brush_parser::{ParserOptions, SourcePosition, SourceSpan, Token as AstToken, parse_tokens};

use super::commands::{Command, reserved};
use super::token::{Op, Token};
use crate::policy::settings::PolicyLimits;

/// The maximum number of `case` commands in a script, because a nested one is parsed twice.
const CASES: usize = 6;

/// The maximum number of tokens that are read, including repeated reads.
const READ: usize = 1 << 15;

/// The commands of a script.
pub(super) struct CommandTree {
    pub(super) commands: Vec<Command>,
    /// The first construct that is not understood.
    pub(super) blame: Option<String>,
}

/// Parses the commands of a script. `Err` names the cause of a syntax error.
pub(super) fn tree(tokens: &[Token], pipes: &mut usize, limits: &PolicyLimits) -> Result<CommandTree, String> {
    let (mut openers, mut cases) = (0, 0);
    let mut fed = Vec::with_capacity(tokens.len() + 8);
    for (at, token) in tokens.iter().enumerate() {
        let place = Arc::new(SourcePosition { index: at, line: 0, column: 0 });
        let span = SourceSpan { start: Arc::clone(&place), end: place };
        match token {
            Token::Op(op) => {
                openers += usize::from(*op == Op::Open);
                fed.push(AstToken::Operator(op.text().to_owned(), span));
            }
            Token::Word(_) => {
                let known = reserved(token);
                openers += usize::from(matches!(known, Some("if" | "for" | "while" | "until" | "case" | "{")));
                cases += usize::from(known == Some("case"));
                fed.push(AstToken::Word(known.map_or_else(|| format!("w{at}"), str::to_owned), span));
            }
            Token::Redirect(_) => {
                fed.push(AstToken::Operator("<".to_owned(), span.clone()));
                fed.push(AstToken::Word("file".to_owned(), span));
            }
        }
    }
    // Openers that are closed again also count, because only the grammar knows what closes them.
    if openers > limits.depth {
        return Err(format!("more than {} compound commands", limits.depth));
    }
    if cases > CASES {
        return Err(format!("more than {CASES} `case` commands"));
    }
    if tokens.len() << cases > READ {
        return Err(format!("{cases} `case` commands in a long command"));
    }
    let options = ParserOptions { sh_mode: true, enable_extended_globbing: false, ..ParserOptions::default() };
    let program = parse_tokens(&fed, &options).map_err(|_| blamed(tokens))?;
    let mut walk = TreeWalk { tokens, found: Vec::new(), left: Vec::new(), pipes, blame: None };
    for list in &program.complete_commands {
        walk.list(list, &[], false);
    }
    while let Some((command, pipes, how)) = walk.left.pop() {
        walk.command(command, &pipes, how)?;
    }
    walk.found.sort_by_key(|command| command.items.first().copied());
    Ok(CommandTree { commands: walk.found, blame: walk.blame })
}

/// The cause of a syntax error: the first word that starts a command outside POSIX.
fn blamed(tokens: &[Token]) -> String {
    let odd = tokens.iter().find_map(|token| match token {
        Token::Word(word) if word.is_bare() => {
            ["[[", "function", "select", "coproc", "time", "repeat", "foreach"].iter().find(|odd| **odd == word.value)
        }
        _ => None,
    });
    let known = || tokens.iter().find_map(reserved);
    let operator = || tokens.iter().find_map(|token| if let Token::Op(op) = token { Some(op.text()) } else { None });
    format!("`{}`", odd.copied().or_else(known).or_else(operator).unwrap_or_default())
}

type PendingNode<'t> = (&'t Ast, Vec<(usize, usize)>, NodeContext);

/// The relation of a command to the commands around it.
#[derive(Debug, Clone, Copy)]
struct NodeContext {
    after: bool,
    sure: bool,
    repeats: bool,
}

struct TreeWalk<'t, 'p> {
    tokens: &'t [Token],
    found: Vec<Command>,
    left: Vec<PendingNode<'t>>,
    pipes: &'p mut usize,
    blame: Option<String>,
}

impl<'t> TreeWalk<'t, '_> {
    fn list(&mut self, list: &'t CompoundList, pipes: &[(usize, usize)], repeats: bool) {
        for item in &list.0 {
            let mut members = vec![(&item.0.first, false)];
            members.extend(item.0.additional.iter().map(|next| match next {
                AndOr::And(pipeline) => (pipeline, false),
                AndOr::Or(pipeline) => (pipeline, true),
            }));
            for (at, (pipeline, or)) in members.iter().enumerate() {
                let before_and = members.get(at + 1).is_some_and(|(_, or)| !*or);
                // A compound command may end before its last command has run.
                let simple = |(before, _): &(&Pipeline, bool)| matches!(before.seq.as_slice(), [Ast::Simple(_)]);
                let after = !or && at.checked_sub(1).and_then(|at| members.get(at)).is_some_and(simple);
                let mut own = pipes.to_vec();
                if pipeline.seq.len() > 1 {
                    own.push((*self.pipes, 0));
                    *self.pipes += 1;
                }
                for (member, command) in pipeline.seq.iter().enumerate() {
                    let mut place = own.clone();
                    if let Some(last) = place.last_mut().filter(|_| pipeline.seq.len() > 1) {
                        last.1 = member;
                    }
                    let sure = before_and && !or && !pipeline.bang && pipeline.seq.len() == 1;
                    self.left.push((command, place, NodeContext { after, sure, repeats }));
                }
            }
        }
    }

    fn command(&mut self, command: &'t Ast, pipes: &[(usize, usize)], how: NodeContext) -> Result<(), String> {
        match command {
            Ast::Simple(simple) => self.simple(simple, pipes, how),
            Ast::Compound(compound, redirects) => {
                let mut within = pipes.to_vec();
                // All commands inside share this input, as in a pipe.
                if self.feeds(redirects.as_ref())? {
                    within.push((*self.pipes, 1));
                    *self.pipes += 1;
                }
                self.compound(compound, &within, how.repeats)?;
                self.redirects(redirects.as_ref(), pipes)
            }
            // The arguments of a function are unknown, and so are the commands that it replaces. Deny and ask
            // rules check its body.
            Ast::Function(function) => {
                let name = match self.tokens.get(place(&function.fname)?) {
                    Some(Token::Word(word)) => word.value.as_str(),
                    _ => "",
                };
                self.blame.get_or_insert_with(|| format!("`{name}()`"));
                self.compound(&function.body.0, pipes, true)?;
                self.redirects(function.body.1.as_ref(), pipes)
            }
            Ast::ExtendedTest(..) => Err("`[[`".to_owned()),
        }
    }

    fn compound(
        &mut self,
        compound: &'t CompoundCommand,
        pipes: &[(usize, usize)],
        repeats: bool,
    ) -> Result<(), String> {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, pipes, repeats),
            CompoundCommand::Subshell(shell) => self.list(&shell.list, pipes, repeats),
            CompoundCommand::ForClause(each) => {
                let name = each.variable_name.strip_prefix('w').and_then(|at| at.parse().ok());
                let name = name.ok_or_else(|| format!("`for {}`", each.variable_name))?;
                let mut items = vec![name];
                for word in each.values.iter().flatten() {
                    items.push(place(word)?);
                }
                self.push_auxiliary(items, pipes);
                self.found.last_mut().into_iter().for_each(|command| command.sets = true);
                self.list(&each.body.list, pipes, true);
            }
            CompoundCommand::CaseClause(case) => {
                let mut items = vec![place(&case.value)?];
                for branch in &case.cases {
                    for word in &branch.patterns {
                        items.push(place(word)?);
                    }
                    if let Some(list) = &branch.cmd {
                        self.list(list, pipes, repeats);
                    }
                }
                self.push_auxiliary(items, pipes);
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, pipes, repeats);
                self.list(&clause.then, pipes, repeats);
                for branch in clause.elses.iter().flatten() {
                    if let Some(condition) = &branch.condition {
                        self.list(condition, pipes, repeats);
                    }
                    self.list(&branch.body, pipes, repeats);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0, pipes, true);
                self.list(&clause.1.list, pipes, true);
            }
            CompoundCommand::Arithmetic(_) | CompoundCommand::ArithmeticForClause(_) => return Err("`((`".to_owned()),
            CompoundCommand::Coprocess(_) => return Err("`coproc`".to_owned()),
        }
        Ok(())
    }

    fn simple(&mut self, simple: &SimpleCommand, pipes: &[(usize, usize)], how: NodeContext) -> Result<(), String> {
        let mut items = Vec::new();
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            items.push(item_place(item)?);
        }
        if let Some(word) = &simple.word_or_name {
            items.push(place(word)?);
        }
        for item in suffix {
            items.push(item_place(item)?);
        }
        let NodeContext { after, sure, repeats } = how;
        self.found.push(Command { items, pipes: pipes.to_vec(), after, sure, repeats, ..Command::default() });
        Ok(())
    }

    fn feeds(&self, redirects: Option<&RedirectList>) -> Result<bool, String> {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            if let Some(Token::Redirect(redirect)) = self.tokens.get(redirect_place(redirect)?)
                && redirect.kind.feeds()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>, pipes: &[(usize, usize)]) -> Result<(), String> {
        let mut items = Vec::new();
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            items.push(redirect_place(redirect)?);
        }
        if !items.is_empty() {
            self.push_auxiliary(items, pipes);
        }
        Ok(())
    }

    fn push_auxiliary(&mut self, items: Vec<usize>, pipes: &[(usize, usize)]) {
        self.found.push(Command { items, is_auxiliary: true, pipes: pipes.to_vec(), ..Command::default() });
    }
}

/// The index of the token for a word of the tree.
fn place(word: &AstWord) -> Result<usize, String> {
    word.loc.as_ref().map(|span| span.start.index).ok_or_else(|| format!("`{}`", word.value))
}

fn item_place(item: &Item) -> Result<usize, String> {
    match item {
        Item::IoRedirect(redirect) => redirect_place(redirect),
        Item::Word(word) | Item::AssignmentWord(_, word) => place(word),
        Item::ProcessSubstitution(..) => Err("`<(`".to_owned()),
    }
}

fn redirect_place(redirect: &IoRedirect) -> Result<usize, String> {
    match redirect {
        IoRedirect::File(_, _, IoFileRedirectTarget::Filename(word)) => place(word),
        _ => Err("a redirection".to_owned()),
    }
}
