//! A refusal blocks at a gate and has no effect at the end of a turn (V10).

use snaphook_adapters::testing::{RefusedMessage, Suite, refusals};

use crate::{Account, Effect};

/// Finds refusals of valid, damaged and unreadable messages that do not block at a gate, or that make an agent continue
/// at the end of its turn.
pub fn refused(suite: &Suite, account: &Account) -> Vec<String> {
    let mut found = Vec::new();
    for RefusedMessage { event, reply, what, .. } in refusals(suite) {
        for host in event.row.hosts {
            let effect = account.interpret(&event, host, &reply).effect;
            let wrong =
                if event.row.gates() { !effect.blocks() } else { event.kind().ends_turn() && effect != Effect::Flow };
            if wrong {
                found.push(format!("{what}: on {host} the agent {}", effect.word()));
            }
        }
    }
    found
}
