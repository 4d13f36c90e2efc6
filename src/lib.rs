//! The engine behind the `snaphook` program: parse, decide, fit, answer.

pub mod handlers;
pub mod policy;
