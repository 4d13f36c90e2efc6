//! Finds the shell commands of a skill. An agent runs them when a tool loads the skill, without a hook call.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use snaphook_adapters::model::{ShellKind, Skill};

use crate::machine::{Files, FolderEntry};
use crate::path::PathContext;

/// Limits of the search: folder entries, bytes and depth. The model can write these files, so they are not
/// trusted.
const ENTRIES: usize = 8192;
const BYTES: usize = 4 << 20;
const DEPTH: usize = 9;

/// The commands that the agent runs when it loads a skill.
#[derive(Debug, Default)]
pub(super) struct Expanded {
    pub(super) commands: Vec<(String, ShellKind)>,
    /// The reason why commands may be missing.
    pub(super) unread: Option<String>,
}

/// Reads every file that may be a skill of this name: which of several the agent loads is not known for certain.
pub(super) fn expanded(skill: &Skill, context: &PathContext) -> Expanded {
    let mut expanded = Expanded::default();
    let mut arguments = skill.arguments.clone();
    let mut names = Vec::new();
    for name in &skill.names {
        let name = name.trim().trim_start_matches('/');
        let (name, rest) = name.split_once(char::is_whitespace).unwrap_or((name, ""));
        arguments = [arguments.as_str(), rest].join(" ");
        names.push(SkillName::read(name));
    }
    let arguments = arguments.trim();
    expanded.script(arguments, "");
    let files = context.machine();
    let mut search = Search { files, names: &names, found: Vec::new(), entries: 0, bytes: 0, full: false };
    for root in roots(skill, &names, context) {
        // Plug-in folders contain whole repositories, so they are searched last.
        if !root.ends_with("plugins") || names.iter().any(SkillName::is_open) {
            search.below(&root);
        }
    }
    let missing = names.is_empty() || names.iter().any(SkillName::is_open);
    for (path, text) in search.found {
        let text = match (&skill.file, path.parent()) {
            (Some(file), Some(folder)) => files.read(&folder.join(file)).ok().map(|more| text + "\n" + &more),
            (Some(_), None) => None,
            (None, _) => Some(text),
        };
        match text {
            Some(text) => expanded.script(&text, arguments),
            None => expanded.unread("one of its files cannot be read"),
        }
    }
    if search.full {
        expanded.unread("the skill folders contain too many files");
    } else if missing {
        expanded.unread("its file was not found");
    }
    expanded
}

/// The name of a skill, in lower case.
struct SkillName {
    leaf: String,
    /// The prefix: a plug-in, a command folder, or the folder that contains the skill.
    before: Vec<String>,
    /// True if a file of the skill was found.
    found: Cell<bool>,
}

impl SkillName {
    fn read(name: &str) -> Self {
        let mut steps: Vec<_> = name.split([':', '/']).map(str::to_owned).collect();
        let leaf = steps.pop().unwrap_or_default().to_lowercase();
        Self { leaf, before: steps, found: Cell::new(false) }
    }

    fn is_open(&self) -> bool {
        !self.found.get()
    }
}

impl Expanded {
    fn unread(&mut self, why: &str) {
        self.unread.get_or_insert_with(|| why.to_owned());
    }

    /// Adds the shell commands of a text, as written and with the arguments inserted.
    fn script(&mut self, text: &str, arguments: &str) {
        let head =
            text.trim_start().strip_prefix("---").and_then(|rest| rest.split("\n---").next()).unwrap_or_default();
        let has = |key: &str| head.lines().any(|line| line.trim_start().starts_with(key));
        if has("hooks") {
            self.unread("its front matter has hooks");
        }
        let powershell = head.to_lowercase().contains("powershell");
        let shell = if powershell { ShellKind::PowerShell } else { ShellKind::Posix };
        let filled = text.replace("$ARGUMENTS", arguments);
        let is_numbered = |text: &str, at: usize| {
            text.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let takes_part = |text: &str| {
            text.contains("$ARGUMENTS[")
                || text.match_indices('$').any(|(at, _)| is_numbered(text, at))
                || (has("arguments") && text.contains('$'))
        };
        if arguments.contains(['`', '!']) && takes_part(text) {
            self.unread("an argument may add a command");
        }
        for line in shell_lines(text).into_iter().chain(shell_lines(&filled)) {
            if !arguments.is_empty() && takes_part(&line) {
                self.unread("an argument is inserted into one of its commands");
            }
            let command = (line, shell);
            if !self.commands.contains(&command) {
                self.commands.push(command);
            }
        }
    }
}

/// The texts in `` !`…` `` and in blocks that start with `` ```! ``.
fn shell_lines(text: &str) -> Vec<String> {
    let between = |start: &'static str, end: &'static str| {
        text.match_indices(start).filter_map(move |(at, _)| {
            let rest = text.get(at + start.len()..)?;
            let line = rest.split(end).next().filter(|line| line.len() < rest.len())?.trim();
            (!line.is_empty()).then(|| line.to_owned())
        })
    };
    between("!`", "`").chain(between("```!", "```")).collect()
}

fn roots(skill: &Skill, names: &[SkillName], context: &PathContext) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = Vec::new();
    for place in skill.places {
        let below = |folder: &str| Path::new(folder).join(place.trim_start_matches("~/"));
        match context.cwd() {
            _ if place.starts_with("~/") => roots.extend(context.home().map(|home| below(&home.written))),
            _ if place.starts_with('/') => roots.push(PathBuf::from(place)),
            Some(cwd) => {
                let above = cwd.forms().flat_map(|cwd| Path::new(cwd).ancestors()).filter_map(Path::to_str);
                for folder in above {
                    roots.push(below(folder));
                    let nested = names.iter().filter(|name| !name.before.is_empty());
                    roots.extend(nested.map(|name| below(&format!("{folder}/{}", name.before.join("/")))));
                }
            }
            None => {}
        }
    }
    let mut once = Vec::with_capacity(roots.len());
    for root in roots {
        if !once.contains(&root) {
            once.push(root);
        }
    }
    once
}

