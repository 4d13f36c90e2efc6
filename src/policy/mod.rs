//! Finds and reads the files of a policy, and answers what it asks about this machine. What the files mean is in the package
//! `snaphook-policy`.

mod load;
mod machine;
mod places;
mod source;
pub mod trust;
mod vocabulary;
mod warnings;

pub use load::{LoadedPolicy, UserPolicy};
pub(crate) use load::{managed_file, read_cases};
pub(crate) use machine::LocalFiles;
pub use places::{Places, Stamp};
pub(crate) use places::{on_path, started_as};
pub(crate) use source::read_own;
pub(crate) use vocabulary::AgentNames;
pub use warnings::PolicyWarning;
