//! Where the log is that a command shall read.

use std::io;
use std::path::{Path, PathBuf};

use snaphook_adapters::registry::Registry;

use super::Failure;
use crate::policy::{Places, UserPolicy};
use crate::serve::default_audit;

/// The log named on the command line, else the policy's, else the usual one.
pub(super) fn path(registry: &Registry, audit: Option<PathBuf>, policy: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let mut places = Places::from_environment();
    places.policy = policy;
    let named = || UserPolicy::load(&places, registry).ok().and_then(|user| user.audit().file.clone());
    let path = audit.or_else(named).or_else(|| default_audit(&places));
    path.ok_or_else(|| Failure("no home folder, so no log; name it with --audit FILE".to_owned()))
}

/// Says why the log could not be read.
pub(super) fn unread(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => {
            Failure(format!("{}: there is no log yet; name another with --audit FILE", path.display()))
        }
        _ => Failure(format!("{}: {error}", path.display())),
    }
}
