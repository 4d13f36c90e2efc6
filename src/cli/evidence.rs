//! The effect of each reply on an unverified agent, with its evidence.

use std::fmt::Write;

use snaphook_adapters::protocol::Agent;
use snaphook_hosts::{Account, EffectRule, account};

/// The events of a group, and one effect on them.
struct EvidenceFact<'a> {
    events: String,
    rule: &'a EffectRule,
}

fn facts(agent: &Agent) -> Vec<EvidenceFact<'static>> {
    let groups = account(agent.id).into_iter().flat_map(Account::events);
    let fact = |rows: &[String], rule| {
        let events: Vec<_> = rows.iter().map(|row| format!("`{row}`")).collect();
        EvidenceFact { events: events.join(", "), rule }
    };
    groups.flat_map(|group| group.effects.iter().map(move |rule| fact(&group.rows, rule))).collect()
}

/// Returns one sentence for each effect.
pub(super) fn sentences(agent: &Agent) -> Vec<String> {
    let said = facts(agent).into_iter().map(|EvidenceFact { events, rule }| {
        let (effect, mark) = (rule.effect.word(), rule.mark.words());
        format!("{events}: {}: {effect} ({mark})", rule.condition())
    });
    said.collect()
}

/// Writes the section of the agent's page in the book.
pub(super) fn markdown(agent: &Agent, out: &mut String) {
    let facts = facts(agent);
    if facts.is_empty() {
        return;
    }
    out.push_str(
        "\n## Evidence\n\nThe first line that describes a reply applies. *flow*: the agent's own permission rules decide.\n\n\
         | events | reply | effect | evidence |\n|---|---|---|---|\n",
    );
    for EvidenceFact { events, rule } in facts {
        let _ = writeln!(
            out,
            "| {events} | {} | {} | {} |",
            rule.condition().replace('|', "\\|"),
            rule.effect.word(),
            rule.mark.words()
        );
    }
}
