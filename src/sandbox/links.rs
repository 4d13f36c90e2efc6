//! Finds the symbolic links in the paths of a policy: a command that can replace one can redirect the path.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf, absolute};

/// The number of links that the kernel follows.
const MOST: usize = 40;

/// The links that a path leads through, each with its resolved parent folder.
pub(super) fn on_the_way(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut here = PathBuf::from("/");
    let mut ahead: Vec<OsString> = steps(&absolute(path).unwrap_or_default());
    while let Some(step) = ahead.pop() {
        if step == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&step);
        let Ok(target) = std::fs::read_link(&next) else {
            here = next;
            continue;
        };
        found.push(next);
        if found.len() > MOST {
            break;
        }
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        ahead.extend(steps(&target));
    }
    found
}

/// The components of a path in reverse order.
fn steps(path: &Path) -> Vec<OsString> {
    let named = path.components().filter(|step| matches!(step, Component::Normal(_) | Component::ParentDir));
    named.rev().map(|step| step.as_os_str().to_owned()).collect()
}
