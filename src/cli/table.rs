//! Columns of text on a terminal.

use std::fmt::Write;

/// Writes lines of cells in columns of even width.
pub(super) fn columns(rows: &[Vec<String>], indent: &str) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |n: usize| rows.iter().filter_map(|row| row.get(n)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..count).map(|n| width(n).unwrap_or_default()).collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(out, "{indent}{}", line.trim_end());
    }
    out
}
