//! Names of arguments that mean the same, and patches as edits.

use snaphook_adapters::Raw;
use snaphook_adapters::raw::{Object, json_string};

/// The names of arguments with the same meaning, each in one line. An agent's own name is the one in the sample of its
/// tool.
const SAME: [&[&str]; 6] = [
    &["content", "contents", "file_text", "fileText"],
    &["old_string", "oldString", "old_text", "oldText", "old_str", "oldStr"],
    &["new_string", "newString", "new_text", "newText", "new_str", "newStr"],
    &["edits", "replacements"],
    &["pattern", "query", "regex"],
    &["prompt", "task", "message"],
];

/// Returns true if two names of arguments have the same meaning.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one == other || SAME.iter().any(|names| names.contains(&one) && names.contains(&other))
}

/// Returns the name in an object for an argument of another agent.
pub(super) fn name_in<'a>(sample: &'a Object, name: &str) -> Option<&'a str> {
    let names = || sample.members().map(|(key, _)| key);
    names().find(|key| *key == name).or_else(|| names().find(|key| is_same(key, name)))
}

/// Returns the member of an object for an argument of another agent.
pub(super) fn member_for<'a>(object: &'a Object, name: &str) -> Option<(&'a str, Raw)> {
    object.members().find(|(key, _)| *key == name).or_else(|| object.members().find(|(key, _)| is_same(key, name)))
}

/// Renames the members of the objects in a list to those of a sample. Returns `None` if it is not such a list.
pub(super) fn renamed_items(list: &Raw, sample: &Raw) -> Option<String> {
    let form = sample.array().ok()?.into_iter().next()?.object().ok()?;
    let mut items = Vec::new();
    for item in list.array().ok()? {
        let object = item.object().ok()?;
        let members = object.members().map(|(key, value)| {
            let name = name_in(&form, key).unwrap_or(key);
            format!("{}:{}", json_string(name), value.as_str())
        });
        items.push(format!("{{{}}}", members.collect::<Vec<_>>().join(",")));
    }
    Some(format!("[{}]", items.join(",")))
}

/// Returns the texts of one argument in all edits of a list, joined by line breaks.
pub(super) fn joined_in_lists(object: &Object, name: &str) -> Option<String> {
    let lists = object.members().filter_map(|(_, value)| value.array().ok());
    let texts: Vec<_> =
        lists.flatten().filter_map(|item| Some(member_for(&item.object().ok()?, name)?.1.text()?.value)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// One file in a patch of the `*** Begin Patch` format.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PatchedFile {
    pub(super) path: String,
    /// The removed lines and the lines around them.
    pub(super) old: String,
    /// The added lines and the lines around them.
    pub(super) new: String,
}

/// Returns the texts of each file in a patch, by the path in its first header.
pub(super) fn patched_files(patch: &str) -> Vec<PatchedFile> {
    const HEADERS: [&str; 3] = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
    let mut files: Vec<PatchedFile> = Vec::new();
    for line in patch.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(path) = HEADERS.iter().find_map(|header| line.trim().strip_prefix(header)) {
            files.push(PatchedFile { path: path.to_owned(), ..PatchedFile::default() });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        let (mark, text) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        if mark == " " || mark == "-" {
            file.old.push_str(text);
            file.old.push('\n');
        }
        if mark == " " || mark == "+" {
            file.new.push_str(text);
            file.new.push('\n');
        }
    }
    files
}

/// Writes a patch that replaces a text in a file, or adds the file if there is no text to replace.
pub(super) fn patch(path: &str, old: &str, new: &str) -> String {
    fn lines(mark: &str, text: &str) -> String {
        text.lines().flat_map(|line| [mark, line, "\n"]).collect()
    }
    let body = if old.is_empty() {
        format!("*** Add File: {path}\n{}", lines("+", new))
    } else {
        format!("*** Update File: {path}\n@@\n{}{}", lines("-", old), lines("+", new))
    };
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_texts_of_each_file() {
        let text =
            "*** Begin Patch\n*** Add File: a\n+one\n+two\n*** Update File: b\n@@\n ctx\n-old\n+new\n*** End Patch\n";
        let file = |path: &str, old: &str, new: &str| PatchedFile {
            path: path.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
        };
        assert_eq!(patched_files(text), [file("a", "", "one\ntwo\n"), file("b", "ctx\nold\n", "ctx\nnew\n")]);
        assert_eq!(patched_files(&patch("c", "x", "y\nz")), [file("c", "x\n", "y\nz\n")]);
        assert_eq!(patched_files(&patch("c", "", "y")), [file("c", "", "y\n")]);
    }
}