/// Searches the files of some skills, within limits.
struct Search<'a> {
    files: &'a dyn Files,
    names: &'a [SkillName],
    found: Vec<(PathBuf, String)>,
    entries: usize,
    bytes: usize,
    full: bool,
}

impl Search<'_> {
    fn below(&mut self, root: &Path) {
        let mut left = VecDeque::from([(root.to_owned(), 0)]);
        while let Some((folder, depth)) = left.pop_front() {
            for FolderEntry { path, may_be_folder, .. } in self.files.entries(&folder).into_iter().flatten() {
                self.entries += 1;
                if self.entries > ENTRIES {
                    self.full = true;
                    return;
                }
                let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
                if matches!(name.as_str(), ".git" | "node_modules") {
                    continue;
                }
                if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md")) {
                    self.file(root, path, &name);
                } else if depth < DEPTH && may_be_folder {
                    left.push_back((path, depth + 1));
                }
            }
        }
    }

    /// Adds a file if its name, its folder or its front matter names one of the skills.
    fn file(&mut self, root: &Path, path: PathBuf, name: &str) {
        let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().to_lowercase());
        let is_skill = name == "skill.md";
        let named = if is_skill { folder } else { name.strip_suffix(".md").map(str::to_owned) };
        let named = named.filter(|named| self.names.iter().any(|name| name.leaf == *named));
        if named.is_none() && !is_skill {
            return;
        }
        let Ok(text) = self.files.read(&path) else {
            // The commands of an oversized or unreadable file are unknown.
            self.full |= named.is_some();
            return;
        };
        self.bytes += text.len();
        if self.bytes > BYTES {
            self.full = true;
            return;
        }
        let titles: Vec<_> = text.lines().take(64).filter_map(title).chain(named).collect();
        let mut is_one = false;
        for name in self.names.iter().filter(|name| titles.contains(&name.leaf)) {
            is_one = true;
            name.found.set(name.found.get() || is_of(name, root, &path));
        }
        if is_one {
            self.found.push((path, text));
        }
    }
}

/// The name in a line of front matter.
fn title(line: &str) -> Option<String> {
    Some(line.trim().strip_prefix("name:")?.trim().trim_matches(['"', '\'']).to_lowercase())
}

/// Returns true if the location of a file fits the prefix of a name.
fn is_of(name: &SkillName, root: &Path, path: &Path) -> bool {
    let Some(last) = name.before.last() else { return true };
    let nested = format!("/{}/.", name.before.join("/"));
    let below = path.strip_prefix(root).unwrap_or(path);
    root.to_string_lossy().contains(&nested)
        || below.components().any(|step| step.as_os_str().to_string_lossy().eq_ignore_ascii_case(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_lines_are_found_inline_and_in_blocks() {
        for (text, lines) in [
            ("a !`git status` b", &["git status"][..]),
            ("!`a`!`b`", &["a", "b"]),
            ("x!`a\nb`", &["a\nb"]),
            ("```!\na\nb\n```\n", &["a\nb"]),
            ("```! a```", &["a"]),
            ("!`` ! `a` `ls`", &[]),
            ("!`open", &[]),
        ] {
            assert_eq!(shell_lines(text), lines, "{text}");
        }
    }
}
