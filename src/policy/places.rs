//! Where the files are. The environment is read here and nowhere else in the policy.

use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use snaphook_adapters::protocol::{Agent, FolderSetting, SessionFolder};

/// Holds the places a policy is read from and judged by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Places {
    /// The policy named on the command line; absent: the user's, else the starter.
    pub policy: Option<PathBuf>,
    /// The trust store named on the command line.
    pub trust: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`.
    pub config: Option<PathBuf>,
    /// `$XDG_STATE_HOME`, else `~/.local/state`.
    pub state: Option<PathBuf>,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// Our own program, which is protected; looked up when it is asked for.
    pub binary: OnceLock<Option<PathBuf>>,
    /// `$SHELL`: what some agents hand commands to.
    pub shell: Option<String>,
    /// Temporary folders, in which deleting is nobody's loss.
    pub temps: Vec<String>,
    /// Whether these are the places of this process, so that what is not said here may be looked up:
    /// variables that move the agents' files, and our own program.
    pub live: bool,
}

impl Places {
    /// Reads the environment.
    pub fn from_environment() -> Self {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let mut temps = vec!["/tmp".to_owned(), "/var/tmp".to_owned()];
        temps.extend(folder("TMPDIR").map(|path| super::path::text_of(&path)));
        Self {
            policy: None,
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

    /// The folder of an agent's session, as the process that serves the agent knows it. An agent that names it in its
    /// messages overrules this. A file is read where the agent keeps the folder in one; some of its tools may then use
    /// the working directory of the process, which comes second.
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
                // A relative one is relative to where the agent was started, and so was the hook. The agent makes the
                // folder when it starts: where there is none, it is not this one.
                named.and_then(|folder| Some(process.as_ref()?.join(folder))).filter(|folder| folder.is_dir())
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

    /// The folder that a setting names; `None` where its file cannot be read, or says nothing.
    fn folder_in(&self, agent: &Agent, setting: &FolderSetting) -> Option<PathBuf> {
        let path = self.agent_path(agent, setting.file)?;
        let (file, _) = crate::files::open(&path, std::fs::OpenOptions::new().read(true)).ok()?;
        let settings: serde_json::Value = serde_json::from_reader(BufReader::new(file.take(SETTINGS_MAX))).ok()?;
        let folder = settings.pointer(setting.pointer)?.as_str().filter(|folder| !folder.is_empty());
        folder.map(PathBuf::from)
    }

    /// A path of an agent that its row writes as `~/…`.
    fn agent_path(&self, agent: &Agent, path: &str) -> Option<PathBuf> {
        self.moved(agent, path).or_else(|| Some(self.home.as_ref()?.join(path.strip_prefix("~/")?)))
    }

    /// Our own program.
    pub fn binary(&self) -> Option<&Path> {
        self.binary.get_or_init(|| std::env::current_exe().ok().filter(|_| self.live)).as_deref()
    }

    /// Whether a variable is in our environment, which is that of the agent and of its shells.
    pub(crate) fn exports(&self, name: &str) -> bool {
        self.live && std::env::var_os(name).is_some()
    }

    /// Where a variable moves a file of an agent that its row writes as `~/…`; absent: nowhere.
    pub(crate) fn moved(&self, agent: &Agent, path: &str) -> Option<PathBuf> {
        self.moved_below(agent, path).map(|(_, path)| path)
    }

    /// The same, after the folder or file that the variable names.
    pub(crate) fn moved_below(&self, agent: &Agent, path: &str) -> Option<(PathBuf, PathBuf)> {
        let mut moves = agent.registration.moved.iter().filter(|_| self.live).filter_map(|moved| {
            let rest = Path::new(path).strip_prefix(moved.instead_of).ok()?;
            let place = std::env::var_os(moved.variable).map(PathBuf::from).filter(|place| place.is_absolute())?;
            let path = if rest.as_os_str().is_empty() { place.clone() } else { place.join(rest) };
            Some((place, path))
        });
        moves.next()
    }

    /// The folders and files to which variables move those of an agent.
    pub(crate) fn moves(&self, agent: &Agent) -> impl Iterator<Item = PathBuf> {
        let moved = agent.registration.moved.iter().filter(|_| self.live);
        moved
            .filter_map(|moved| std::env::var_os(moved.variable).map(PathBuf::from))
            .filter(|place| place.is_absolute())
    }

    /// The user's policy files, the first that is there counts.
    pub fn user_files(&self) -> Vec<PathBuf> {
        let in_config = self.config.as_ref().map(|config| config.join("snaphook/snaphook.toml"));
        let in_home = self.home.as_ref().map(|home| home.join(".config/snaphook/snaphook.toml"));
        let mut files: Vec<_> = in_config.into_iter().chain(in_home).collect();
        files.dedup();
        files
    }

    /// The trust store.
    pub fn trust_file(&self) -> Option<PathBuf> {
        self.trust.clone().or_else(|| self.state.as_ref().map(|state| state.join("snaphook/trust.toml")))
    }

    /// The folder of the audit log and the trust store.
    pub fn state_folder(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|state| state.join("snaphook"))
    }

    /// Where long policies are filed: beside the trust store, since they decide as that does.
    pub(crate) fn index_folder(&self) -> Option<PathBuf> {
        Some(self.trust_file()?.parent()?.join("index"))
    }

    /// The folders of what we keep ourselves.
    pub(crate) fn own_folders(&self) -> impl Iterator<Item = PathBuf> {
        let state = self.state_folder();
        let index = self.index_folder().filter(|index| state.as_ref().is_none_or(|state| !index.starts_with(state)));
        state.into_iter().chain(index)
    }

    /// A path as messages show it: the home folder as `~`.
    pub fn shown(&self, path: &Path) -> String {
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }

    /// A path that a policy names: absolute, `~/…`, or relative to the folder of its file.
    pub(crate) fn named(&self, path: &str, folder: Option<&Path>) -> PathBuf {
        match (path.strip_prefix("~/"), &self.home, folder) {
            (Some(rest), Some(home), _) => home.join(rest),
            (_, _, Some(folder)) => folder.join(path),
            _ => PathBuf::from(path),
        }
    }
}

/// The first program of a name in an absolute folder of PATH that is `safe` to start.
pub(crate) fn on_path(name: &str, is_safe: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    found.find(|path| !name.is_empty() && path.is_file() && path.canonicalize().is_ok_and(|path| is_safe(&path)))
}

/// What a shell starts by this name wherever it works. `Err` is a folder of PATH that depends on where.
pub(crate) fn started_as(name: &str) -> Result<Option<PathBuf>, PathBuf> {
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        if !folder.is_absolute() {
            return Err(folder);
        }
        let file = folder.join(name);
        if rustix::fs::access(&file, rustix::fs::Access::EXEC_OK).is_ok() && file.is_file() {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// How much is read of an agent's settings, in bytes.
const SETTINGS_MAX: u64 = 16 << 20;

/// Tells cheaply whether a file is still the one that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    path: PathBuf,
    modified: Option<SystemTime>,
    size: u64,
    inode: u64,
}

impl Stamp {
    pub(crate) fn of(path: &Path, found: &std::fs::Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(found);
        #[cfg(not(unix))]
        let inode = 0;
        Self { path: path.to_owned(), modified: found.modified().ok(), size: found.len(), inode }
    }

    /// Whether the file has neither changed nor gone.
    pub fn is_current(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|found| Self::of(&self.path, &found) == *self)
    }
}
