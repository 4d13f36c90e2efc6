//! Tests of `snaphook trust`: the list, the changes since the last trust, and revoking.

use std::fs;

use crate::place::Place;

const FILE: &str = "project/.snaphook.toml";
const STORE: &str = "home/.local/state/snaphook/trust.toml";
const TEXTS: &str = "home/.local/state/snaphook/trust.texts";
const TEXT: &str = "[permissions]\ndeny = ['Bash(first)']\nask = []\n# 1\n# 2\n# 3\nallow = ['Bash(ls)']\n";

fn trusted() -> Place {
    let place = Place::new();
    place.file(FILE, TEXT);
    place.answered(&["trust"], "y\n").says(0, &["Bash(first)", "any change to the file revokes this"]);
    place
}

fn texts(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path(TEXTS)).unwrap();
    entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn the_list_names_each_file_and_if_it_was_changed() {
    let place = Place::new();
    place.run(&["trust", "--list"]).says(0, &["No project file is trusted."]);
    let place = trusted();
    let state = || {
        let shown = place.json(&["trust", "--list", "--json"]);
        assert_eq!(shown[0]["path"], place.at(FILE), "{shown:#}");
        shown[0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(), "trusted");
    place.run(&["trust", "--list"]).says(0, &["file", "trusted on", "/project/.snaphook.toml", "20"]);
    place.file(FILE, &format!("{TEXT}#"));
    assert_eq!(state(), "changed");
    fs::remove_file(place.path(FILE)).unwrap();
    assert_eq!(state(), "missing");
    fs::create_dir(place.path(FILE)).unwrap();
    assert_eq!(state(), "unreadable");
    for words in [&["trust", "--json"][..], &["trust", "--json", "."]] {
        place.run(words).says(2, &["--json is only for --list"]);
    }
    place.run(&["trust", "--list", "--revoke"]).says(2, &["cannot be used with"]);
    place.file(STORE, "[[trusted]]\npath = 1\n");
    place.run(&["trust", "--list"]).says(2, &["trust.toml:1:1", "missing `path`"]);
}

#[test]
fn a_file_that_was_trusted_before_is_shown_as_a_diff() {
    let place = trusted();
    place.file(FILE, &TEXT.replace("ls", "l\u{202e}s"));
    let said = place.answered(&["trust"], "n\n");
    said.says(
        1,
        &["changed since it was trusted on ", "-allow = ['Bash(ls)']\n+allow = ['Bash(l\\u{202e}s)']", "not trusted"],
    );
    assert!(!said.out.contains("first"), "{said:?}");
    assert_eq!(texts(&place), [TEXT]);
    let other = place.file("project/sub/.git/x", "");
    place.file("project/sub/.snaphook.toml", "[permissions]\n");
    place.answered(&["trust", &other.replace("/.git/x", "")], "y\n").says(0, &["[permissions]"]);
    // The new text replaces the one before, and those of other files stay.
    place.answered(&["trust"], "y\n").says(0, &["trusted; any change"]);
    let mut kept = texts(&place);
    kept.sort();
    assert_eq!(kept, ["[permissions]\n".to_owned(), TEXT.replace("ls", "l\u{202e}s")]);
    place.run(&["trust"]).says(0, &["Bash(first)", "already trusted"]);
}

#[test]
fn without_the_kept_text_the_whole_file_is_shown() {
    for replaced in [None, Some("[permissions]\n"), Some("")] {
        let place = trusted();
        let kept = fs::read_dir(place.path(TEXTS)).unwrap().next().unwrap().unwrap().path();
        match replaced {
            Some(text) => fs::write(kept, text).unwrap(),
            None => fs::remove_dir_all(place.path(TEXTS)).unwrap(),
        }
        place.file(FILE, &format!("{TEXT}#"));
        place.answered(&["trust"], "n\n").says(1, &["was not kept; the whole file:", "Bash(first)"]);
    }
}

#[test]
fn a_file_is_not_trusted_if_its_text_cannot_be_kept() {
    let place = Place::new();
    place.file(FILE, TEXT);
    place.file(TEXTS, "a file");
    place.answered(&["trust"], "y\n").says(2, &["trust.toml: cannot be written"]);
    assert!(!place.path(STORE).exists());
}

#[test]
fn trust_is_revoked_only_after_confirmation() {
    let place = trusted();
    place.run(&["try", "ls", "-v"]).says(0, &["claude-code: allow"]);
    place.fed(&["trust", "--revoke"], "y\n").says(1, &["still trusted", "on a terminal"]);
    place.answered(&["trust", "--revoke"], "n\n").says(1, &["still trusted"]);
    place.run(&["try", "ls", "-v"]).says(0, &["claude-code: allow"]);
    place.answered(&["trust", "--revoke", ".snaphook.toml"], "y\n").says(0, &["deny and ask", "no longer trusted"]);
    place.run(&["try", "ls", "-v"]).says(0, &["claude-code: pass"]);
    assert_eq!(texts(&place), Vec::<String>::new());
    place.run(&["trust", "--revoke"]).says(2, &["is not trusted; see `snaphook trust --list`"]);
    // A file that is gone.
    let place = trusted();
    fs::remove_dir_all(place.path("project")).unwrap();
    fs::create_dir(place.path("project")).unwrap();
    place.answered(&["trust", "--revoke", &place.at(FILE)], "y\n").says(0, &["no longer trusted"]);
    assert!(!place.read(STORE).contains("[[trusted]]"));
}
