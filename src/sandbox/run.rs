//! `snaphook run --policy FILE -- ARGV`: isolates one command, or exits with 126 and runs nothing (R8).

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use lexopt::Arg::{Long, Short, Value};
#[cfg(target_os = "linux")]
use rustix::thread::{SecureComputingMode, secure_computing_mode};
use snaphook_adapters::registry::Registry;
use snaphook_policy::Launcher;

#[cfg(target_os = "linux")]
use super::profile::Profile;
use super::profile::default_roots;
use crate::policy::{LoadedPolicy, Places, on_path};
use crate::serve::print_error;
use crate::visible::{indented, one_line};

/// The flag of the second stage, which `bwrap` starts to apply restrictions that a process can only put on itself. Its
/// value is the process group and the descriptor of the data from the first stage.
pub(super) const WITHIN: &str = "--within";

/// The exit code if the sandbox could not be applied completely and nothing ran.
const REFUSED: u8 = 126;
/// The exit code if the program of the command does not exist.
const NOT_FOUND: u8 = 127;

/// Isolates this process and executes the command. Returns an exit code if that failed, or if another launcher has run
/// the command.
pub(crate) fn run(registry: &Registry, args: impl Iterator<Item = OsString>) -> u8 {
    let line = match Line::read(args) {
        Ok(Some(line)) => line,
        Ok(None) => {
            print_error(USAGE);
            return 0;
        }
        Err(error) => {
            print_error(&format!("snaphook run: {}\n{USAGE}", one_line(error.to_string())));
            return REFUSED;
        }
    };
    match line.start(registry) {
        Ok(code) => code,
        Err(Refusal::Isolation(text)) => {
            print_error(&format!("snaphook run: {}; nothing was run", indented(&text, "  ")));
            REFUSED
        }
        Err(Refusal::Program(program, error)) => {
            print_error(&format!("snaphook run: {}: {error}", one_line(&program)));
            if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { REFUSED }
        }
    }
}

enum Refusal {
    Isolation(String),
    Program(String, std::io::Error),
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self::Isolation(text)
    }
}

struct Line {
    within: Option<String>,
    policy: Option<PathBuf>,
    trust: Option<PathBuf>,
    project: Option<PathBuf>,
    argv: Vec<OsString>,
}

impl Line {
    /// Parses the arguments. Returns `None` if help is requested.
    fn read(args: impl Iterator<Item = OsString>) -> Result<Option<Self>, lexopt::Error> {
        let mut line = Self { within: None, policy: None, trust: None, project: None, argv: Vec::new() };
        let mut args = lexopt::Parser::from_args(args);
        while let Some(argument) = args.next()? {
            match argument {
                Long("policy") => line.policy = Some(args.value()?.into()),
                Long("trust") => line.trust = Some(args.value()?.into()),
                Long("within") => line.within = args.value()?.into_string().ok(),
                Long("project") => line.project = Some(args.value()?.into()),
                Long("help") | Short('h') => return Ok(None),
                Value(program) => {
                    line.argv = std::iter::once(program).chain(args.raw_args()?).collect();
                    return Ok(Some(line));
                }
                option => return Err(option.unexpected()),
            }
        }
        Err("missing command; expected `-- PROGRAM [ARGUMENT]...`".into())
    }

    fn start(self, registry: &Registry) -> Result<u8, Refusal> {
        #[cfg(target_os = "linux")]
        if let Some(handed) = self.within {
            // A process that `bwrap` started already has a filter.
            let begun = matches!(secure_computing_mode(), Ok(SecureComputingMode::Filter));
            if !begun || self.policy.is_some() {
                return Err(format!("{WITHIN} is only for processes that bwrap starts").into());
            }
            super::bwrap::within(&handed)?;
            return Err(exec(&self.argv));
        }
        #[cfg(target_os = "linux")]
        super::streams::close_others()?;
        let mut places = Places::from_environment();
        (places.policy, places.trust) = (self.policy, self.trust);
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
}

impl IsolationPlan {
    fn new(policy: &LoadedPolicy, cwd: PathBuf, project: &Path, argv: &[OsString]) -> Result<Self, String> {
        let sandbox = policy
            .sandbox(None)
            .ok_or_else(|| format!("{} has no [sandbox], so there is nothing to isolate by", policy.origin()))?;
        match sandbox.launcher {
            Launcher::Template(words) => Ok(Self::Template(filled(&found(words, policy, &cwd, project)?, argv)?)),
            #[cfg(target_os = "linux")]
            launcher => {
                let profile = Box::new(Profile::new(policy, &sandbox, cwd, project)?);
                Ok(Self::Own { profile, bwrap: *launcher == Launcher::Bwrap })
            }
            #[cfg(not(target_os = "linux"))]
            _ => Err("this launcher needs Linux".to_owned()),
        }
    }

    #[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "a template holds the whole command"))]
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
        }
    }
}

/// Replaces this process by the command, which keeps its streams, terminal, environment and signals.
fn exec(argv: &[OsString]) -> Refusal {
    let Some((program, rest)) = argv.split_first() else {
        return Refusal::Isolation("no command".to_owned());
    };
    let error = Command::new(program).args(rest).exec();
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
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut out = Vec::new();
    for word in words {
        match word.split_once("{}") {
            Some(("", "")) => out.extend_from_slice(argv),
            Some((before, after)) => {
                let command = shlex::bytes::try_join(argv.iter().map(|word| word.as_bytes()));
                let command = command.map_err(|_| "a NUL cannot be quoted")?;
                out.push(OsString::from_vec([before.as_bytes(), &command, after.as_bytes()].concat()));
            }
            None => out.push(word.into()),
        }
    }
    Ok(out)
}

const USAGE: &str = "\
usage: snaphook run [--policy FILE] [--trust FILE] [--project DIR] -- PROGRAM [ARGUMENT]...
  runs the program in the sandbox of the policy's [sandbox] table
  --policy FILE   the policy; default: the user's own
  --trust FILE    the trust store of project policies
  --project DIR   the folder in which the session was started and where the search for the project begins;
                  default: the working directory
  exits with 126 and runs nothing if the isolation cannot be applied completely";
