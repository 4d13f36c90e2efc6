//! The name of a type identifies one type in the whole workspace.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The code outside of tests, benchmarks and examples.
const FOLDERS: [&str; 8] =
    ["src", "policy", "shell", "adapters", "alloc/src", "hosts", "doubles/src", "conformance/src"];

#[test]
fn every_type_name_is_declared_once() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let files = FOLDERS.iter().flat_map(|folder| sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)));
    // The operations of Windows have the same names as those of Unix.
    for file in files.filter(|file| !file.components().any(|part| part.as_os_str() == "windows")) {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for name in code.lines().filter_map(declared) {
            places.entry(name.to_owned()).or_default().push(file.display().to_string());
        }
    }
    assert!(places.len() > 300, "only {} types were found", places.len());
    places.retain(|_, files| files.len() > 1);
    assert!(places.is_empty(), "declared twice; rename one so that it says which one it is: {places:#?}");
}

#[test]
fn declarations_are_recognised() {
    for (line, name) in [
        ("pub(crate) struct Plan {", Some("Plan")),
        ("enum Kind<'a> {", Some("Kind")),
        ("    pub(in super::super) trait Tree {", Some("Tree")),
        ("pub type Writer = fn(&str);", Some("Writer")),
        // An associated type has the name that its trait requires.
        ("    type Error = String;", None),
        ("/// struct Example", None),
        ("let structure = 1;", None),
        // A line of a text.
        ("type = \"openai\"", None),
    ] {
        assert_eq!(declared(line), name, "{line}");
    }
}

/// Returns the name of the type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let item = match code.strip_prefix("pub(") {
        Some(scoped) => scoped.split_once(") ")?.1,
        None => code.strip_prefix("pub ").unwrap_or(code),
    };
    let (keyword, rest) = item.split_once(' ')?;
    let is_type = matches!(keyword, "struct" | "enum" | "trait" | "union") || keyword == "type" && code == line;
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    is_type.then(|| rest.get(..end)).flatten().filter(|name| !name.is_empty())
}

/// The source files below a folder, without tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.file_stem().is_some_and(|name| name != "tests"));
    let each = paths.flat_map(|path| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(extension) if extension == "rs" => vec![path],
        _ => Vec::new(),
    });
    each.collect()
}
