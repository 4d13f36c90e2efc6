//! Replaces handlers and commands in a trial, which executes nothing.

use snaphook_adapters::model::{Decision, HookEvent};
use snaphook_policy::Handler;

use crate::decide::Deciders;

/// Records the handlers and commands that would be called.
#[derive(Debug, Default)]
pub(in super::super) struct Dry {
    pub(in super::super) remarks: Vec<String>,
    /// The names of the handlers that would be called.
    pub(in super::super) handlers: Vec<String>,
}

impl Deciders for Dry {
    fn handler(&mut self, handler: &Handler, _: &HookEvent) -> Result<Decision, String> {
        self.remarks.push(format!("handler `{}` was not called; its decision may change this result", handler.name));
        self.handlers.push(handler.name.clone());
        Ok(Decision::pass())
    }

    fn respond(&mut self, command: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        let name = command.first().map_or("", String::as_str);
        self.remarks.push(format!("`{name}` was not run; its output would be the text of the answer"));
        Ok(format!("(the output of {name})"))
    }
}
