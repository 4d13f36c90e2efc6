//! Parses the text of a policy file.

mod document;
mod file;
mod parser;
mod plain_lists;
mod reader;
mod sandbox;
mod source;
mod tables;

pub use file::{ContextTable, HandlerRule, Lists, PolicyFile, Respond, ResponseSource};
pub use source::{PolicySource, shown};
pub(crate) use tables::CONTEXT_MAX;
