//! The cost of one message of each agent that starts a process for each call, beside that of Claude Code.

use std::path::Path;
use std::process::Command;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, EventKind, HookEvent};
use snaphook_adapters::protocol::{HookProtocol, Transport};
use snaphook_adapters::raw::json_string;
use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::{Fixture, Suite};

use crate::run::{Bench, instructions};
use crate::table::Table;

const REFERENCE: &str = "claude-code";
const COMMAND: &str = "cargo test --workspace";
const MESSAGE_BYTES: usize = 1024;

/// Compares a call of the shell tool of each agent with the same call of Claude Code, in instructions.
pub(crate) fn messages(bench: &Bench, table: &mut Table) {
    let registry = Registry::standard();
    let of = |protocol: &'static dyn HookProtocol| calls(bench, protocol);
    let reference = registry.get(REFERENCE).and_then(|protocol| of(protocol).into_iter().next());
    let reference = reference.ok_or_else(|| "it has no such fixture".to_owned());
    let reference = match reference.and_then(|call| instructions(bench, &call.hook, call.message.as_bytes())) {
        Ok(count) => count,
        Err(why) => return table.skipped("a 1 KiB call of Claude Code: instructions", &why),
    };
    table.noted("a 1 KiB call of Claude Code: instructions", reference, "");
    for protocol in registry.iter().filter(|protocol| protocol.agent().transport == Transport::OneShot) {
        let calls = of(protocol);
        if calls.is_empty() {
            table.skipped(&format!("a 1 KiB call of {}", protocol.agent().id), "no fixture calls its shell tool");
        }
        for call in calls {
            let what = format!("… of {}, of Claude Code: instructions", call.name);
            match instructions(bench, &call.hook, call.message.as_bytes()) {
                Ok(count) => table.most(&what, count / reference, 1.10, "x"),
                Err(why) => table.skipped(&what, &why),
            }
        }
    }
}

/// One message, and the registered command that gets it.
struct Call {
    name: String,
    hook: Command,
    message: String,
}

/// A call of the shell tool at each gate of an agent and in each dialect.
fn calls(bench: &Bench, protocol: &'static dyn HookProtocol) -> Vec<Call> {
    let mut found: Vec<Call> = Vec::new();
    for (fixture, event) in suite(protocol).judged() {
        let name = [Some(protocol.agent().id), event.dialect, Some(&event.row.key())]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        let gates = event.kind() == EventKind::PreTool && event.row.gates() && !event.is_unknown();
        if !gates || found.iter().any(|call| call.name == name) {
            continue;
        }
        if let Some(message) = message(bench, protocol, &event) {
            found.push(Call { name, hook: registered(bench, fixture, &event, &bench.rules()), message });
        }
    }
    found
}

/// The fixtures of an agent.
pub(crate) fn suite(protocol: &'static dyn HookProtocol) -> Suite {
    let folder = format!("{}/adapters/{}/fixtures", env!("CARGO_MANIFEST_DIR"), protocol.agent().id.replace('-', "_"));
    Suite::read(protocol, folder.as_ref())
}

/// The command that is registered for the message of a fixture, with this policy.
pub(crate) fn registered(bench: &Bench, fixture: &Fixture, event: &HookEvent, policy: &Path) -> Command {
    let mut hook = bench.registered(event.agent.id, Some(event.row.registered_name()), policy);
    hook.args(fixture.native.line.role.flag());
    hook
}

/// The message of an event with the command, the folder and the length of every other message.
fn message(bench: &Bench, protocol: &dyn HookProtocol, event: &HookEvent) -> Option<String> {
    let call = event.call().filter(|call| matches!(call.actions[..], [Action::Shell { .. }]))?;
    let input = protocol.rewrite(call, &|_| Some(COMMAND.to_owned().into()))?.value;
    let with =
        |description: &str| {
            let input = input.object().ok()?.with("description", &json_string(description));
            match event.raw.replace(&call.input, input.as_str()) {
                Some(sent) => Some(sent),
                // The arguments are members of the message.
                None => input.object().ok()?.members().try_fold(event.raw.clone(), |sent, (key, value)| {
                    Some(sent.object().ok()?.with(key, value.as_str()))
                }),
            }
        };
    let here = |sent: &Raw| match &event.cwd {
        Some(cwd) => sent.as_str().replace(&json_string(cwd), &json_string(&bench.cwd())),
        None => sent.as_str().to_owned(),
    };
    let missing = MESSAGE_BYTES.checked_sub(here(&with(".")?).len() - 1)?;
    Some(here(&with(&"run every test, then read what failed; ".repeat(40)[..missing])?))
}
