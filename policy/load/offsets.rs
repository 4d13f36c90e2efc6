//! Converts the offsets of a document that was parsed from a part of its text.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The maximum depth at which offsets are converted. A valid policy has no deeper tables.
const DEPTH: usize = 16;

/// Converts the offsets of a document.
pub(super) fn moved<'d>(document: DeTable<'d>, to: &dyn Fn(usize) -> usize) -> DeTable<'d> {
    moved_table(document, to, DEPTH)
}

fn moved_table<'d>(table: DeTable<'d>, to: &dyn Fn(usize) -> usize, depth: usize) -> DeTable<'d> {
    let Some(below) = depth.checked_sub(1) else { return table };
    table.into_iter().map(|(key, value)| (spanned(key, to), moved_value(value, to, below))).collect()
}

fn moved_value<'d>(value: Spanned<DeValue<'d>>, to: &dyn Fn(usize) -> usize, depth: usize) -> Spanned<DeValue<'d>> {
    let Some(below) = depth.checked_sub(1) else { return value };
    let span = value.span();
    let value = match value.into_inner() {
        DeValue::Table(table) => DeValue::Table(moved_table(table, to, below)),
        DeValue::Array(items) => DeValue::Array(items.into_iter().map(|item| moved_value(item, to, below)).collect()),
        other => other,
    };
    spanned(Spanned::new(span, value), to)
}

fn spanned<T>(value: Spanned<T>, to: &dyn Fn(usize) -> usize) -> Spanned<T> {
    let span = value.span();
    Spanned::new(to(span.start)..to(span.end), value.into_inner())
}
