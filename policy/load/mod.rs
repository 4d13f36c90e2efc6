//! Parses the text of a policy file.

mod cases;
mod document;
mod endpoint;
mod extends;
mod file;
mod offsets;
mod parser;
mod plain_lists;
mod reader;
mod sandbox;
mod service;
mod source;
mod tables;
mod tools;
mod written;

pub use cases::PolicyCase;
pub use file::{ContextTable, HandlerRule, Lists, PolicyFile, Respond, ResponseSource};
pub use source::{PolicySource, shown};
pub(crate) use tables::CONTEXT_MAX;
pub use written::WrittenSetting;
