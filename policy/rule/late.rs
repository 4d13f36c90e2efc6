//! Matchers that are built on first use.

use std::sync::OnceLock;

use super::parse::{matcher, tool_name};
use super::plain::{PlainForm, PlainShape, Specifier};
use super::{DomainPattern, Matcher, McpPattern};
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

/// The words of a plain rule about commands, in ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainCommand<'r> {
    /// The first word of every command that the rule matches; empty if it is not obvious.
    pub(super) first: &'r [u8],
    /// The words after the first one, up to the first quote.
    pub(super) rest: &'r [u8],
}

impl<'r> PlainCommand<'r> {
    /// The first word of every command that the rule matches; `None` if it is not obvious.
    pub(crate) fn first_word(self) -> Option<&'r [u8]> {
        Some(self.first).filter(|first| !first.is_empty())
    }
}

impl PlainText {
    fn inside<'r>(&self, rule: &'r str) -> &'r str {
        rule.get(self.shape.inside.0 as usize..self.shape.inside.1 as usize).unwrap_or_default()
    }

    fn build(&self, rule: &str) -> Matcher {
        let (side, inside) = (self.side, self.inside(rule));
        let built = match self.shape.form {
            PlainForm::Command { .. } => CommandPattern::read(inside, side).map(Matcher::Command).ok(),
            PlainForm::Path => PathPattern::read(inside).map(Matcher::Path).ok(),
            PlainForm::Domain => {
                inside.strip_prefix("domain:").and_then(|domain| DomainPattern::read(domain).map(Matcher::Domain).ok())
            }
            PlainForm::Mcp => McpPattern::read(inside).map(Matcher::Mcp),
            PlainForm::Tool => Some(Matcher::Name(tool_name(inside, side))),
            PlainForm::Argument { .. } => Specifier::new(inside)
                .argument()
                .map(|(name, value)| Matcher::Param { name: name.to_owned(), value: Wildcard::read(value) }),
        };
        // A plain text has no error. If it had one, a guard would match everything and a grant nothing.
        built.unwrap_or_else(|| if side == Side::Guard { Matcher::None } else { Matcher::Name(Wildcard::default()) })
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

    pub(super) fn get(&self, rule: &str) -> &Matcher {
        match self {
            Self::Built(limit) => limit,
            Self::Plain(text) => text.built.get_or_init(|| Box::new(text.build(rule))),
            Self::Preset(built) => built.get_or_init(|| Box::new(matcher(rule))),
        }
    }

    /// The matcher, built if need be.
    pub(super) fn into_matcher(self, rule: &str) -> Matcher {
        match self {
            Self::Built(limit) => *limit,
            Self::Plain(text) => text.build(rule),
            Self::Preset(_) => matcher(rule),
        }
    }

    /// The form of a plain rule, with the text in its parentheses or the name of an MCP tool.
    fn plain_text<'r>(&self, rule: &'r str) -> Option<(PlainForm, &'r str)> {
        match self {
            Self::Plain(text) => Some((text.shape.form, text.inside(rule))),
            Self::Built(_) | Self::Preset(_) => None,
        }
    }

    /// Returns the words of a plain rule about commands. Returns `None` for any other rule, and if no words are obvious.
    pub(super) fn command<'r>(&self, rule: &'r str) -> Option<PlainCommand<'r>> {
        match self {
            Self::Plain(PlainText {
                shape: PlainShape { form: PlainForm::Command { first, words }, inside }, ..
            }) => {
                let words = rule.as_bytes().get(inside.0 as usize..)?.get(..*words as usize)?;
                let (first, rest) = words.split_at_checked(*first as usize)?;
                (!words.is_empty()).then_some(PlainCommand { first, rest })
            }
            _ => None,
        }
    }

    /// The name of the tool argument that a rule matches, if any.
    pub(super) fn argument<'r>(&self, rule: &'r str) -> Option<&'r str> {
        match self.plain_text(rule)? {
            (PlainForm::Argument { name }, text) => text.get(..name as usize),
            _ => None,
        }
    }

    /// The name of the only tool that a rule matches, if it is obvious.
    pub(super) fn plain_tool<'r>(&self, rule: &'r str) -> Option<&'r str> {
        self.plain_text(rule).and_then(|(form, name)| (form == PlainForm::Tool).then_some(name))
    }

    /// The segments without `*` of a plain rule about files; empty for any other rule.
    pub(super) fn plain_segments<'r>(&self, rule: &'r str) -> impl Iterator<Item = &'r str> {
        let path = match self.plain_text(rule) {
            Some((PlainForm::Path, path)) => path,
            _ => "",
        };
        path.split('/').filter(|segment| !matches!(*segment, "" | "." | "~") && !segment.contains(['*', '[', '?']))
    }
}
