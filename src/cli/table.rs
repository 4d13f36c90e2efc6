//! Column layout for terminals.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The widths of the columns of a table.
#[derive(Debug, Default)]
pub(super) struct Widths(Vec<usize>);

impl Widths {
    /// Widens the columns to fit a row.
    pub(super) fn take(&mut self, row: &[String]) {
        self.0.resize(self.0.len().max(row.len()), 0);
        for (width, cell) in self.0.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }

    /// The widths of some of the columns.
    pub(super) fn only(&self, is_kept: impl Iterator<Item = bool>) -> Self {
        Self(self.0.iter().zip(is_kept).filter_map(|(width, is_kept)| is_kept.then_some(*width)).collect())
    }

    /// Formats a row, including the line feed.
    pub(super) fn line(&self, row: &[String]) -> String {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&self.0) {
            let _ = write!(line, "{cell}{:blanks$}", "", blanks = width.saturating_sub(cell.width()) + 2);
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

/// Formats rows as aligned columns.
pub(super) fn columns(rows: &[Vec<String>], indent: &str) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(super::one_line).collect()).collect();
    let mut widths = Widths::default();
    for row in &rows {
        widths.take(row);
    }
    rows.iter().flat_map(|row| [indent.to_owned(), widths.line(row)]).collect()
}

/// A text on one line, truncated to at most `most` columns.
pub(super) fn cell(text: &str, most: usize) -> String {
    let text = super::one_line(text);
    if text.width() <= most {
        return text;
    }
    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or_default();
        width < most
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_visible_text() {
        let rows = [["a", "b"], ["日本", "x"], ["é\u{301}e", "y"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows, "> "), "> a     b\n> 日本  x\n> é\u{301}e    y\n");
    }

    #[test]
    fn a_cell_is_one_line_within_the_maximum_width() {
        assert_eq!(cell("a\n\tb\u{1b}", 20), "a\\n\\tb\\u{1b}");
        assert_eq!(cell("日本語", 6), "日本語");
        assert_eq!(cell("日本語x", 6), "日本…");
        assert_eq!(cell(&"x".repeat(300), 5), "xxxx…");
    }
}
