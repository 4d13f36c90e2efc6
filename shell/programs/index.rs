//! Compile-time index of the programs, searched by bisection: every command is looked up.
#![expect(clippy::indexing_slicing, reason = "in constants, where an index out of bounds does not compile")]

use super::program::Program;

/// Maps a name to its program.
pub(super) struct ProgramIndex<const N: usize>([(&'static str, &'static Program); N]);

impl ProgramIndex<0> {
    /// The number of names.
    pub(super) const fn count(files: &[&[Program]]) -> usize {
        let (mut count, mut file) = (0, 0);
        while file < files.len() {
            let mut row = 0;
            while row < files[file].len() {
                count += files[file][row].names.len();
                row += 1;
            }
            file += 1;
        }
        count
    }
}

impl<const N: usize> ProgramIndex<N> {
    /// Indexes the names of all programs.
    pub(super) const fn new(files: &'static [&'static [Program]]) -> Self {
        let mut all = [("", &files[0][0]); N];
        let (mut count, mut file) = (0, 0);
        while file < files.len() {
            let mut row = 0;
            while row < files[file].len() {
                let program = &files[file][row];
                let mut at = 0;
                while at < program.names.len() {
                    let mut to = count;
                    while to > 0 && is_before(program.names[at], all[to - 1].0) {
                        all[to] = all[to - 1];
                        to -= 1;
                    }
                    assert!(to == 0 || is_before(all[to - 1].0, program.names[at]), "each name is listed once");
                    all[to] = (program.names[at], program);
                    count += 1;
                    at += 1;
                }
                row += 1;
            }
            file += 1;
        }
        assert!(count == N, "all names and no more");
        Self(all)
    }

    /// Returns the program with this name.
    pub(super) fn find(&self, name: &str) -> Option<&'static Program> {
        let first = self.0.partition_point(|(known, _)| (known.len(), *known) < (name.len(), name));
        self.0.get(first).filter(|(known, _)| *known == name).map(|(_, program)| *program)
    }
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
