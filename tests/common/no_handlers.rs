//! Deciders for policies without handlers and commands.

use snaphook::decide::Deciders;
use snaphook_adapters::model::{Decision, HookEvent};
use snaphook_policy::Handler;

/// Fails every handler and command.
pub(crate) struct NoHandlers;

impl Deciders for NoHandlers {
    fn handler(&mut self, _: &Handler, _: &HookEvent) -> Result<Decision, String> {
        Err("no handler".to_owned())
    }

    fn respond(&mut self, _: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        Err("no command".to_owned())
    }
}
