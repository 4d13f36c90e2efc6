//! Decides where no handler is.

use snaphook::policy::{Deciders, Handler};
use snaphook_adapters::model::{Decision, HookEvent};

/// No policy here has a handler or a command.
pub(crate) struct Nobody;

impl Deciders for Nobody {
    fn handler(&mut self, _: &Handler, _: &HookEvent) -> Result<Decision, String> {
        Err("no handler".to_owned())
    }

    fn respond(&mut self, _: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        Err("no command".to_owned())
    }
}
