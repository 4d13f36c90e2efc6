//! The registered line: `snaphook hook AGENT …`, read by hand because it runs on every tool call.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use snaphook_adapters::protocol::{Line, Role, Transport};
use snaphook_adapters::registry::Registry;

use crate::policy::Places;
use crate::serve::{AuditChoice, Invocation, complain};
use crate::visible::one_line;

/// Serves; returns 0 or 2, whatever happens (O6).
pub(super) fn run(registry: &Arc<Registry>, args: impl Iterator<Item = OsString>) -> u8 {
    // A sandboxed command of the same user could write to what the kernel shows of this process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    catch_unwind(AssertUnwindSafe(|| served(registry, args))).unwrap_or_else(|_| {
        complain("snaphook: failed inside: denied");
        2
    })
}

fn served(registry: &Arc<Registry>, args: impl Iterator<Item = OsString>) -> u8 {
    match invocation(registry, args) {
        Ok(Some(invocation)) => match invocation.protocol.agent().transport {
            Transport::Lines => crate::serve::lines(invocation),
            _ => crate::serve::one_shot(invocation),
        },
        Ok(None) => {
            complain(USAGE);
            0
        }
        Err(text) => {
            complain(&format!("snaphook hook: {}\n{USAGE}", one_line(&text)));
            2
        }
    }
}

/// Reads the arguments and the environment, and no file: nothing here can hang.
fn invocation(
    registry: &Arc<Registry>,
    mut args: impl Iterator<Item = OsString>,
) -> Result<Option<Invocation>, String> {
    let known = || registry.ids().collect::<Vec<_>>().join(", ");
    let id = args.next().ok_or_else(|| format!("no agent named; known agents: {}", known()))?;
    if id == "--help" || id == "-h" {
        return Ok(None);
    }
    let id = id.to_string_lossy();
    let protocol = registry.get(&id).ok_or_else(|| format!("no such agent: {id}; known agents: {}", known()))?;
    let mut places = Places::from_environment();
    let mut line = Line::default();
    let mut audit = AuditChoice::Policy;
    let mut deadline = None;
    while let Some(flag) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{} needs a value", flag.to_string_lossy()));
        match flag.to_str().unwrap_or_default() {
            "--policy" => places.policy = Some(PathBuf::from(value()?)),
            "--trust" => places.trust = Some(PathBuf::from(value()?)),
            "--audit" if audit == AuditChoice::Policy => audit = AuditChoice::File(PathBuf::from(value()?)),
            "--no-audit" if audit == AuditChoice::Policy => audit = AuditChoice::Off,
            "--audit" | "--no-audit" => return Err("--audit and --no-audit exclude each other".to_owned()),
            "--deadline" => deadline = Some(duration(&value()?.to_string_lossy())?),
            "--event" => line = line.event(value()?.to_string_lossy()),
            "--guarded" if line.role == Role::Alone => line.role = Role::Guarded,
            "--preempt" if line.role == Role::Alone => line.role = Role::Preempt,
            "--guarded" | "--preempt" => return Err("--guarded and --preempt exclude each other".to_owned()),
            "--help" | "-h" => return Ok(None),
            _ => return Err(format!("unknown argument: {}", flag.to_string_lossy())),
        }
    }
    if let Some(event) = &line.event {
        known_event(protocol.agent(), event)?;
    }
    let (registry, places) = (Arc::clone(registry), Arc::new(places));
    Ok(Some(Invocation { protocol, registry, line, places, audit, deadline }))
}

fn known_event(agent: &snaphook_adapters::protocol::Agent, event: &str) -> Result<(), String> {
    if agent.events.iter().any(|row| row.native == event) {
        return Ok(());
    }
    let mut names: Vec<_> = agent.events.iter().map(|row| row.native).collect();
    names.dedup();
    Err(format!("{} has no event {event}; it has: {}", agent.id, names.join(", ")))
}

fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| format!("--deadline {text} is no duration; write 800ms or 3s"))
}

const USAGE: &str = "\
usage: snaphook hook AGENT [--policy FILE] [--trust FILE] [--audit FILE | --no-audit]
                     [--deadline D] [--event E] [--guarded | --preempt]
  --policy FILE   the policy; else the user's own, else the built-in starter
  --trust FILE    the trust store of project policies
  --audit FILE    the log; --no-audit: none
  --deadline D    give up after this time (800ms, 3s); default: half of the agent's, at most 5s
  --event E       the event this line is registered for: unreadable messages are refused in its form
  --guarded       a second gate of ours stands behind this one and asks (docker-agent: tool_guard)
  --preempt       this line stands in docker-agent's preempt_yolo lane";
