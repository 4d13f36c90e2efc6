//! The options that say in which session a command judges.

use std::io;
use std::path::PathBuf;

use crate::policy::Places;
use crate::setup::command_line::policy_options;

#[derive(clap::Args)]
pub(super) struct SessionArgs {
    /// The directory in which the session is started; default: this one
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The policy to use; default: your own, else the starter policy. Given again: a file with further rules
    #[arg(long, value_name = "FILE")]
    policy: Vec<PathBuf>,
    /// The trust store; default: the one in your state folder
    #[arg(long, value_name = "FILE")]
    trust: Option<PathBuf>,
}

impl SessionArgs {
    /// The locations of the session's policy.
    pub(super) fn places(&self) -> Places {
        let mut places = Places::from_environment();
        self.policy.iter().for_each(|file| places.add_policy(file.clone()));
        places.trust.clone_from(&self.trust);
        places
    }

    /// The options that name its policies, for a command that a person copies.
    pub(super) fn policies(&self, places: &Places) -> String {
        policy_options(&self.policy, places)
    }

    /// The folder of the session, as an absolute path.
    pub(super) fn folder(&self) -> io::Result<PathBuf> {
        match &self.cwd {
            Some(folder) => std::path::absolute(folder),
            None => std::env::current_dir(),
        }
    }
}
