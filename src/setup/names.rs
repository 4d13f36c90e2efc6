//! Finds the paths for the command lines of entries: the program, the policy, the log and the trust store.

use std::io;
use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::Agent;

use super::command_line::CommandPaths;
use super::hooks::our_hooks;
use super::record::Records;
use super::target::{Scope, SetupContext};
use crate::files;
use crate::policy::{Places, on_path};
use crate::serve::default_audit;

/// The paths for new entries.
#[derive(Debug)]
pub(crate) struct Names {
    paths: CommandPaths,
    /// True if the user named the policy, so that it replaces the one in existing entries.
    is_policy_named: bool,
}

impl Names {
    /// Finds the paths. They are absolute, since some agents clear the environment of their hooks (S8). Without a named
    /// policy, the policy is the user's own.
    pub(crate) fn find(places: &Places, policy: Option<&Path>) -> io::Result<Self> {
        let of = |what: &str, error: io::Error| io::Error::new(error.kind(), format!("{what}: {error}"));
        let binary = std::env::current_exe().map_err(|error| of("the path of this program cannot be found", error))?;
        let mut paths = CommandPaths::new(binary.display().to_string());
        let named =
            policy.map(|path| std::path::absolute(path).map_err(|error| of(&path.display().to_string(), error)));
        let usual = || {
            let files = places.user_files();
            files.iter().find(|file| file.exists()).or(files.first()).cloned()
        };
        if let Some(path) = named.transpose()?.or_else(usual) {
            paths.policy = Some(path.display().to_string());
        }
        paths.audit = default_audit(places).map(|path| path.display().to_string());
        paths.trust = places.trust_file().map(|path| path.display().to_string());
        Ok(Self { paths, is_policy_named: policy.is_some() })
    }

    /// The paths for a file without entries of snaphook.
    pub(crate) fn new_ones(&self) -> &CommandPaths {
        &self.paths
    }

    /// The paths for a file. The policy in its existing entries is kept, unless the user named another one or it does not
    /// exist. Entries in a project that snaphook did not write are ignored.
    ///
    /// The files of a project are for everyone who works on it: they name the program as PATH finds it, and each user's
    /// own policy counts.
    pub(crate) fn at(
        &self,
        context: &SetupContext,
        records: &Records,
        agent: &Agent,
        path: &Path,
        scope: Scope,
    ) -> CommandPaths {
        let paths = match scope {
            Scope::User => self.paths.clone(),
            Scope::Project => CommandPaths {
                policy: self.paths.policy.clone().filter(|_| self.is_policy_named),
                ..CommandPaths::new(PROGRAM)
            },
        };
        if self.is_policy_named || context.of_project(path).is_ok() && records.of(agent.id, path).is_none() {
            return paths;
        }
        let named = || {
            let text = String::from_utf8(files::read(path).ok()??).ok()?;
            let hooks = our_hooks(path, &text, agent.id).ok()?;
            let policy = hooks.iter().find_map(|hook| hook.line.policy());
            policy.filter(|policy| Path::new(policy).exists()).map(str::to_owned)
        };
        match named() {
            Some(policy) => paths.policy(policy),
            None => paths,
        }
    }
}

/// The name of the program on PATH.
const PROGRAM: &str = "snaphook";

/// Returns true if PATH does not find this program by its name.
pub(crate) fn is_off_path() -> bool {
    let found = on_path(PROGRAM, |_| true).and_then(|path| path.canonicalize().ok());
    found.is_none() || found != std::env::current_exe().and_then(|path| path.canonicalize()).ok()
}

/// The policy in these paths, if it does not exist. Every gated call would then be denied.
pub(crate) fn missing(paths: &CommandPaths) -> Option<PathBuf> {
    paths.policy.as_ref().map(PathBuf::from).filter(|path| !path.exists())
}
