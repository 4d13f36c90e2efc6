//! `snaphook run`, as a real process: what a sandboxed command can do and what it cannot.

mod agents;
mod isolation;
mod kept;
mod nested;
mod place;
mod quoting;
mod refused;
mod told;
