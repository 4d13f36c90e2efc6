//! Decides calls by rules, read from the text of a `snaphook.toml`: rules in, verdict out.
//!
//! A call is a list of actions, such as to run a command or to read a file. Commands are analysed by `snaphook-shell`. The
//! facts about a call are computed once, as [`CallFacts`], and lent to the rules, to the program's handlers and to its
//! sandbox. Nothing here touches files, the clock, the environment or processes: what a policy asks about the machine, such
//! as where a symbolic link leads, the program answers as a [`Machine`]. No agent's message, row or reply writer can be
//! reached from here.
//!
//! `policy/examples/verdict.rs` judges a command by a policy.

#![expect(clippy::exhaustive_enums, reason = "whoever reads a policy has to handle every word of it")]
// Tests read and write files, and judge the calls of real agents.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types))]

mod call;
mod cause;
mod command;
mod described_tool;
mod endpoint;
mod fault;
mod find;
mod handler;
mod judge;
mod list;
mod load;
mod machine;
mod misspelt;
mod named_action;
mod path;
mod plain_string;
mod policy;
mod preset;
mod protected;
mod rule;
mod rule_words;
mod sandbox;
mod settings;
#[cfg(test)]
mod testing;
mod wildcard;

pub use call::PolicyCall;
pub use cause::{Cause, PartVerdict};
pub use described_tool::DescribedTool;
pub use endpoint::{HttpEndpoint, TokenSource};
pub use fault::{PolicyFault, did_you_mean_or};
pub use handler::{DecisionService, Handler, KINDS, ServiceForm, Speaks, words_of};
pub use judge::{
    AskedHandler, CallFacts, CombinedVerdict, CommandDetails, Judging, Opinion, RuledCall, RunsCommand, SharedFacts,
};
pub use list::List;
pub use load::{
    ContextTable, HandlerRule, Lists, PolicyCase, PolicyFile, PolicySource, Respond, ResponseSource, WrittenSetting,
    shown,
};
pub use machine::{AgentFile, AgentFileRole, EmptyMachine, Files, FolderEntry, Lookup, Machine, MovedFile, OwnFiles};
pub use misspelt::misspelt;
pub use named_action::{NAMED_TOOLS, named_action};
pub use path::{Dir, Folders, PathContext, fold, is_marked, key_files, resolve, text_of, within};
pub use policy::{Policy, ProjectPolicy, ProjectScope, STARTER};
pub use preset::{PRESET_PREFIX, Preset};
pub use protected::{OVERRIDES_FOLDER, OWN_FOLDER, POLICY_FILE, PROJECT_FILE, TRUST_FILE};
pub use rule::{AgentEvent, ArgumentSlot, Rule, Vocabulary, covers_more, rule_fault};
pub use rule_words::RuleWords;
pub use sandbox::{HideEntry, Launcher, Network, SandboxPath, SandboxPolicy, SandboxTable};
pub use settings::{
    Audit, AuditInputs, AuditRotation, Failures, OnFailure, Overrides, PolicyLimits, PolicyMode, older_logs,
    sending_folder,
};
