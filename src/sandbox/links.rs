//! Links on the way to what a policy names: whoever may replace one says what the policy means.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf, absolute};

/// As many as the kernel follows.
const MOST: usize = 40;

/// The links that a path leads through, each in the folder where it lies.
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

/// The steps of a path, the first one last.
fn steps(path: &Path) -> Vec<OsString> {
    let named = path.components().filter(|step| matches!(step, Component::Normal(_) | Component::ParentDir));
    named.rev().map(|step| step.as_os_str().to_owned()).collect()
}
