//! Paths as text.

/// Removes `.`, `..` and `//` lexically. A relative path keeps its leading `..`.
pub fn fold(path: &str) -> String {
    if is_folded(path.strip_prefix('/').unwrap_or(path)) {
        return path.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            ".." if absolute => {}
            step => steps.push(step),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, steps.join("/"))
}

/// Returns true if a relative path has a name in every step, so that folding leaves it as it is.
pub fn is_folded(path: &str) -> bool {
    path.as_bytes().split(|byte| *byte == b'/').all(|step| !matches!(step, b"" | b"." | b".."))
}

/// Returns true if a path is equal to a directory or below it.
pub fn within(path: &str, folder: &str) -> bool {
    relative(path, folder).is_some()
}

/// The part of a path below a directory; empty for the directory itself.
pub fn relative<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}
