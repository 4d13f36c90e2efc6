//! `snaphook agents`: what can be enforced where, and what to paste.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use indexmap::IndexMap;
use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;

use super::{Failure, matrix};
use crate::policy::Places;
use crate::setup::names::{Names, missing};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook agents                                       every agent, event and power
  snaphook agents docker-agent                          one agent, with what stays open
  snaphook agents picoclaw --snippet                    what to paste, for each version
  snaphook agents picoclaw --snippet --agent-version 0.2.8")]
pub(super) struct What {
    /// Only this agent
    agent: Option<String>,
    /// Print the registration to paste into the agent's configuration
    #[arg(long, requires = "agent")]
    snippet: bool,
    /// The policy that the registration names; default: the user's own
    #[arg(long, value_name = "FILE", requires = "snippet")]
    policy: Option<PathBuf>,
    /// The version of the agent that is installed here
    #[arg(long, value_name = "V", requires = "snippet")]
    agent_version: Option<String>,
    /// Print the table for a README
    #[arg(long, conflicts_with = "agent")]
    markdown: bool,
}

pub(super) fn run(registry: &Registry, what: &What, out: &mut String) -> Result<ExitCode, Failure> {
    match &what.agent {
        None if what.markdown => matrix::markdown(registry, out),
        None => matrix::terminal(registry.iter().map(HookProtocol::agent), out),
        Some(id) => {
            let agent = find(registry, id)?;
            if what.snippet {
                snippet(agent, what, out)?;
            } else {
                matrix::terminal(std::iter::once(agent), out);
                details(agent, out);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn find(registry: &Registry, id: &str) -> Result<&'static Agent, Failure> {
    let known = || registry.ids().collect::<Vec<_>>().join(", ");
    let agent = registry.get(id).map(HookProtocol::agent);
    agent.ok_or_else(|| Failure(format!("no such agent: {id}; known agents: {}", known())))
}

/// Refuses a version for which there is nothing to register.
pub(super) fn known_version(agent: &Agent, version: &str) -> Result<(), Failure> {
    if agent.registration.blocks.iter().any(|block| block.fits(version)) {
        return Ok(());
    }
    let known: Vec<_> = agent.registration.blocks.iter().map(|block| block.versions).collect();
    Err(Failure(format!("{} {version} has no hooks that snaphook knows; known: {}", agent.id, known.join("; "))))
}

fn details(agent: &Agent, out: &mut String) {
    out.push_str("\nVersions looked at:\n");
    let hosts: Vec<_> = agent.hosts.iter().map(|host| vec![host.id.to_owned(), host.versions.to_owned()]).collect();
    out.push_str(&super::table::columns(&hosts, "  "));
    let registration = &agent.registration;
    if !registration.blocks.is_empty() {
        let _ = writeln!(out, "\nRegistration (snaphook agents {} --snippet):", agent.id);
    }
    for block in registration.blocks {
        list(&format!("{}, into {}", block.versions, block.file), "  ", out);
        for note in block.pasting.iter().chain(block.notes) {
            list(note, "    - ", out);
        }
    }
    if !registration.trust.is_empty() {
        list(registration.trust, "  - ", out);
    }
    let mut native: IndexMap<&str, Vec<String>> = IndexMap::new();
    let mut open: IndexMap<&str, Vec<String>> = IndexMap::new();
    for row in agent.events {
        for extra in row.extras() {
            native.entry(extra.key()).or_default().push(row.key());
        }
        for sentence in row.opens() {
            open.entry(sentence).or_default().push(row.key());
        }
    }
    if !native.is_empty() {
        out.push_str("\nNative members that a handler's `extra` can set:\n");
    }
    for (key, events) in native {
        list(&format!("{key} ({})", events.join(", ")), "  - ", out);
    }
    if !open.is_empty() {
        out.push_str("\nWhat no hook can stop:\n");
    }
    for (sentence, events) in open {
        list(&format!("{sentence} ({})", events.join(", ")), "  - ", out);
    }
}

/// Writes one item in lines of at most 100 characters, the later ones below the first one's text.
fn list(text: &str, bullet: &str, out: &mut String) {
    let blank = " ".repeat(bullet.len());
    let mut line = bullet.to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > blank.len() {
            let _ = writeln!(out, "{line}");
            line.clone_from(&blank);
        }
        if line.len() > blank.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
}

/// What a terminal shows in one line, in characters.
const WIDTH: usize = 100;

fn snippet(agent: &Agent, what: &What, out: &mut String) -> Result<(), Failure> {
    let names = Names::find(&Places::from_environment(), what.policy.as_deref())?;
    let setup = names.new_ones();
    if let Some(version) = &what.agent_version {
        known_version(agent, version)?;
    }
    for block in agent.registration.blocks {
        if what.agent_version.as_ref().is_some_and(|version| !block.fits(version)) {
            continue;
        }
        let _ = writeln!(out, "# {}, into {}", block.versions, block.file);
        for note in block.pasting.iter().chain(block.notes) {
            let _ = writeln!(out, "# {note}");
        }
        let _ = writeln!(out, "{}\n", (block.text)(setup).trim_end());
    }
    if !agent.registration.trust.is_empty() {
        let _ = writeln!(out, "# {}", agent.registration.trust);
    }
    if let Some(path) = missing(setup) {
        let _ = writeln!(
            out,
            "# {} is not there yet, and a policy that is named but missing denies every call: see snaphook init.",
            super::one_line(path.to_string_lossy())
        );
    }
    Ok(())
}
