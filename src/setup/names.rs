//! What entries name: our program, the policy, the log and the trust store.

use std::io;
use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::{Agent, Setup};

use super::lines::lines;
use super::record::Records;
use super::target::Ground;
use crate::files;
use crate::policy::Places;
use crate::serve::default_audit;

/// Holds what new entries name.
#[derive(Debug)]
pub(crate) struct Names {
    setup: Setup,
    /// The user named the policy, so it counts whatever is named already.
    told: bool,
}

impl Names {
    /// Names everything by absolute path, since agents clean the environment of their hooks (S8). The
    /// policy is the user's own where none is told.
    pub(crate) fn find(places: &Places, policy: Option<&Path>) -> io::Result<Self> {
        let of = |what: &str, error: io::Error| io::Error::new(error.kind(), format!("{what}: {error}"));
        let binary = std::env::current_exe().map_err(|error| of("the path of this program cannot be found", error))?;
        let mut setup = Setup::new(binary.display().to_string());
        let named =
            policy.map(|path| std::path::absolute(path).map_err(|error| of(&path.display().to_string(), error)));
        let usual = || {
            let files = places.user_files();
            files.iter().find(|file| file.exists()).or(files.first()).cloned()
        };
        if let Some(path) = named.transpose()?.or_else(usual) {
            setup = setup.policy(path.display().to_string());
        }
        if let Some(path) = default_audit(places) {
            setup = setup.audit(path.display().to_string());
        }
        if let Some(path) = places.trust_file() {
            setup = setup.trust(path.display().to_string());
        }
        Ok(Self { setup, told: policy.is_some() })
    }

    /// The names where nothing is registered yet.
    pub(crate) fn new_ones(&self) -> &Setup {
        &self.setup
    }

    /// The names in a file: the policy that its entries name already stays, unless the user told another or
    /// it is there no more. Entries that came with a project, and not from us, have no say in it.
    pub(crate) fn at(&self, ground: &Ground, records: &Records, agent: &Agent, path: &Path) -> Setup {
        let setup = self.setup.clone();
        if self.told || ground.of_project(path).is_ok() && records.of(agent.id, path).is_none() {
            return setup;
        }
        let named = || {
            let text = String::from_utf8(files::read(path).ok()??).ok()?;
            let lines = lines(path, &text, agent.id).ok()?;
            let policy = lines.iter().find_map(|line| line.flag("--policy"));
            policy.filter(|policy| Path::new(policy).exists()).map(str::to_owned)
        };
        match named() {
            Some(policy) => setup.policy(policy),
            None => setup,
        }
    }
}

/// The policy that would be named and is not there, so that every gated call would be denied.
pub(crate) fn missing(setup: &Setup) -> Option<PathBuf> {
    setup.policy.as_ref().map(PathBuf::from).filter(|path| !path.exists())
}
