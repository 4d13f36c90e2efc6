//! What a policy asks about the machine on which a call runs. The program answers; nothing here reads files or the
//! environment.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::ListedName;

/// The files of a machine.
pub trait Files: Debug + Send + Sync {
    /// Reads an absolute path as a symbolic link. The folders that it is in may be links too.
    fn link(&self, path: &str) -> Lookup;

    /// Returns true if a path leads to a file or folder.
    fn exists(&self, path: &Path) -> bool;

    /// The length of a file in bytes; `None` if there is none.
    fn size(&self, path: &Path) -> Option<u64>;

    /// Reads a text file that a policy or a skill names, up to a limit.
    ///
    /// # Errors
    /// The file cannot be read, is no regular file, is too long, or has another encoding than UTF-8.
    fn read(&self, path: &Path) -> io::Result<String>;

    /// The entries of a folder; none if there is no such folder. `None` if it cannot be listed.
    fn entries(&self, folder: &Path) -> Option<Box<dyn Iterator<Item = FolderEntry>>>;
}

/// The result of reading a path as a symbolic link.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_enums, reason = "whoever follows a path has to handle each result")]
pub enum Lookup {
    /// A link with this target.
    Link(String),
    /// A file or folder.
    NotALink,
    /// The path does not exist or cannot be accessed, so nothing below it can be looked up.
    Absent,
}

/// An entry of a folder.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FolderEntry {
    /// The path of the folder with the name of the entry.
    pub path: PathBuf,
    /// True if it is a folder or a link, which may lead to one.
    pub may_be_folder: bool,
}

impl FolderEntry {
    /// Creates an entry.
    pub fn new(path: PathBuf, may_be_folder: bool) -> Self {
        Self { path, may_be_folder }
    }
}

/// A machine: its files, the environment of the agent, and the files that `[protect]` covers.
pub trait Machine: Files {
    /// The home folder.
    fn home(&self) -> Option<&Path>;

    /// Returns true if a folder certainly does not exist, although a call names it as its working directory.
    fn is_gone(&self, folder: &Path) -> bool;

    /// The folders for temporary files, where deleting files is harmless.
    fn temps(&self) -> &[String];

    /// Returns true if a variable is set in the environment, which the agent and its shells share.
    fn exports(&self, variable: &str) -> bool;

    /// The path of the program that judges, which commands may not call to change the protection.
    fn program(&self) -> Option<&Path>;

    /// The files of that program, which need not exist.
    fn own_files(&self) -> &OwnFiles;

    /// The number of agents whose files are protected.
    fn agents(&self) -> usize;

    /// The files that decide what an agent may do, by its number.
    fn agent_files(&self, agent: usize) -> Box<dyn Iterator<Item = AgentFile> + '_>;

    /// The folders and files that environment variables put in place of those of an agent.
    fn moved(&self, agent: usize) -> &[MovedFile];

    /// Returns true if a path of any agent's files has a component of this name.
    fn lists_name(&self, name: ListedName<'_>) -> bool;

    /// Returns true if a path of this agent's files has a component of this name.
    fn agent_lists_name(&self, agent: usize, name: ListedName<'_>) -> bool;
}

/// The files of the program that judges.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OwnFiles {
    /// The files in which the user's policy may be. Their folders have no other files.
    pub policies: Vec<PathBuf>,
    /// Other files, in folders that may have any files.
    pub others: Vec<PathBuf>,
    /// The folder of the log and the trust store.
    pub state: Option<PathBuf>,
    /// The folders with what a person has set aside for a time.
    pub overrides: Vec<PathBuf>,
    /// Folders that hold the files of many programs.
    pub shared: Vec<PathBuf>,
}

impl OwnFiles {
    /// Creates a list with the files in which the user's policy may be.
    pub fn new(policies: Vec<PathBuf>) -> Self {
        Self { policies, ..Self::default() }
    }

    /// Sets the other files.
    #[must_use]
    pub fn others(self, others: Vec<PathBuf>) -> Self {
        Self { others, ..self }
    }

    /// Sets the folder of the log and the trust store.
    #[must_use]
    pub fn state(self, state: Option<PathBuf>) -> Self {
        Self { state, ..self }
    }

    /// Sets the folders with what a person has set aside.
    #[must_use]
    pub fn overrides(self, overrides: Vec<PathBuf>) -> Self {
        Self { overrides, ..self }
    }

    /// Sets the folders that hold the files of many programs.
    #[must_use]
    pub fn shared(self, shared: Vec<PathBuf>) -> Self {
        Self { shared, ..self }
    }
}

/// A file or folder of an agent, as its table lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentFile {
    /// The path. `~/` at the start is the home folder, `/*` at the end means all of a folder, and a relative path is in
    /// any folder.
    pub path: &'static str,
    /// What the file decides.
    pub role: AgentFileRole,
}

impl AgentFile {
    /// Creates an entry of a table.
    pub fn new(path: &'static str, role: AgentFileRole) -> Self {
        Self { path, role }
    }
}

/// What a file of an agent decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each role has its own protection")]
pub enum AgentFileRole {
    /// Which hooks are called.
    Hooks,
    /// What the agent may do otherwise.
    Settings,
    /// What the agent runs without a hook; the path is a folder or a file.
    Runs,
}

/// A folder or file that replaces one of an agent's table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MovedFile {
    /// The path of the table that it replaces, with all below it.
    pub instead_of: &'static str,
    /// The absolute path that is used instead.
    pub path: PathBuf,
}

impl MovedFile {
    /// Creates a replacement.
    pub fn new(instead_of: &'static str, path: PathBuf) -> Self {
        Self { instead_of, path }
    }
}

/// A machine without files, environment and agents, for policies that are judged without one.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing")]
pub struct EmptyMachine;

impl Files for EmptyMachine {
    fn link(&self, _: &str) -> Lookup {
        Lookup::Absent
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }

    fn size(&self, _: &Path) -> Option<u64> {
        None
    }

    fn read(&self, _: &Path) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn entries(&self, _: &Path) -> Option<Box<dyn Iterator<Item = FolderEntry>>> {
        Some(Box::new(std::iter::empty()))
    }
}

impl Machine for EmptyMachine {
    fn home(&self) -> Option<&Path> {
        None
    }

    fn is_gone(&self, _: &Path) -> bool {
        false
    }

    fn temps(&self) -> &[String] {
        &[]
    }

    fn exports(&self, _: &str) -> bool {
        false
    }

    fn program(&self) -> Option<&Path> {
        None
    }

    fn own_files(&self) -> &OwnFiles {
        static NONE: OwnFiles = OwnFiles {
            policies: Vec::new(),
            others: Vec::new(),
            state: None,
            overrides: Vec::new(),
            shared: Vec::new(),
        };
        &NONE
    }

    fn agents(&self) -> usize {
        0
    }

    fn agent_files(&self, _: usize) -> Box<dyn Iterator<Item = AgentFile> + '_> {
        Box::new(std::iter::empty())
    }

    fn moved(&self, _: usize) -> &[MovedFile] {
        &[]
    }

    fn lists_name(&self, _: ListedName<'_>) -> bool {
        false
    }

    fn agent_lists_name(&self, _: usize, _: ListedName<'_>) -> bool {
        false
    }
}
