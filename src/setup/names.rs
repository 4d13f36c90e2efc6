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
    /// policy, the policy is the user's own. Of several named policies, only the first may be missing.
    pub(crate) fn find(places: &Places, policies: &[PathBuf]) -> io::Result<Self> {
        let of = |what: &str, error: io::Error| io::Error::new(error.kind(), format!("{what}: {error}"));
        let binary = std::env::current_exe().map_err(|error| of("the path of this program cannot be found", error))?;
        let mut paths = CommandPaths::new(binary.display().to_string());
        for (index, path) in policies.iter().enumerate() {
            let named = |error| of(&path.display().to_string(), error);
            if index > 0 {
                std::fs::metadata(path).map_err(named)?;
            }
            paths.policies.push(std::path::absolute(path).map_err(named)?.display().to_string());
        }
        if policies.is_empty() {
            let files = places.user_files();
            let usual = files.iter().find(|file| file.exists()).or(files.first());
            paths.policies.extend(usual.map(|path| path.display().to_string()));
        }
        paths.audit = default_audit(places).map(|path| path.display().to_string());
        paths.trust = places.trust_file().map(|path| path.display().to_string());
        Ok(Self { paths, is_policy_named: !policies.is_empty() })
    }

    /// The paths for a file without entries of snaphook.
    pub(crate) fn new_ones(&self) -> &CommandPaths {
        &self.paths
    }

    /// The policies that the user named.
    pub(crate) fn named_policies(&self) -> impl Iterator<Item = &str> {
        self.paths.policies.iter().filter(|_| self.is_policy_named).map(String::as_str)
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
                policies: if self.is_policy_named { self.paths.policies.clone() } else { Vec::new() },
                ..CommandPaths::new(PROGRAM)
            },
        };
        if self.is_policy_named || context.of_project(path).is_ok() && records.of(agent.id, path).is_none() {
            return paths;
        }
        let named = || {
            let text = String::from_utf8(files::read(path).ok()??).ok()?;
            let hooks = our_hooks(path, &text, agent.id).ok()?;
            let named = hooks.iter().map(|hook| hook.policies(context)).find(|policies| !policies.is_empty())?;
            let are_there = named.iter().all(|policy| policy.exists());
            are_there.then(|| named.iter().map(|policy| policy.display().to_string()).collect())
        };
        match named() {
            Some(policies) => CommandPaths { policies, ..paths },
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
    paths.policies.first().map(PathBuf::from).filter(|path| !path.exists())
}
