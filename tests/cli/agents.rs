//! Tests of `snaphook agents`.

use snaphook_adapters::protocol::EventRow;
use snaphook_adapters::registry::Registry;

use crate::place::Place;

/// Returns the text without line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_agent_and_event_is_listed() {
    let said = Place::new().run(&["agents"]);
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        let mark = if snaphook_hosts::is_verified(agent.id) { "" } else { ", unverified" };
        let head = format!("{} ({}){mark}\n", agent.id, agent.name);
        let table = said.out.split(&head).nth(1).unwrap().split("\n\n").next().unwrap();
        for row in agent.events {
            let gate = if row.gates() { " *" } else { "" };
            let name = format!("  {}{gate} ", row.key());
            assert_eq!(table.lines().filter(|line| line.starts_with(&name)).count(), 1, "{name}");
        }
    }
}

#[test]
fn one_agent_is_shown_with_all_its_facts() {
    let place = Place::new();
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        let said = place.run(&["agents", agent.id]);
        said.says(0, &[&format!("snaphook agents {} --snippet", agent.id)]);
        let text = flat(&said.out);
        let open = agent.events.iter().flat_map(EventRow::all_limits);
        let notes = agent.registration.blocks.iter().flat_map(|block| block.pasting.iter().chain(block.notes).copied());
        let hosts = agent.hosts.iter().map(|host| host.versions);
        let blocks = agent.registration.blocks.iter().map(|block| block.versions);
        for sentence in open.chain(notes).chain(hosts).chain(blocks).chain([agent.registration.trust]) {
            assert!(text.contains(&flat(sentence)), "{}: {sentence}\n{}", agent.id, said.out);
        }
        let native = text.split("extra` can set:").nth(1).unwrap_or_default();
        for extra in agent.events.iter().flat_map(EventRow::extras) {
            assert!(native.contains(&format!(" {} (", extra.key())), "{}: {}\n{}", agent.id, extra.at, said.out);
        }
        for row in agent.events.iter().filter(|row| row.failure.timeout.is_some()) {
            let line = said.out.lines().find(|line| line.trim_start().starts_with(&row.key())).unwrap();
            assert!(line.ends_with('s'), "{line}");
        }
    }
}

#[test]
fn nothing_is_wider_than_a_terminal() {
    let place = Place::new();
    let mut pages = vec![place.run(&["agents"]).out, place.run(&["--help"]).out, place.run(&["hook", "--help"]).err];
    pages.extend(["try", "agents", "why", "trust", "init"].map(|command| place.run(&[command, "--help"]).out));
    pages.extend(Registry::standard().ids().map(|id| place.run(&["agents", id]).out));
    for line in pages.iter().flat_map(|page| page.lines()) {
        assert!(line.chars().count() <= 100, "{}: {line}", line.chars().count());
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn the_page_of_an_agent_names_every_event() {
    let place = Place::new();
    let overview = place.run(&["agents", "--markdown"]).out;
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        assert_eq!(overview.matches(&format!("| [{}](docs/agents/{}.md) |", agent.name, agent.id)).count(), 1);
        let page = place.run(&["agents", agent.id, "--markdown"]).out;
        let table = page.split("## Powers by event\n").nth(1).unwrap().split("\n## ").next().unwrap();
        for row in agent.events {
            assert_eq!(table.matches(&format!("`{}`", row.key())).count(), 1, "{}", row.key());
        }
        assert_eq!(table.matches("**gate**").count(), agent.events.iter().filter(|row| row.gates()).count());
        for sentence in agent.events.iter().flat_map(EventRow::all_limits) {
            let start = sentence.split(['<', '*', '_', '|', '`']).next().unwrap();
            assert!(page.contains(start), "{}: {sentence}", agent.id);
        }
    }
}

#[test]
fn an_unknown_agent_names_the_known_ones() {
    let place = Place::new();
    let known = Registry::standard().ids().collect::<Vec<_>>().join(", ");
    for words in [&["agents", "clod"][..], &["agents", "clod", "--snippet"]] {
        place.run(words).says(2, &["invalid value 'clod'", &known]);
    }
    place.run(&["agents", "--snippet"]).says(2, &["snaphook agents"]);
    place.run(&["agents", "codex", "--policy", "x"]).says(2, &["--snippet"]);
}
