//! Each data file can be parsed, describes the rows of its agent, and begins with the same legend.

use std::collections::BTreeSet;

use snaphook_adapters::registry::Registry;
use snaphook_hosts::{ACCOUNTS, account, is_verified};

#[test]
fn every_data_file_describes_exactly_the_rows_of_its_agent() {
    for id in ACCOUNTS {
        let account = account(id).unwrap_or_else(|| panic!("hosts/{id}.toml cannot be read"));
        assert_eq!(account.agent, *id);
        let agent = Registry::standard().get(id).unwrap_or_else(|| panic!("no agent {id}")).agent();
        let rows: BTreeSet<_> = agent.events.iter().map(snaphook_adapters::protocol::EventRow::key).collect();
        let described: BTreeSet<_> = account.rows().map(str::to_owned).collect();
        assert_eq!(described, rows, "{id}");
    }
}

#[test]
fn every_host_of_an_effect_is_a_host_of_its_rows() {
    for id in ACCOUNTS {
        let account = account(id).unwrap();
        let agent = Registry::standard().get(id).unwrap().agent();
        for row in agent.events {
            let event = account.row(row).unwrap();
            let named = event.effects.iter().map(|rule| &rule.hosts).chain(event.parts.iter().map(|rule| &rule.hosts));
            for host in named.flatten() {
                let known = agent.hosts.iter().any(|known| known.id == host);
                assert!(known, "{id} {}: unknown host {host}", row.key());
            }
            for host in row.hosts {
                assert!(event.effects_on(host).next().is_some(), "{id} {}: no effect on {host}", row.key());
            }
        }
    }
}

#[test]
fn an_agent_is_verified_if_and_only_if_an_effect_was_measured() {
    for id in ACCOUNTS {
        let account = account(id).unwrap();
        let agent = Registry::standard().get(id).unwrap().agent();
        let mut effects = agent.events.iter().filter_map(|row| account.row(row)).flat_map(|event| &event.effects);
        assert_eq!(is_verified(id), effects.any(|rule| rule.mark.is_measured()), "{id}");
    }
    assert!(!is_verified("acme"));
}

/// Each file contains the legend, so that it can be understood alone.
#[test]
fn every_data_file_begins_with_the_same_legend() {
    let legend = |id: &str| {
        let text = std::fs::read_to_string(format!("{}/{id}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let lines: Vec<_> = text.lines().skip(1).take_while(|line| !line.starts_with("# 3. Runs.")).collect();
        lines.join("\n")
    };
    for id in ACCOUNTS {
        assert_eq!(legend(id), legend("hygge"), "{id}");
    }
}
