//! Compile-time index of the program tables, searched by bisection. Every command is looked up in each table.
#![expect(clippy::indexing_slicing, reason = "in constants, where an index out of bounds does not compile")]

/// Maps a name to its row in a table.
#[derive(Debug)]
pub(super) struct ByName<const N: usize>([(&'static str, usize); N]);

impl<const N: usize> ByName<N> {
    /// Indexes the names of all rows; `N` is their total number.
    pub(super) const fn new(rows: &[&[&'static str]]) -> Self {
        let mut all = [("", 0); N];
        let (mut count, mut row) = (0, 0);
        while row < rows.len() {
            let mut at = 0;
            while at < rows[row].len() {
                let mut to = count;
                while to > 0 && is_before(rows[row][at], all[to - 1].0) {
                    all[to] = all[to - 1];
                    to -= 1;
                }
                all[to] = (rows[row][at], row);
                count += 1;
                at += 1;
            }
            row += 1;
        }
        assert!(count == N, "all names and no more");
        Self(all)
    }

    /// Returns the first row that contains a name.
    pub(super) fn row(&self, name: &str) -> Option<usize> {
        let first = self.0.partition_point(|(known, _)| (known.len(), *known) < (name.len(), name));
        self.0.get(first).filter(|(known, _)| *known == name).map(|(_, row)| *row)
    }
}

/// The number of names in all rows.
pub(super) const fn count(rows: &[&[&str]]) -> usize {
    let (mut count, mut row) = (0, 0);
    while row < rows.len() {
        count += rows[row].len();
        row += 1;
    }
    count
}

/// Orders names by length, then by bytes.
const fn is_before(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return a.len() < b.len();
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    false
}

/// Declares the index of a table; `$field` holds the names of a row.
macro_rules! by_name {
    ($table:expr, $field:tt) => {{
        #[allow(clippy::indexing_slicing, reason = "in a constant")]
        const NAMES: [&[&str]; $table.len()] = {
            let mut names: [&[&str]; $table.len()] = [&[]; $table.len()];
            let mut row = 0;
            while row < names.len() {
                names[row] = $table[row].$field;
                row += 1;
            }
            names
        };
        const COUNT: usize = $crate::by_name::count(&NAMES);
        const INDEX: &$crate::by_name::ByName<COUNT> = &$crate::by_name::ByName::new(&NAMES);
        INDEX
    }};
}
pub(super) use by_name;

#[cfg(test)]
mod tests {
    const TABLE: &[(&[&str], u8)] = &[(&["ls", "cat"], 1), (&["awk", "cat", "vi"], 2), (&[], 3), (&["x"], 4)];

    #[test]
    fn a_lookup_returns_the_first_row_with_the_name() {
        let index = by_name!(TABLE, 0);
        for (name, row) in [("ls", Some(0)), ("cat", Some(0)), ("awk", Some(1)), ("vi", Some(1)), ("x", Some(3))] {
            assert_eq!(index.row(name), row, "{name}");
        }
        for name in ["", "l", "lsx", "caa", "cau", "zzzz", "\u{e9}"] {
            assert_eq!(index.row(name), None, "{name}");
        }
    }
}
