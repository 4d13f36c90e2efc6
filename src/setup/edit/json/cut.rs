//! Removes a member or element from a text. The removal of the syntax tree also removes comments next to it.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// The text without a member, or without an element of the list there, and without its comma; `None` if it does not
/// exist.
pub(super) fn without(text: &str, options: &ParseOptions, at: &[String], element: Option<usize>) -> Option<String> {
    let collect = CollectOptions { tokens: true, ..CollectOptions::default() };
    let parsed = parse_to_ast(text, &collect, options).ok()?;
    let found = place(parsed.value.as_ref()?, at, element)?;
    let tokens = parsed.tokens?;
    let comma = |token: Option<&TokenAndRange<'_>>| {
        token.filter(|token| token.token == Token::Comma).map(|token| token.range.start..token.range.end)
    };
    let behind = comma(tokens.iter().find(|token| token.range.start >= found.end));
    let comma = behind.or_else(|| comma(tokens.iter().rev().find(|token| token.range.end <= found.start)));
    let mut cuts = vec![found];
    match comma {
        Some(comma) if is_blank(text, cuts.first()?.end..comma.start) => cuts.first_mut()?.end = comma.end,
        comma => cuts.extend(comma),
    }
    for cut in &mut cuts {
        *cut = with_its_line(text, cut.clone());
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        rest.push_str(text.get(from..cut.start)?);
        from = cut.end;
    }
    rest.push_str(text.get(from..)?);
    Some(rest)
}

/// The range of the value, including the name of a member.
fn place(value: &Value<'_>, at: &[String], element: Option<usize>) -> Option<Range<usize>> {
    let Some((name, below)) = at.split_first() else {
        let found = value.as_array()?.elements.get(element?)?.range();
        return Some(found.start..found.end);
    };
    let member = value.as_object()?.properties.iter().find(|member| member.name.as_str() == name)?;
    if below.is_empty() && element.is_none() {
        return Some(member.range.start..member.range.end);
    }
    place(&member.value, below, element)
}

/// Extends a range to the whole line, if the line contains nothing else.
fn with_its_line(text: &str, cut: Range<usize>) -> Range<usize> {
    let start = text.get(..cut.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(cut.end..).and_then(|after| after.find('\n')).map(|at| cut.end + at + 1);
    match end {
        Some(end) if is_blank(text, start..cut.start) && is_blank(text, cut.end..end) => start..end,
        _ => cut,
    }
}

fn is_blank(text: &str, range: Range<usize>) -> bool {
    text.get(range).is_some_and(|text| text.trim().is_empty())
}
