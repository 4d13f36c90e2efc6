//! Runs handlers: external programs that read an event and print a decision.
//!
//! The policy decides which events a handler receives, how its decision is combined with the rules,
//! and what happens if it fails. This module only starts handlers, enforces their time limits and
//! reads their answers.
//!
//! A service is asked over HTTP instead.
//!
//! A handler that was written for an agent gets the message of that agent, and its answer is read as that agent reads it.
//!
//! A handler is started without a shell, in a new process group, with the environment and working
//! directory of snaphook. Its stdout is a pipe. Its process group is killed when the call ends: a
//! process that must keep running has to start a new session.

mod children;
mod http;
mod matcher;
mod run;
mod service;
mod spoken;
pub mod wire;

use std::sync::Arc;
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Decision, HookEvent};
use snaphook_adapters::registry::Registry;
use snaphook_policy::Handler;

pub use children::Children;
pub(crate) use http::{HttpAnswer, post};

use crate::decide::Deciders;
use crate::watchdog::before_waiting;
pub(crate) use run::{ANSWER_BYTES, CHUNK_BYTES, ExchangeError, STDERR_BYTES};
use run::{HandlerFailure, Input, Output, run};

/// The time that is reserved for everything after a handler.
const RESERVE: Duration = Duration::from_millis(200);

/// Runs the commands of one call. The methods block; under an async runtime, call them on a blocking thread.
#[derive(Debug)]
pub struct Handlers {
    until: Instant,
    children: Children,
    registry: Option<Arc<Registry>>,
    remarks: Vec<String>,
}

impl Handlers {
    /// Creates the runner for one call that has to be answered by `until`.
    pub fn new(until: Instant, children: &Children) -> Self {
        Self { until, children: children.clone(), registry: None, remarks: Vec::new() }
    }

    /// Sets the agents for which handlers may have been written.
    #[must_use]
    pub fn for_agents(self, registry: Arc<Registry>) -> Self {
        Self { registry: Some(registry), ..self }
    }

    /// Runs a command for at most its own time limit and the remaining time of the call less the reserve.
    fn run(
        &self,
        command: &[String],
        deadline_ms: u64,
        variable: Option<(&str, &str)>,
        input: Input<'_>,
    ) -> Result<Output, HandlerFailure> {
        run(command, variable, input, self.time_for(deadline_ms)?, &self.children)
    }

    /// The smaller of a time limit and the remaining time of the call less the reserve.
    fn time_for(&self, deadline_ms: u64) -> Result<Duration, HandlerFailure> {
        let left = self.until.saturating_duration_since(Instant::now()).saturating_sub(RESERVE);
        if left.is_zero() {
            return Err(HandlerFailure::new("was not started: no time left before the deadline of the call"));
        }
        Ok(left.min(Duration::from_millis(deadline_ms)))
    }
}

impl Deciders for Handlers {
    fn handler(&mut self, handler: &Handler, event: &HookEvent) -> Result<Decision, String> {
        before_waiting();
        if let Some(speaks) = &handler.speaks {
            return self.spoken(handler, speaks, event);
        }
        if let Some(service) = &handler.service {
            let asked = self.service(handler, service, event);
            return asked.map_err(|failure| format!("handler `{}`: {failure}", handler.name));
        }
        let Output { stdout, stderr_line, .. } = self
            .run(&handler.command, handler.deadline_ms, None, Input::Event(event))
            .and_then(Output::success)
            .map_err(|failure| failure_message("handler", &handler.name, &failure))?;
        let answer = match String::from_utf8(stdout) {
            Ok(text) => wire::decision(&text, event).map_err(|fault| fault.to_string()),
            Err(_) => Err("its answer is not UTF-8".to_owned()),
        };
        answer.map_err(|what| failure_message("handler", &handler.name, &HandlerFailure { what, stderr_line }))
    }

    fn remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    fn uses_permissions(&self) -> bool {
        true
    }

    /// Strips trailing line ends, like a shell.
    fn respond(&mut self, command: &[String], deadline_ms: u64, event: &HookEvent) -> Result<String, String> {
        before_waiting();
        let fail = |failure| failure_message("respond command", command.first().map_or("", String::as_str), &failure);
        let ran = self.run(command, deadline_ms, None, Input::Event(event)).and_then(Output::success);
        let Output { stdout, stderr_line, .. } = ran.map_err(fail)?;
        let mut text = String::from_utf8(stdout)
            .map_err(|_| fail(HandlerFailure { what: "its text is not UTF-8".to_owned(), stderr_line }))?;
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
        Ok(text)
    }
}

/// Formats a failure on one line. Shows only the file name of a path, because the directories may be private.
fn failure_message(what: &str, name: &str, failure: &HandlerFailure) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    format!("{what} `{name}`: {failure}")
}
