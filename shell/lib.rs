//! Reads a shell command without running it: the programs that it runs, and the files that it reads, writes and
//! removes.
//!
//! A command is *understood* if bash, dash and zsh certainly read it alike; otherwise [`Script::not_understood`] names the
//! word that is to blame, and the facts may be incomplete. Nothing here touches files, the clock or the environment.
//!
//! ```no_run
//! use snaphook_shell::{ScriptLimits, read};
//!
//! let script = read("cd src && timeout 5 cargo test > ../log", &ScriptLimits::default());
//! let programs: Vec<_> = script.parts.iter().map(|part| part.text.as_str()).collect();
//! assert_eq!(programs, ["cd src", "timeout 5 cargo test", "cargo test"]);
//! assert_eq!(script.not_understood, None);
//! assert!(script.touched.iter().any(|file| file.shown == "../log"));
//! ```

#![expect(clippy::exhaustive_enums, reason = "whoever judges a command has to handle every effect")]

mod analyzer;
mod assignments;
mod budget;
mod cd;
mod devices;
mod effects;
mod glob;
mod limits;
mod options;
mod part;
mod partial;
mod patch;
mod path_words;
pub mod paths;
mod program_words;
mod programs;
mod reader;
mod script;
mod syntax;
#[cfg(test)]
mod tests;
mod text_words;
mod touched_paths;
mod variables;
mod words;
mod write_then_run;

pub use assignments::is_forbidden;
pub use budget::{Budget, BudgetSpent};
pub use effects::{Extent, Touch};
pub use glob::{glob_elements, loose_elements};
pub use limits::ScriptLimits;
pub use part::{Assignment, Part};
pub use partial::{TextElement, intersects, is_quote, literal_elements};
pub use patch::NAMES as PATCH_PROGRAMS;
pub use program_words::{KnownWord, known_words};
pub use programs::other_spellings;
pub use reader::{ScriptReader, only_reads, read};
pub use script::Script;
pub use text_words::RawWords;
pub use touched_paths::{Base, CommandPath, Touched};
pub use words::{Word, base_name, is_name, is_special, printed};
