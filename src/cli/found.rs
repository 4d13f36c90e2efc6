//! Which agents are on this machine, and which of them call us.

use std::env;
use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::Agent;

/// Says what was found of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Neither its program nor its folder.
    No,
    /// It is here, and none of its files names us.
    Unprotected,
    /// One of its files has our hook line.
    Protected,
}

/// Looks for an agent's program on PATH and for its folder, and for our line in its files.
pub(super) fn look(agent: &Agent, home: Option<&Path>, cwd: &Path) -> Found {
    let registration = &agent.registration;
    let program = !registration.program.is_empty() && on_path(registration.program);
    let folder = place(registration.folder, home, cwd).is_some_and(|folder| folder.is_dir());
    if !program && !folder {
        return Found::No;
    }
    let files = registration.files.iter().filter_map(|file| place(file.path, home, cwd)).flat_map(|path| expand(&path));
    let line = format!("hook {}", agent.id);
    let words = format!("\"hook\", \"{}\"", agent.id);
    let names_us = |path: PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| {
            let joined = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("\",\"", "\", \"");
            text.contains("snaphook") && (joined.contains(&line) || joined.contains(&words))
        })
    };
    if files.into_iter().any(names_us) { Found::Protected } else { Found::Unprotected }
}

fn place(path: &str, home: Option<&Path>, cwd: &Path) -> Option<PathBuf> {
    match path.strip_prefix("~/") {
        _ if path.is_empty() => None,
        Some(rest) => home.map(|home| home.join(rest)),
        None => Some(cwd.join(path)),
    }
}

/// A last step `*` stands for every file of the folder.
fn expand(path: &Path) -> Vec<PathBuf> {
    if path.file_name().is_none_or(|name| name != "*") {
        return vec![path.to_owned()];
    }
    let folder = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    folder.into_iter().flatten().filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}

fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
