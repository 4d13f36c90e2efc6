//! The command line that is registered with an agent: `snaphook hook AGENT …`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use snaphook_adapters::protocol::{HookProtocol, RegisteredLine};
use snaphook_adapters::registry::Registry;

use crate::policy::Places;

/// The arguments of the registered command line.
#[derive(Clone)]
pub(crate) struct Invocation {
    pub(crate) protocol: &'static dyn HookProtocol,
    pub(crate) registry: Arc<Registry>,
    pub(crate) line: RegisteredLine,
    pub(crate) places: Arc<Places>,
    pub(crate) audit: AuditChoice,
    pub(crate) deadline: Option<Duration>,
}

impl Invocation {
    pub(crate) fn usage(&self) -> String {
        let id = self.protocol.agent().id;
        format!(
            "snaphook hook {id}: reads one message of {id} from stdin and answers it; stdin is a terminal.\n\
             To see what it would do: snaphook try 'rm -rf ~/work'\n\
             To register it: snaphook agents {id} --snippet"
        )
    }
}

/// The choice of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AuditChoice {
    Policy,
    File(PathBuf),
    Off,
}
