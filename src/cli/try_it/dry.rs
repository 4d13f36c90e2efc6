//! Asks nothing outside: a trial executes nothing.

use snaphook_adapters::model::{Decision, HookEvent};

use crate::policy::{Deciders, Handler};

/// Stands in for handlers and commands, and notes which would have been asked.
#[derive(Debug, Default)]
pub(super) struct Dry {
    pub(super) remarks: Vec<String>,
    /// The handlers that would have been asked.
    pub(super) handlers: Vec<String>,
}

impl Deciders for Dry {
    fn handler(&mut self, handler: &Handler, _: &HookEvent) -> Result<Decision, String> {
        self.remarks
            .push(format!("handler `{}` would be asked, and was not: what it says may change this", handler.name));
        self.handlers.push(handler.name.clone());
        Ok(Decision::pass())
    }

    fn respond(&mut self, command: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        let name = command.first().map_or("", String::as_str);
        self.remarks.push(format!("`{name}` would be run for the text of the answer"));
        Ok(format!("(the output of {name})"))
    }
}
