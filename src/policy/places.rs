//! The locations of files, from the environment.

use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf, absolute};
use std::sync::OnceLock;
use std::time::SystemTime;

use snaphook_adapters::protocol::{Agent, FolderSetting, SessionFolder};
use snaphook_policy::{MovedFile, OVERRIDES_FOLDER, OWN_FOLDER, POLICY_FILE, TRUST_FILE, text_of};

use crate::platform::files::{self, managed_policy};
use crate::watchdog::before_using;

/// The locations from which a policy is read, and those that its rules refer to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Places {
    /// The policy of the administrator, whether it exists or not. No variable and no option moves it.
    pub managed: Option<PathBuf>,
    /// The policy file from the command line; `None` for the user's file or the starter policy.
    pub policy: Option<PathBuf>,
    /// Further policy files from the command line, whose rules are added to those of `policy`.
    pub more_policies: Vec<PathBuf>,
    /// The trust store from the command line.
    pub trust: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`.
    pub config: Option<PathBuf>,
    /// `$XDG_STATE_HOME`, else `~/.local/state`.
    pub state: Option<PathBuf>,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The snaphook program, which is protected; resolved on first use.
    pub binary: OnceLock<Option<PathBuf>>,
    /// `$SHELL`, which runs the commands of some agents.
    pub shell: Option<String>,
    /// The temporary directories, where deleting files is harmless.
    pub temps: Vec<String>,
    /// True if these are the locations of this process, so that more may be looked up: environment
    /// variables that move the files of agents, and the path of the program.
    pub live: bool,
}

impl Places {
    /// Reads the locations from the environment.
    pub fn from_environment() -> Self {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let mut temps = vec!["/tmp".to_owned(), "/var/tmp".to_owned()];
        temps.extend(folder("TMPDIR").map(|path| text_of(&path)));
        Self {
            managed: Some(managed_policy().into()),
            policy: None,
            more_policies: Vec::new(),
            trust: None,
            config: folder("XDG_CONFIG_HOME"),
            state: folder("XDG_STATE_HOME").or_else(|| home.as_ref().map(|home| home.join(".local/state"))),
            home,
            binary: OnceLock::new(),
            shell: std::env::var("SHELL").ok().filter(|shell| !shell.is_empty()),
            temps,
            live: true,
        }
    }

    /// Adds a policy file from the command line.
    pub(crate) fn add_policy(&mut self, file: PathBuf) {
        match &self.policy {
            None => self.policy = Some(file),
            Some(_) => self.more_policies.push(file),
        }
    }

    /// The session directory of an agent as known to this process. A directory in the messages of the agent takes
    /// precedence. If the agent stores the directory in a settings file, that file is read; because some of its tools
    /// may use the working directory of the process, that directory is returned second.
    pub(crate) fn session_folders(&self, agent: &Agent) -> (Option<String>, Option<String>) {
        let process = std::env::current_dir().ok();
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let named = match &agent.session_folder {
            SessionFolder::Variable(name) => variable(*name).filter(|folder| folder.is_absolute()),
            SessionFolder::Setting(setting) => {
                let named = variable(setting.variable).or_else(|| self.folder_in(agent, setting)).map_or_else(
                    || self.agent_path(agent, setting.default),
                    |folder| match (folder.strip_prefix("~"), &self.home) {
                        (Ok(rest), Some(home)) => Some(home.join(rest)),
                        _ => Some(folder),
                    },
                );
                // A relative path is relative to the directory in which the agent was started, which is also that of
                // the hook. The agent creates the directory at startup, so a missing one is not the session directory.
                named.and_then(|folder| Some(process.as_ref()?.join(folder))).filter(|folder| is_folder(folder))
            }
            _ => None,
        };
        let text = |folder: PathBuf| folder.to_str().map(str::to_owned);
        match named.filter(|_| self.live) {
            Some(named) => {
                let either = matches!(agent.session_folder, SessionFolder::Setting(_));
                let process = process.filter(|process| either && *process != named);
                (text(named), process.and_then(text))
            }
            None => (process.and_then(text), None),
        }
    }

    /// Reads a directory from a settings file. Returns `None` if the file cannot be read or lacks the setting.
    fn folder_in(&self, agent: &Agent, setting: &FolderSetting) -> Option<PathBuf> {
        let path = self.agent_path(agent, setting.file)?;
        let (file, _) = crate::files::open(&path, std::fs::OpenOptions::new().read(true)).ok()?;
        let settings: serde_json::Value = serde_json::from_reader(BufReader::new(file.take(SETTINGS_MAX))).ok()?;
        let folder = settings.pointer(setting.pointer)?.as_str().filter(|folder| !folder.is_empty());
        folder.map(PathBuf::from)
    }

    /// Resolves a path of an agent that its row writes as `~/…`.
    fn agent_path(&self, agent: &Agent, path: &str) -> Option<PathBuf> {
        self.moved(agent, path).or_else(|| Some(self.home.as_ref()?.join(path.strip_prefix("~/")?)))
    }

    /// The path of the snaphook program.
    pub fn binary(&self) -> Option<&Path> {
        self.binary.get_or_init(|| std::env::current_exe().ok().filter(|_| self.live)).as_deref()
    }

    /// Returns true if a variable is set in the environment, which the agent and its shells share.
    pub(crate) fn exports(&self, name: &str) -> bool {
        self.live && std::env::var_os(name).is_some()
    }

    /// The path to which an environment variable moves an agent's file that its row writes as `~/…`; `None` if no
    /// variable does.
    pub(crate) fn moved(&self, agent: &Agent, path: &str) -> Option<PathBuf> {
        self.moves(agent).find_map(|(instead_of, place)| {
            let rest = Path::new(path).strip_prefix(instead_of).ok()?;
            Some(if rest.as_os_str().is_empty() { place } else { place.join(rest) })
        })
    }

    /// The directories and files to which environment variables move those of an agent, as `(instead of, path)`.
    pub(crate) fn moves(&self, agent: &Agent) -> impl Iterator<Item = (&'static str, PathBuf)> {
        agent.registration.moved.iter().filter(|_| self.live).filter_map(|moved| {
            let place = std::env::var_os(moved.variable).map(PathBuf::from).filter(|place| place.is_absolute())?;
            Some((moved.instead_of, place))
        })
    }

    /// The same for several agents, from one pass over the environment.
    pub(crate) fn all_moves(&self, agents: &[&'static Agent]) -> Vec<Vec<MovedFile>> {
        let listed = || agents.iter().flat_map(|agent| agent.registration.moved);
        let set: Vec<_> = std::env::vars_os()
            .filter(|(name, _)| self.live && listed().any(|moved| name == moved.variable))
            .map(|(name, place)| (name, PathBuf::from(place)))
            .filter(|(_, place)| place.is_absolute())
            .collect();
        let of = |agent: &&'static Agent| {
            let moves = agent.registration.moved.iter().filter_map(|moved| {
                let (_, place) = set.iter().find(|(name, _)| name == moved.variable)?;
                Some(MovedFile::new(moved.instead_of, place.clone()))
            });
            moves.collect()
        };
        agents.iter().map(of).collect()
    }

    /// The candidates for the user's policy file. The first that exists applies.
    pub fn user_files(&self) -> Vec<PathBuf> {
        let in_config = self.config.as_ref().map(|config| config.join(OWN_FOLDER).join(POLICY_FILE));
        let in_home = self.home.as_ref().map(|home| home.join(".config").join(OWN_FOLDER).join(POLICY_FILE));
        let mut files: Vec<_> = in_config.into_iter().chain(in_home).collect();
        files.dedup();
        files
    }

    /// The path of the trust store.
    pub fn trust_file(&self) -> Option<PathBuf> {
        self.trust.clone().or_else(|| self.state.as_ref().map(|state| state.join(OWN_FOLDER).join(TRUST_FILE)))
    }

    /// The directory of the audit log and the trust store.
    pub fn state_folder(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|state| state.join(OWN_FOLDER))
    }

    /// The candidates for the folder with what a person has set aside, in the order of the policy files. It is beside the
    /// policy, which a registered line names, so that no variable moves it and that the policy is no better protected.
    pub(crate) fn override_folders(&self) -> Vec<PathBuf> {
        let policies = self.policy.as_ref().map_or_else(|| self.user_files(), |named| vec![named.clone()]);
        let beside = |policy: PathBuf| Some(absolute(policy).ok()?.parent()?.join(OVERRIDES_FOLDER));
        policies.into_iter().filter_map(beside).collect()
    }

    /// The folder that applies: beside the policy file that applies, else beside the one that would be written.
    pub(crate) fn override_folder(&self) -> Option<PathBuf> {
        let mut folders = self.override_folders();
        let applies = if self.policy.is_some() {
            0
        } else {
            self.user_files().iter().position(|file| is_there(file)).unwrap_or_default()
        };
        (applies < folders.len()).then(|| folders.swap_remove(applies))
    }

    /// Formats a path for messages, with the home directory as `~`.
    pub fn shown(&self, path: &Path) -> String {
        snaphook_policy::shown(path, self.home.as_deref())
    }
}

fn is_folder(path: &Path) -> bool {
    before_using(path);
    path.is_dir()
}

/// Returns true unless a file is certainly missing. A dangling symbolic link is an unreadable file, not a missing one.
pub(super) fn is_there(path: &Path) -> bool {
    match crate::files::link_metadata(path) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory),
    }
}

/// Finds the first program with a name in the absolute directories of PATH for which `is_safe` returns true.
pub(crate) fn on_path(name: &str, is_safe: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    found.find(|path| !name.is_empty() && path.is_file() && path.canonicalize().is_ok_and(|path| is_safe(&path)))
}

/// Finds the program that a shell starts for a name in every working directory. `Err` is a relative directory in PATH.
pub(crate) fn started_as(name: &str) -> Result<Option<PathBuf>, PathBuf> {
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        if !folder.is_absolute() {
            return Err(folder);
        }
        let file = folder.join(name);
        if files::is_executable(&file) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// The maximum size of an agent's settings file, in bytes.
const SETTINGS_MAX: u64 = 16 << 20;

/// Metadata that detects cheaply whether a file has changed since it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    path: PathBuf,
    modified: Option<SystemTime>,
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

impl Stamp {
    pub(crate) fn of(path: &Path, found: &std::fs::Metadata) -> Self {
        let (_, inode) = files::identity(found);
        let (modified, changed) = (found.modified().ok(), files::changed(found));
        Self { path: path.to_owned(), modified, changed, size: found.len(), inode }
    }

    /// Returns true if the file still exists and has not changed.
    pub fn is_current(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|found| Self::of(&self.path, &found) == *self)
    }
}
