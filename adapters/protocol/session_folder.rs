//! The folder in which a session was started.

/// The source of the folder in which a session was started. A call may name another folder to run in; that folder never
/// determines the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionFolder {
    /// The working directory of the hook process.
    Process,
    /// The working directory in the message, which no call can choose; otherwise that of the hook process.
    Message,
    /// A variable in the environment of the hook process; otherwise the working directory of the process.
    Variable(&'static str),
    /// A setting of the agent, if it can be read; otherwise the working directory of the hook process. Some tools may
    /// use the working directory even if the setting names another folder.
    Setting(FolderSetting),
}

/// The setting of an agent that names its working folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FolderSetting {
    /// The variable that overrides the file.
    pub variable: &'static str,
    /// The JSON file, as `~/…`; the variables of [`Registration::moved`](super::Registration::moved) relocate it.
    pub file: &'static str,
    /// JSON pointer to the folder. A leading `~` is the home folder; a relative path starts at the working directory.
    pub pointer: &'static str,
    /// The folder that is used if the setting is absent, as `~/…`; the same variables relocate it.
    pub default: &'static str,
}

impl FolderSetting {
    /// Describes a setting.
    pub const fn new(variable: &'static str, file: &'static str, pointer: &'static str, default: &'static str) -> Self {
        Self { variable, file, pointer, default }
    }
}
