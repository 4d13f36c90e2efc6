//! Refuses to run a command: this system has no sandbox.

use snaphook_adapters::registry::Registry;

use super::run::{Line, Refusal};

impl Line {
    /// Returns the refusal.
    pub(super) fn start(self, _: &Registry) -> Result<u8, Refusal> {
        let Self { within: _, policies: _, trust: _, project: _, argv: _ } = self;
        Err("the sandbox needs Linux or macOS; on Windows remove [sandbox] from the policy".to_owned().into())
    }
}
