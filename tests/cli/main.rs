//! Tests of the commands that people run, as real processes in a temporary home folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]
#![allow(clippy::string_slice, clippy::print_stdout, reason = "tests")]

mod agents;
mod allow_once;
mod brief;
mod central;
mod collector;
mod drift;
mod escapes;
mod files;
mod hook;
#[path = "../common/http.rs"]
mod http;
mod log;
mod managed;
mod monitor;
mod other_tool;
mod paste;
mod pause;
mod place;
mod policies;
mod policy;
mod presets;
mod programs;
mod replay;
mod schema;
#[path = "../common/skipped.rs"]
mod skipped;
mod snippets;
mod tools;
mod trial;
mod trust;
mod why;
mod words;
