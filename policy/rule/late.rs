//! Matchers that are built on first use.

use std::sync::OnceLock;

use super::parse::matcher;
use super::plain::{PlainShape, without_colon};
use super::{DomainPattern, Matcher, McpPattern, RuleKind};
use crate::command::CommandPattern;
use crate::list::Side;
use crate::path::PathPattern;
use crate::wildcard::Wildcard;

/// A matcher, or the promise that it can be built from the text of the rule without an error.
#[derive(Debug, Clone)]
pub(super) enum Late {
    Built(Box<Matcher>),
    Plain(PlainText),
    /// A rule of a preset that is not plain. It matches no tool argument.
    Preset(OnceLock<Box<Matcher>>),
}

/// The text of a matcher that is built later.
#[derive(Debug, Clone)]
pub(super) struct PlainText {
    side: Side,
    shape: PlainShape,
    built: OnceLock<Box<Matcher>>,
}

impl PlainText {
    fn inside<'r>(&self, rule: &'r str) -> &'r str {
        rule.get(self.shape.inside.0 as usize..self.shape.inside.1 as usize).unwrap_or_default()
    }
}

impl Late {
    pub(super) fn built(matcher: Matcher) -> Self {
        Self::Built(Box::new(matcher))
    }

    /// Defers building a matcher.
    pub(super) const fn plain(shape: PlainShape, side: Side) -> Self {
        Self::Plain(PlainText { side, shape, built: OnceLock::new() })
    }

    /// The matcher of a deny or ask rule of a preset.
    pub(super) const fn of_preset(shape: Option<PlainShape>) -> Self {
        match shape {
            Some(shape) => Self::plain(shape, Side::Guard),
            None => Self::Preset(OnceLock::new()),
        }
    }

    pub(super) fn get(&self, kind: Option<RuleKind>, rule: &str) -> &Matcher {
        match self {
            Self::Built(limit) => limit,
            Self::Plain(text) => text.built.get_or_init(|| Box::new(build(kind, text, rule))),
            Self::Preset(built) => built.get_or_init(|| Box::new(matcher(rule))),
        }
    }

    /// The matcher, built if need be.
    pub(super) fn into_matcher(self, kind: Option<RuleKind>, rule: &str) -> Matcher {
        match self {
            Self::Built(limit) => *limit,
            Self::Plain(text) => build(kind, &text, rule),
            Self::Preset(_) => matcher(rule),
        }
    }

    /// The first word of every command that a rule matches, if it is obvious.
    pub(super) fn first_word<'r>(&self, rule: &'r str) -> Option<&'r str> {
        match self {
            Self::Plain(PlainText { shape, .. }) if shape.first > 0 => {
                rule.get(shape.inside.0 as usize..shape.first as usize)
            }
            _ => None,
        }
    }

    /// The words of a rule about commands, up to the first quote; empty if they are not obvious.
    pub(super) fn plain_command<'r>(&self, kind: Option<RuleKind>, rule: &'r str) -> &'r str {
        let Self::Plain(text) = self else { return "" };
        if kind != Some(RuleKind::Bash) {
            return "";
        }
        let command = without_colon(text.inside(rule));
        if text.shape.is_bare {
            return command;
        }
        match command.bytes().position(|byte| matches!(byte, b'"' | b'\'')) {
            Some(quote) => {
                command.get(..quote).and_then(|before| before.rsplit_once(' ')).map_or("", |(words, _)| words)
            }
            // Of a member without a program, options are words that must occur.
            None if command.starts_with('*') => "",
            None => command,
        }
    }

    /// The segments without `*` of a plain rule about files; empty for any other rule.
    pub(super) fn plain_segments<'r>(&self, kind: Option<RuleKind>, rule: &'r str) -> impl Iterator<Item = &'r str> {
        let text = match self {
            Self::Plain(text) if matches!(kind, Some(RuleKind::Read | RuleKind::Edit | RuleKind::Delete)) => {
                text.inside(rule)
            }
            _ => "",
        };
        text.split('/').filter(|segment| !matches!(*segment, "" | "." | "~") && !segment.contains(['*', '[', '?']))
    }
}

fn build(kind: Option<RuleKind>, text: &PlainText, rule: &str) -> Matcher {
    let (side, inside) = (text.side, text.inside(rule));
    let built = match kind {
        Some(RuleKind::Bash) => CommandPattern::read(inside, side).map(Matcher::Command).ok(),
        Some(RuleKind::WebFetch) => {
            inside.strip_prefix("domain:").and_then(|domain| DomainPattern::read(domain).map(Matcher::Domain).ok())
        }
        Some(RuleKind::Mcp) => McpPattern::read(rule).map(Matcher::Mcp),
        _ => PathPattern::read(inside).map(Matcher::Path).ok(),
    };
    // A plain text has no error. If it had one, a guard would match everything and a grant nothing.
    built.unwrap_or_else(|| if side == Side::Guard { Matcher::None } else { Matcher::Name(Wildcard::default()) })
}
