//! The `*** Begin Patch` form: which files a patch touches.

use crate::model::Action;

/// The files of a patch, one action each (a move is an edit of the old name and a move); `None`
/// where the text names no file.
pub(crate) fn actions(text: &str) -> Option<Vec<Action>> {
    let mut actions: Vec<Action> = Vec::new();
    for line in text.lines() {
        let Some((word, path)) = line.trim_end().strip_prefix("*** ").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let path = path.trim().to_owned();
        match word {
            "Add File" => actions.push(Action::Write { path }),
            "Update File" => actions.push(Action::Edit { path }),
            "Delete File" => actions.push(Action::Delete { path }),
            "Move to" => {
                if let Some(Action::Edit { path: from }) = actions.last().cloned() {
                    actions.push(Action::Move { from, to: path });
                } else {
                    actions.push(Action::Write { path });
                }
            }
            _ => {}
        }
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
            actions(patch).unwrap(),
            [
                Action::Write { path: file("a b.txt") },
                Action::Edit { path: file("c.rs") },
                Action::Move { from: file("c.rs"), to: file("d.rs") },
                Action::Delete { path: file("e") },
            ]
        );
        assert_eq!(actions("no patch"), None);
    }
}
