//! `snaphook hook AGENT …`, the command that is registered with agents. It runs on every tool call, so its
//! arguments are read by a small parser instead of clap.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use lexopt::Arg::{Long, Short, Value};
use snaphook_adapters::protocol::{RegisteredLine, Role, Transport};
use snaphook_adapters::registry::Registry;

use crate::platform::processes;
use crate::policy::Places;
use crate::serve::{AuditChoice, Invocation, print_error};
use crate::visible::one_line;

/// Serves the call. Returns 0 or 2 in every case, even after a panic (O6).
pub(super) fn run(registry: &Arc<Registry>, args: impl Iterator<Item = OsString>) -> u8 {
    // A sandboxed command of the same user could otherwise write to this process.
    processes::close_to_others();
    catch_unwind(AssertUnwindSafe(|| served(registry, args))).unwrap_or_else(|_| {
        print_error("snaphook: internal error: denied");
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
            print_error(USAGE);
            0
        }
        Err(error) => {
            print_error(&format!("snaphook hook: {}\n{USAGE}", one_line(error.to_string())));
            2
        }
    }
}

/// Parses the arguments and the environment. Returns `None` if help is requested. It opens no file, so it
/// cannot block.
fn invocation(
    registry: &Arc<Registry>,
    args: impl Iterator<Item = OsString>,
) -> Result<Option<Invocation>, lexopt::Error> {
    let known = || registry.ids().collect::<Vec<_>>().join(", ");
    let mut args = lexopt::Parser::from_args(args);
    let id = match args.next()? {
        Some(Value(id)) => id,
        Some(Long("help") | Short('h')) => return Ok(None),
        Some(option) => return Err(option.unexpected()),
        None => return Err(format!("missing agent; expected one of {}", known()).into()),
    };
    let id = id.to_string_lossy();
    let unknown = || format!("unknown agent {id}; expected one of {}", known());
    let protocol = registry.get(&id).ok_or_else(unknown)?;
    let mut places = Places::from_environment();
    let mut line = RegisteredLine::default();
    let mut audit = AuditChoice::Policy;
    let mut deadline = None;
    while let Some(option) = args.next()? {
        match option {
            Long("policy") => places.add_policy(args.value()?.into()),
            Long("trust") => places.trust = Some(args.value()?.into()),
            Long("audit") => {
                let file = args.value()?.into();
                audit = if audit == AuditChoice::Off { audit } else { AuditChoice::File(file) };
            }
            Long("no-audit") => audit = AuditChoice::Off,
            Long("deadline") => deadline = Some(duration(&args.value()?.to_string_lossy())?),
            Long("event") => line = line.event(args.value()?.to_string_lossy()),
            Long(name @ ("guarded" | "preempt" | "asks")) => {
                if line.role != Role::Alone {
                    return Err("--guarded, --preempt and --asks exclude each other".into());
                }
                line.role = Role::named(name).unwrap_or_default();
            }
            Long("help") | Short('h') => return Ok(None),
            _ => return Err(option.unexpected()),
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
    Err(format!("unknown event {event} of {}; expected one of {}", agent.id, names.join(", ")))
}

fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| format!("invalid --deadline {text}; expected a value such as 800ms or 3s"))
}

const USAGE: &str = "\
usage: snaphook hook AGENT [--policy FILE]... [--trust FILE] [--audit FILE | --no-audit]
                     [--deadline D] [--event E] [--guarded | --preempt | --asks]
  --policy FILE   the policy; else the user's own, else the starter; repeated: more rules
  --trust FILE    the trust store of project policies
  --audit FILE    the log; --no-audit: none, whatever else says
  --deadline D    give up after this time (800ms, 3s); default: half of the agent's, at most 5s
  --event E       the event this line is registered for: unreadable messages are refused in its form
  --guarded       a second registered gate follows this one and asks (docker-agent: tool_guard)
  --preempt       this command is registered in docker-agent's preempt_yolo lane
  --asks          this version of docker-agent asks, which its messages do not show";
