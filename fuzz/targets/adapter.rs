//! Any message to the adapter of an agent is either an event that keeps its bytes and whose answers obey the laws, or
//! an error that is refused. `SNAPHOOK_FUZZ_AGENT` names the agent.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use snaphook_adapters::model::Incoming;
use snaphook_adapters::protocol::{HookProtocol, Native, Transport};
use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::{Fixture, Suite, lowered, shape};
use snaphook_hosts::account;
use snaphook_hosts::testing::monotone;

static AGENT: LazyLock<&'static dyn HookProtocol> = LazyLock::new(|| {
    let id = std::env::var("SNAPHOOK_FUZZ_AGENT").expect("SNAPHOOK_FUZZ_AGENT names an agent");
    Registry::standard().get(&id).unwrap_or_else(|| panic!("unknown agent `{id}`"))
});

fuzz_target!(|message: &str| {
    let native = Native::new(message);
    match AGENT.parse(&native) {
        Ok(Incoming::Event(event)) => {
            assert_eq!(event.raw.as_str(), native.body.as_str(), "the event lost bytes of its message");
            // Agents send arguments only as an object; it is unknown how they would read an answer to others.
            if event.call().is_some_and(|call| call.input.object().is_err()) {
                return;
            }
            let suite = Suite::of(*AGENT, vec![Fixture::new("fuzzed", native)]);
            let weakened = account(suite.protocol().agent().id).map(|account| monotone(&suite, account));
            let broken = [shape(&suite), lowered(&suite), weakened.unwrap_or_default()].concat();
            assert!(broken.is_empty(), "{}", broken.join("\n"));
        }
        Ok(_) => {}
        Err(error) => {
            let reply = AGENT.refuse(&native, &error.to_string());
            assert!(matches!(reply.exit, 0 | 2), "exit code {}", reply.exit);
            let one_shot = AGENT.agent().transport == Transport::OneShot;
            let ends_turn = AGENT.agent().bare_event(&native).is_some_and(|event| !event.row.gates());
            let silent = reply.stdout.is_empty() && reply.stderr.is_empty() && reply.exit == 0;
            assert!(!silent || !one_shot || ends_turn, "a message with an error is passed on: {error}");
        }
    }
});
