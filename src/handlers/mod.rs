//! Deciders outside of this program: a command reads our event and prints a decision.
//!
//! What this is not: a place for rules. Which events a handler gets, and how its decision is
//! combined with the rules, is policy's; what happens when a handler fails too. Here a handler is
//! started, held to its time, and read.
//!
//! The child is started without a shell, in its own process group, with our environment and
//! directory. Its stdout is never ours. Nothing it starts in its group outlives the call: what is
//! meant to go on has to start a session of its own.

mod children;
mod run;
pub mod wire;

use std::time::{Duration, Instant};

use snaphook_adapters::model::{Decision, HookEvent};

pub use children::Children;

use crate::policy::{Deciders, Handler};
use run::{Failure, Output, run};

/// What is kept of the process's time for everything after a handler.
const RESERVE: Duration = Duration::from_millis(200);

/// Starts the commands of one call. It blocks; under an async runtime use a blocking thread.
#[derive(Debug)]
pub struct Handlers {
    until: Instant,
    children: Children,
}

impl Handlers {
    /// Serves one call that has to be answered at `until`.
    pub fn new(until: Instant, children: &Children) -> Self {
        Self { until, children: children.clone() }
    }

    /// The smaller of the command's own time and what is left of the call's, less a reserve.
    fn run(&self, command: &[String], deadline_ms: u64, event: &HookEvent) -> Result<Output, Failure> {
        let left = self.until.saturating_duration_since(Instant::now()).saturating_sub(RESERVE);
        if left.is_zero() {
            return Err(Failure::new("was not started: no time is left for this call"));
        }
        run(command, event, left.min(Duration::from_millis(deadline_ms)), &self.children)
    }
}

impl Deciders for Handlers {
    fn handler(&mut self, handler: &Handler, event: &HookEvent) -> Result<Decision, String> {
        let Output { stdout, said } = self
            .run(&handler.command, handler.deadline_ms, event)
            .map_err(|failure| named("handler", &handler.name, &failure))?;
        let answer = match String::from_utf8(stdout) {
            Ok(text) => wire::decision(&text, event).map_err(|fault| fault.to_string()),
            Err(_) => Err("its answer is not UTF-8".to_owned()),
        };
        answer.map_err(|what| named("handler", &handler.name, &Failure { what, said }))
    }

    /// Line ends after the text are taken off, as a shell does.
    fn respond(&mut self, command: &[String], deadline_ms: u64, event: &HookEvent) -> Result<String, String> {
        let fail = |failure| named("respond command", command.first().map_or("", String::as_str), &failure);
        let Output { stdout, said } = self.run(command, deadline_ms, event).map_err(fail)?;
        let mut text =
            String::from_utf8(stdout).map_err(|_| fail(Failure { what: "its text is not UTF-8".to_owned(), said }))?;
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
        Ok(text)
    }
}

/// One line about a failure; of a path only its last part, since people's folders are in it.
fn named(what: &str, name: &str, failure: &Failure) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    format!("{what} `{name}`: {failure}")
}
