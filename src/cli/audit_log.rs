//! The location of the audit log for the commands that read it.

use std::io;
use std::path::{Path, PathBuf};

use snaphook_adapters::registry::Registry;

use super::Failure;
use crate::policy::{Places, UserPolicy};
use crate::serve::{default_audit, print_error};

/// Returns the log named on the command line, else the one of the policy, else the default one.
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
            // While the policy is invalid, calls are recorded in the default log.
            print_error(&format!("the policy is invalid, so the default log is read: {fault}"));
            None
        }
    };
    named.or_else(|| default_audit(&places)).ok_or_else(nowhere)
}

/// Says that the path of the log is unknown.
pub(super) fn nowhere() -> Failure {
    Failure("no default log, because HOME is not set; name the log with --audit FILE".to_owned())
}

/// Describes why the log could not be read.
pub(super) fn unread(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => {
            Failure(format!("{}: the log does not exist yet; name another with --audit FILE", path.display()))
        }
        _ => Failure(format!("{}: {error}", path.display())),
    }
}
