//! The `*** Begin Patch` format: the files that a patch changes.

use super::Action;

const HEADERS: [(&str, Header); 4] = [
    ("*** Add File: ", Header::Add),
    ("*** Update File: ", Header::Update),
    ("*** Delete File: ", Header::Delete),
    ("*** Move to: ", Header::Move),
];

#[derive(Clone, Copy)]
enum Header {
    Add,
    Update,
    Delete,
    Move,
}

/// Returns the files that a patch changes, one action each; a move is an edit of the old name and a move. Returns
/// `None` if the text names no file.
///
/// The syntax is that of Codex: every line may be indented, and the rest of a header is the path.
pub fn patched(text: &str) -> Option<Vec<Action>> {
    let mut actions: Vec<Action> = Vec::new();
    for line in text.split('\n').map(str::trim) {
        let header = HEADERS.iter().find_map(|(start, header)| Some((*header, line.strip_prefix(start)?)));
        let Some((header, path)) = header else { continue };
        let path = path.to_owned();
        actions.push(match (header, actions.last()) {
            (Header::Update, _) => Action::Edit { path },
            (Header::Delete, _) => Action::Delete { path },
            (Header::Move, Some(Action::Edit { path: from })) => Action::Move { from: from.clone(), to: path },
            (Header::Add | Header::Move, _) => Action::Write { path },
        });
    }
    (!actions.is_empty()).then_some(actions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_an_action() {
        let patch = "*** Begin Patch\n*** Add File: a b.txt\n+x\n*** Update File: c.rs\r\n*** Move to: d.rs\n@@\n-1\n+2\n*** Delete File: e\n*** End Patch\n";
        let file = str::to_owned;
        assert_eq!(
            patched(patch).unwrap(),
            [
                Action::Write { path: file("a b.txt") },
                Action::Edit { path: file("c.rs") },
                Action::Move { from: file("c.rs"), to: file("d.rs") },
                Action::Delete { path: file("e") },
            ]
        );
        assert_eq!(patched("no patch"), None);
    }

    #[test]
    fn a_header_may_be_indented_and_keeps_the_spaces_of_its_path() {
        let write = |path: &str| Some(vec![Action::Write { path: path.to_owned() }]);
        assert_eq!(patched(" \t*** Add File: a: b \t\r"), write("a: b"));
        assert_eq!(patched("*** Add File:  a"), write(" a"));
        assert_eq!(patched("+*** Add File: a"), None);
        assert_eq!(patched("***  Add File: a"), None);
    }
}
