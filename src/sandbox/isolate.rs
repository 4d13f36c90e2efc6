//! Applies the sandbox of a policy and executes a command in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

#[cfg(target_os = "linux")]
use rustix::thread::{SecureComputingMode, secure_computing_mode};
use snaphook_adapters::registry::Registry;
use snaphook_policy::Launcher;

use super::profile::{Profile, default_roots};
use super::run::{Line, REFUSED, Refusal};
use crate::platform::processes;
use crate::policy::{LoadedPolicy, Places, on_path};

/// The flag of the second stage, which runs in the sandbox: it tests the profile, and applies restrictions that a
/// process can only put on itself. Its values are what the launcher hands on from the first stage.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) const WITHIN: &str = "--within";

impl Line {
    /// Isolates the command. Returns only if that failed, or if another launcher has run the command.
    pub(super) fn start(self, registry: &Registry) -> Result<u8, Refusal> {
        #[cfg(target_os = "linux")]
        if let Some(handed) = self.within.first() {
            // A process that `bwrap` started already has a filter.
            let begun = matches!(secure_computing_mode(), Ok(SecureComputingMode::Filter));
            if !begun || !self.policies.is_empty() {
                return Err(format!("{WITHIN} is only for processes that bwrap starts").into());
            }
            super::bwrap::within(handed)?;
            return Err(exec(&self.argv));
        }
        #[cfg(target_os = "macos")]
        if !self.within.is_empty() {
            super::seatbelt::within(self.within)?;
            return Err(exec(&self.argv));
        }
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        super::descriptors::close_others()?;
        let mut places = Places::from_environment();
        self.policies.into_iter().for_each(|file| places.add_policy(file));
        places.trust = self.trust;
        let cwd = std::env::current_dir().map_err(|error| format!("no working directory: {error}"))?;
        let project = self.project.unwrap_or_else(|| cwd.clone());
        if !project.is_absolute() {
            return Err(format!("invalid --project {}; expected an absolute path", project.display()).into());
        }
        // Files are read first, on a thread with a watchdog: only a single-threaded process can isolate itself.
        let planned = crate::stall::watched(REFUSED, || {
            let policy =
                LoadedPolicy::for_run(&places, project.to_str(), registry).map_err(|fault| fault.to_string())?;
            let plan = IsolationPlan::new(&policy, cwd, &project, &self.argv)?;
            Ok::<_, String>((policy, plan))
        });
        let (policy, plan) = planned?;
        plan.carry_out(&policy, &self.argv)
    }
}

/// How a command is isolated.
enum IsolationPlan {
    /// With this command line.
    Template(Vec<OsString>),
    #[cfg(target_os = "linux")]
    Own { profile: Box<Profile>, bwrap: bool },
    #[cfg(target_os = "macos")]
    Seatbelt(Box<Profile>),
}

impl IsolationPlan {
    fn new(policy: &LoadedPolicy, cwd: PathBuf, project: &Path, argv: &[OsString]) -> Result<Self, String> {
        let sandbox = policy
            .sandbox(None)
            .ok_or_else(|| format!("{} has no [sandbox], so there is nothing to isolate by", policy.origin()))?;
        match sandbox.launcher {
            Launcher::Template(words) => Ok(Self::Template(filled(&found(words, policy, &cwd, project)?, argv)?)),
            #[cfg(target_os = "linux")]
            launcher @ (Launcher::Landlock | Launcher::Bwrap) => {
                let profile = Box::new(Profile::new(policy, &sandbox, cwd, project)?);
                Ok(Self::Own { profile, bwrap: *launcher == Launcher::Bwrap })
            }
            #[cfg(target_os = "macos")]
            Launcher::Seatbelt => Ok(Self::Seatbelt(Box::new(Profile::new(policy, &sandbox, cwd, project)?))),
            _ => Err("this launcher is for another system".to_owned()),
        }
    }

    #[cfg_attr(
        not(any(target_os = "linux", target_os = "macos")),
        expect(unused_variables, reason = "a template holds the whole command")
    )]
    fn carry_out(self, policy: &LoadedPolicy, argv: &[OsString]) -> Result<u8, Refusal> {
        match self {
            Self::Template(words) => match exec(&words) {
                Refusal::Program(program, error) => Err(Refusal::Isolation(format!("{program}: {error}"))),
                refusal @ Refusal::Isolation(_) => Err(refusal),
            },
            #[cfg(target_os = "linux")]
            Self::Own { profile, bwrap: true } => Ok(super::bwrap::run(&profile, policy.places(), argv)?),
            #[cfg(target_os = "linux")]
            Self::Own { profile, bwrap: false } => {
                let terminals = super::mounts::apply(&profile)?;
                super::landlock::restrict(&profile, terminals)?;
                super::filter::apply(&super::filter::filter(profile.network, false)?)?;
                super::promises::Promises::new(&profile).test()?;
                Err(exec(argv))
            }
            #[cfg(target_os = "macos")]
            Self::Seatbelt(profile) => Err(super::seatbelt::run(*profile, policy.places(), argv)?),
        }
    }
}

/// Replaces this process by the command, which keeps its streams, terminal, environment and signals.
fn exec(argv: &[OsString]) -> Refusal {
    let Some((program, rest)) = argv.split_first() else {
        return Refusal::Isolation("no command".to_owned());
    };
    let error = processes::replace(Command::new(program).args(rest));
    Refusal::Program(program.to_string_lossy().into_owned(), error)
}

/// A template with the resolved path of its program, which must not be in a writable folder. The folders that the
/// launcher makes writable are unknown, so the default ones are checked.
fn found(words: &[String], policy: &LoadedPolicy, cwd: &Path, project: &Path) -> Result<Vec<String>, String> {
    let Some((program, rest)) = words.split_first() else { return Err("no command".to_owned()) };
    if program.contains('/') {
        return Ok(words.to_vec());
    }
    let roots = default_roots(policy, cwd, project);
    let place = on_path(program, |path| !roots.iter().any(|root| path.starts_with(root))).ok_or_else(|| {
        format!("the program `{program}` is not on PATH outside of the project and the temporary folders")
    })?;
    let place = place.to_str().ok_or_else(|| format!("{} is not UTF-8", place.display()))?.to_owned();
    Ok(std::iter::once(place).chain(rest.iter().cloned()).collect())
}

/// A template with the command inserted: as words if `{}` is a separate word, else as one quoted text.
fn filled(words: &[String], argv: &[OsString]) -> Result<Vec<OsString>, String> {
    let mut out = Vec::new();
    for word in words {
        match word.split_once("{}") {
            Some(("", "")) => out.extend_from_slice(argv),
            Some((before, after)) => out.push(processes::quoted_between(before, argv, after)?),
            None => out.push(word.into()),
        }
    }
    Ok(out)
}
