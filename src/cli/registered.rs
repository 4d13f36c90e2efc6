//! What a registration names: our program, the policy, the log and the trust store.

use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::Setup;

use super::Failure;
use crate::policy::Places;
use crate::serve::default_audit;

pub(super) struct Registered {
    pub(super) setup: Setup,
    /// The policy that is named and is not there, so that every gated call would be denied.
    pub(super) missing: Option<PathBuf>,
}

/// Names everything by absolute path, since agents clean the environment of their hooks (S8).
pub(super) fn what(policy: Option<&Path>) -> Result<Registered, Failure> {
    let places = Places::from_environment();
    let binary = std::env::current_exe()
        .map_err(|error| Failure(format!("the path of this program cannot be found: {error}")))?;
    let mut setup = Setup::new(binary.display().to_string());
    let policy = if let Some(path) = policy {
        Some(std::path::absolute(path).map_err(|e| Failure(format!("{}: {e}", path.display())))?)
    } else {
        let files = places.user_files();
        files.iter().find(|file| file.exists()).or(files.first()).cloned()
    };
    let missing = policy.clone().filter(|path| !path.exists());
    if let Some(path) = policy {
        setup = setup.policy(path.display().to_string());
    }
    if let Some(path) = default_audit(&places) {
        setup = setup.audit(path.display().to_string());
    }
    if let Some(path) = places.trust_file() {
        setup = setup.trust(path.display().to_string());
    }
    Ok(Registered { setup, missing })
}
