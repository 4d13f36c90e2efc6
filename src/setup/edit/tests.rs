use serde_json::json;

use super::*;

fn entry(at: &[&str], in_list: bool, value: Value) -> Node {
    Node { at: at.iter().map(|name| (*name).to_owned()).collect(), in_list, value, text: None }
}

/// The text after the entry was inserted, and after it was removed again.
fn there_and_back(format: Format, text: &str, entry: &Node) -> (String, String) {
    let mut document = Document::parse(format, text).unwrap();
    document.put(entry, None).unwrap();
    let with = document.text();
    let number = document.found(&entry.at, entry.in_list).unwrap().len() - 1;
    document.take(&FoundNode { node: entry.clone(), number }, &|_| true).unwrap();
    (with, document.text())
}

#[test]
fn the_text_around_an_entry_is_kept() {
    let group = entry(&["hooks", "PreToolUse"], true, json!({"hooks": [{"type": "command"}]}));
    for text in [
        "{}",
        "\u{feff}{\n  // why\n  \"a\": 1.10,\n}\n",
        "{\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [\r\n\t\t\t{\"a\": 1} // theirs\r\n\t\t]\r\n\t}\r\n}",
        "{\"hooks\":{\"PreToolUse\":[{\"a\":1}]},\"z\":1e400}",
        "{\n    \"hooks\": {\n        \"Stop\": [], /* x */\n    },\n}",
    ] {
        let (with, _) = there_and_back(Format::Json, text, &group);
        let mut rest = with.chars();
        for c in text.chars().filter(|c| !c.is_whitespace() && *c != ',') {
            assert!(rest.any(|other| other == c), "{text}\n{with}");
        }
        assert!(with.contains("\"type\": \"command\""), "{with}");
    }
    let table = entry(&["hooks", "snaphook"], false, json!({"events": ["pre_tool"], "command": "/x"}));
    for text in ["", "# c\n[hooks.other]\nevents = [\"a\"] # d\n", "a = 1\n[x]\n"] {
        let (with, without) = there_and_back(Format::Toml, text, &table);
        assert!(with.starts_with(text), "{with}");
        assert!(with.ends_with("[hooks.snaphook]\nevents = [\"pre_tool\"]\ncommand = \"/x\"\n"), "{with}");
        assert_eq!(without, text);
    }
}

#[test]
fn a_file_of_another_format_is_not_changed() {
    for (format, text, why) in [
        (Format::Json, "{\n  \"a\": 1,\n  b: 2\n}", "3:3: "),
        (Format::Json, "[]", "1:1: an object is expected"),
        (Format::Json, "{\"a\": 1 \"b\": 2}", "1:8: "),
        (Format::Toml, "a = 1\nb = = 2\n", "2:5: "),
        (Format::Toml, "\u{feff}\u{feff}a = 1\n", "1:1: "),
        (Format::Json, "\u{feff}\u{feff}{}", "1:1: "),
    ] {
        let fault = Document::parse(format, text).err().unwrap().to_string();
        assert!(fault.starts_with(why), "{fault}");
    }
    let group = entry(&["hooks", "Stop"], true, json!({}));
    for (text, why) in [
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "`hooks.Stop` is not a list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "`hooks` is there twice"),
    ] {
        let mut document = Document::parse(Format::Json, text).unwrap();
        let fault = document.put(&group, None).unwrap_err().to_string();
        assert!(fault.starts_with(why), "{fault}");
        assert_eq!(document.text(), text);
    }
}

#[test]
fn elements_of_lists_and_members_with_our_name_are_entries() {
    let text = r#"{"version": 3, "hooks": {"enabled": true, "processes": {"snaphook": {"command": ["x"]}, "a": [1]}}}"#;
    let entries = Document::parse(Format::Json, text).unwrap().entries().unwrap();
    let ours = entry(&["hooks", "processes", "snaphook"], false, json!({"command": ["x"]}));
    assert_eq!(entries, [ours, entry(&["hooks", "processes", "a"], true, json!(1))]);
}

#[test]
fn line_endings_of_toml_are_kept() {
    let table = entry(&["hooks", "snaphook"], false, json!({"command": "/x"}));
    for text in
        ["a = 1\r\n# c\r\n[x]\r\nb = \"\"\"\r\n\"\"\"\r\n", "a = 1\r\n[x]\nb = 2\r\n", "a = 1\n[x]\r\nb = 2\r\n"]
    {
        let (with, without) = there_and_back(Format::Toml, text, &table);
        assert!(with.starts_with(text), "{with:?}");
        assert_eq!(without, text);
    }
}

#[test]
fn entries_are_appended_to_yaml_and_the_rest_is_kept() {
    let ours = "# begin of snaphook's lines\nsettings:\n  hooks:\n    a:\n      - b: 1\n# end of snaphook's lines\n";
    let entry = Format::Yaml.nodes(vec![entry(&["settings", "hooks", "a"], true, json!({"b": 1}))]).remove(0);
    for text in ["", "# c\n", "aliases:\n  a: {path: x} # d\n\n", "a: |+\n  text\n\n", "a: 1\r\nb:\r\n  - x\r\n"] {
        let (with, without) = there_and_back(Format::Yaml, text, &entry);
        assert_eq!((with, without), (format!("{text}{ours}"), text.to_owned()));
    }
    for (text, why) in [
        ("settings:\n  theme: dark\n", "`settings` is already defined"),
        ("{a: 1}\n", "`settings` is impossible to add"),
        ("a: 1\n...\n", "`settings` is impossible to add"),
    ] {
        let fault = Document::parse(Format::Yaml, text).unwrap().put(&entry, None).unwrap_err().to_string();
        assert!(fault.starts_with(why), "{text}: {fault}");
    }
    for (text, why) in [("a: [1\n", "2:"), ("- a\n", "1:1: a mapping"), ("a: 1\n---\nb: 2\n", "1:1: one document")] {
        let fault = Document::parse(Format::Yaml, text).err().unwrap().to_string();
        assert!(fault.starts_with(why), "{text}: {fault}");
    }
    // Another program appended a line, and the entry is renewed in its place.
    let text = format!("a: 1\n{ours}b: 2\n");
    let mut document = Document::parse(Format::Yaml, &text).unwrap();
    assert_eq!(document.entries().unwrap(), std::slice::from_ref(&entry));
    document.put(&entry, Some(0)).unwrap();
    assert_eq!(document.text(), text);
    document.take(&FoundNode { node: entry, number: 0 }, &|_| true).unwrap();
    assert_eq!(document.text(), "a: 1\nb: 2\n");
}
