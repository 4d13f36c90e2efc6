//! Messages of agents that use the hooks of another agent: the answer blocks on the agent that sent the message.

use crate::process::{DENY, Faults, Place, SILENT, Start};
use crate::subject::Subject;

/// Each gate of a call, as the registered line, with a message of each agent that uses the hooks of its agent.
fn shared_lines() -> Vec<(Subject, Subject)> {
    let calls = || Subject::gates().into_iter().filter(|subject| subject.is_call() && subject.registrable());
    let mut found = Vec::new();
    for sender in calls() {
        let Some(shared) = sender.protocol.agent().shared_hooks else { continue };
        found.extend(calls().filter(|line| shared.of.contains(&line.id())).map(|line| (line, sender.clone())));
    }
    assert!(found.len() > 5, "{}", found.len());
    found
}

#[test]
fn a_denial_has_the_form_of_the_sender() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = place.file("deny.toml", DENY);
    for (line, sender) in shared_lines() {
        let start = Start::new(&line, &place, &policy, &line.flags(true));
        let reply = start.with(sender.message.as_bytes()).reply(&sender, "denied");
        faults.unless(sender.blocked_by(&reply), || format!("{sender} on a line of {line}: {reply:?}"));
    }
    faults.none();
}

#[test]
fn a_message_of_an_unknown_sender_is_refused_in_a_form_that_every_sender_obeys() {
    let mut faults = Faults::default();
    let place = Place::new();
    for (name, text) in [("silent", ""), ("asks", "[failure]\ninput = \"ask\"\ndeadline = \"ask\"\n")] {
        let policy = place.file(&format!("{name}.toml"), &format!("{SILENT}{text}"));
        for (line, sender) in shared_lines() {
            let start = || Start::new(&line, &place, &policy, &line.flags(true));
            let message = sender.message.as_bytes();
            let mut late = start().flag(&["--deadline", "50ms"]).start();
            late.send(&message[..message.len() / 2]);
            for (what, ended) in [
                ("truncated", start().with(&message[..message.len() - 1])),
                ("rubbish behind it", start().with(&[message, b" x"].concat())),
                ("an array", start().with(&[b"[", message, b"]"].concat())),
                ("stdin stays open", late.ended()),
            ] {
                let reply = ended.reply(&line, what);
                for agent in [&line, &sender] {
                    faults.unless(agent.blocked_by(&reply), || format!("{agent} on {line}: {what}: {reply:?}"));
                }
            }
        }
    }
    faults.none();
}
