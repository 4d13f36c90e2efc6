//! Where the log is that a command shall read.

use std::io;
use std::path::{Path, PathBuf};

use snaphook_adapters::registry::Registry;

use super::Failure;
use crate::policy::{Places, UserPolicy};
use crate::serve::{complain, default_audit};

/// The log named on the command line, else the policy's, else the usual one.
pub(super) fn path(registry: &Registry, audit: Option<PathBuf>, policy: Option<PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(audit) = audit {
        return Ok(audit);
    }
    let mut places = Places::from_environment();
    let is_named = policy.is_some();
    places.policy = policy;
    let named = match UserPolicy::load(&places, registry) {
        Ok(user) => user.audit().file.clone(),
        Err(fault) if is_named => return Err(Failure(fault.to_string())),
        Err(fault) => {
            // Calls are recorded there as long as it is so.
            complain(&format!("the policy cannot be used, so this is the usual log: {fault}"));
            None
        }
    };
    named
        .or_else(|| default_audit(&places))
        .ok_or_else(|| Failure("no home folder, so no log; name it with --audit FILE".to_owned()))
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
